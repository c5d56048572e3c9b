import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { startEditor } from "../support/editor.ts";

const file = "ivrs/example.yaml";
const text = `name: Front desk
description: First menu
recording: Welcome IVR
options:
  1: { for: Sales, agent: Asha Rao }
  2: { for: Night, to: night shift }
  3: { for: Bills, to: Billing }
invalid: { retries: 2, recording: "19550", destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: "19551", recording: "19552", destination: { to: night shift } }
`;
const config = `version: 1
default_environment: a
destinations: { night shift: { kind: timegroup, id: "12" } }
environments: { a: { service: sandbox } }
`;

/** An editor with names that the service lists, and aliases of destinations. */
async function start() {
  const root = exampleProject({ "ivrctl.yaml": config, [file]: text });
  const list: object = JSON.parse(readFileSync(join(root, "agents.lock.json"), "utf8"));
  const names = {
    recordings: [
      { id: "19549", name: "Welcome IVR" },
      { id: "19550", name: "Wrong key" },
    ],
    departments: [{ id: "31", name: "Billing" }],
  };
  const editor = await startEditor(root);
  await editor.type("agents.lock.json", JSON.stringify({ ...list, ...names }));
  return editor;
}
const at = (part: string) => text.replace(part, `${part}¦`);

describe("names for ids in an editor", () => {
  test("complete: recordings of the service, aliases of destinations and departments", async () => {
    const editor = await start();
    const labels = async (written: string) =>
      (await editor.complete(file, written)).map(({ label, detail }) => [label, detail]);
    expect(await labels(text.replace("Welcome IVR", "¦"))).toEqual([
      ["Welcome IVR", ""],
      ["Wrong key", ""],
    ]);
    expect(await labels(text.replace("to: night shift", "to: ¦"))).toEqual([
      ["night shift", "timegroup 12"],
      ["Billing", "department 31"],
    ]);
  });

  test("explain themselves, and lead to their alias", async () => {
    const editor = await start();
    expect(await editor.hover(file, at("Welcome"))).toBe("Recording Welcome IVR (id 19549)");
    expect(await editor.hover(file, at("to: night"))).toBe("night shift (timegroup 12)");
    expect(await editor.hover(file, at("to: Bill"))).toBe("Billing (department 31)");
    expect(await editor.definition(file, at("to: night"))).toBe("ivrctl.yaml:2:16");
  });

  test("of the files can be renamed, and those of the service cannot", async () => {
    const editor = await start();
    const { edit } = await editor.rename(file, at("to: night"), "late: desk");
    const texts = Object.values(edit?.changes ?? {}).map((own) => own.map((one) => one.newText));
    expect(texts).toEqual([['"late: desk"', '"late: desk"'], ['"late: desk"']]);
    await expect(editor.rename(file, at("Welcome"), "Hello")).rejects.toThrow(
      "its name on the service",
    );
  });

  test("replace an id with a quick fix", async () => {
    const editor = await start();
    const [recording] = await editor.fixes(file, at('recording: "195'));
    expect(recording?.text).toBe(text.replace('"19550"', "Wrong key"));
    const ids = text.replace("to: Billing", "kind: department, id: 31");
    const [department] = await editor.fixes(file, ids.replace("id: 31", "id: 3¦1"));
    expect(department?.text).toBe(text);
  });
});
