import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadProject } from "../../src/workspace/load-project.ts";
import { DiskFiles } from "../../src/project/files.ts";
import { TextFiles } from "../../src/project/text-files.ts";
import { folder, root as repository } from "../support/cli.ts";
import { menu } from "../support/project.ts";
import { runs } from "../support/runs.ts";
import { testHost } from "../support/host.ts";

const files = {
  "ivrctl.yaml": `version: 1
default_environment: test
vars: { city: Pune, unused: x }
defaults:
  invalid: { retries: 2, recording: not-valid, destination: Front Desk }
  timeout: { wait: 5, retries: 2, retry_recording: welcome, recording: "13" }
recordings:
  welcome: { id: "10", says: "For sales, press 1.", seconds: 3 }
  not-valid: "11"
  spare: "12"
sms_templates: { link: "77" }
sms_templates_enabled: true
rules:
  menu-too-long: { max: 2 }
  zero-not-operator: off
invariants:
  - { menus: "shops/*", key: 1, reaches: Asha Rao }
environments:
  test: { service: sandbox, vars: { city: Thane } }
`,
  "agents.lock.json": readFileSync(join(repository, "agents.lock.json"), "utf8"),
  "ivrs/main.yaml": `name: Main in {{city}}
description: First
recording: welcome
options:
  1: { for: Sales, menu: shops/a }
  # ivrctl-ignore: blocked-agent for now
  2: Meera Joshi
  3: { for: Link, agent: Asha Rao, sms: link }
  "*": Front Desk
timeout: { destination: Front Desk }
tests:
  - { press: 1, in: shops/a }
  - { press: 2, reaches: Meera Joshi }
`,
  "ivrs/shops/_defaults.yaml": `name: Shop {{shop}}
description: A shop in {{city}}
recording: welcome
vars: { shop: none, spare: x }
# ivrctl-ignore: menu-too-long
options: { 1: Asha Rao, 2: "{{agent}}", 3: Front Desk }
timeout: { destination: { menu: main } }
`,
  "ivrs/shops/a.yaml": "vars: { shop: A, agent: Front Desk }\n",
  "ivrs/shops/b.yaml": "vars: { shop: B, agent: Ravi Kumar }\nmoved_from: shops/old\n",
  "ivrs/shops/a.test.yaml": "tests:\n  - { press: 2, reaches: '{{agent}}' }\n",
  "ivrs/two.yaml": `id: one\n${menu("One")}---\nid: two\n${menu("Two", "Ravi Kumar")}`,
};
type File = keyof typeof files;
const lines = Object.values(files).flatMap((text) => text.split("\n"));

const edit = fc.record({
  file: fc.constantFrom(...Object.keys(files).filter((name): name is File => name in files)),
  at: fc.nat(25),
  what: fc.oneof(
    fc.constant("delete" as const),
    fc.constant("undo" as const),
    fc.constantFrom(...lines).map((line) => ({ line })),
    fc.nat(30).map((cut) => ({ cut })),
  ),
});

const host = testHost();

async function problems(root: string, texts: TextFiles) {
  const globals = { env: undefined };
  const { diagnostics } = await loadProject(
    { root, globals, host, files: texts },
    { paths: [], agentsRequired: false, advice: "all", tests: true },
  );
  return diagnostics.map(({ source: _, related = [], ...problem }) => ({
    ...problem,
    related: related.map(({ message, at }) => [message, at.source.file, at.start, at.end]),
  }));
}

test("what is reused after an edit gives the same problems as reading everything again", async () => {
  const root = folder(files);
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
      const texts = new Map<string, string>(Object.entries(files));
      const reused = new TextFiles({}, new DiskFiles(root));
      await problems(root, reused);
      for (const { file, at, what } of edits) {
        const text = (texts.get(file) ?? "").split("\n");
        if (what === "delete") text.splice(at, 1);
        else if (what !== "undo" && "line" in what) text.splice(at, 0, what.line);
        else if (what !== "undo") text[at] = (text[at] ?? "").slice(0, what.cut);
        texts.set(file, what === "undo" ? files[file] : text.join("\n"));
        const fresh = new TextFiles({}, new DiskFiles(root));
        for (const each of [reused, fresh]) each.replace(new Map(texts));
        expect(await problems(root, reused)).toEqual(await problems(root, fresh));
      }
    }),
    { numRuns: runs(50) },
  );
});

test("an unsaved file counts, and an unsaved text replaces its file", async () => {
  const root = folder({ ...files, "ivrs/two.yaml": "name: [" });
  const unsaved = new TextFiles({}, new DiskFiles(root));
  const about = async (file: string) =>
    (await problems(root, unsaved))
      .filter((problem) => problem.file === file && problem.severity !== "info")
      .map(({ code }) => code);
  expect(await about("ivrs/two.yaml")).toEqual(["IVR101"]);
  const open = { "ivrs/two.yaml": menu("Two"), "ivrs/shops/new.yaml": menu("Main in Thane") };
  unsaved.replace(new Map(Object.entries({ ...open, "ivrs/shops/notes.txt": "not a menu" })));
  expect(await about("ivrs/two.yaml")).toEqual([]);
  unsaved.replace(new Map(Object.entries({ ...open, "ivrs/new/folder/a.yaml": "name: [" })));
  expect(await about("ivrs/shops/new.yaml")).toContain("IVR213");
  expect(await about("ivrs/new/folder/a.yaml")).toEqual(["IVR101"]);
  unsaved.replace(new Map());
  expect(await about("ivrs/two.yaml")).toEqual(["IVR101"]);
  expect(await about("ivrs/shops/new.yaml")).toEqual([]);
});

test("an unsaved text that is too large is refused like a file", async () => {
  const root = folder(files);
  const unsaved = new TextFiles({}, new DiskFiles(root));
  unsaved.replace(new Map([["ivrs/two.yaml", "#".repeat(20_000_000)]]));
  const found = (await problems(root, unsaved)).filter(({ file }) => file === "ivrs/two.yaml");
  expect(found.map(({ code }) => code)).toEqual(["IVR130"]);
});
