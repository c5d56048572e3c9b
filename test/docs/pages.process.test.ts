import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { rules } from "../../src/rules/built-in/index.ts";
import { certificate } from "../support/certificate.ts";
import { exampleProject, pathWithIvrctl, start } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { plainWords } from "../support/story-page.ts";
import { listen } from "../support/listen.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Returns the lines of the shell examples of a page. */
function shellLines(page: string): string[] {
  return [...read(page).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, lines = ""]) =>
    lines.split("\n").filter((line) => line.trim() !== ""),
  );
}

/** Pages that need a server or that are tested as one story, so they have their own tests. */
const ownTests = new Set([
  "docs/sandbox.md",
  "docs/getting-started.md",
  "docs/many-menus.md",
  "docs/menu-flows.md",
  "docs/unknown-outcomes.md",
  "docs/roll-back.md",
]);
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md") && !ownTests.has(name));
const examples = pages.flatMap((page) =>
  shellLines(page)
    .filter((line) => /(?:^|\s)ivrctl /.test(line))
    .map((line) => [page, line] as const),
);

/** Starts a service with the agents of the example. Returns its address and certificate. */
async function secureService() {
  const { key, cert } = certificate();
  // ivrctl also accepts the field names of agents.lock.json from a service.
  const staff = JSON.stringify(JSON.parse(read("agents.lock.json")).agents);
  const server = createServer({ key, cert }, (_, response) => void response.end(staff));
  const port = await listen(server);
  return { url: `https://localhost:${port}`, cert };
}

/** Runs a line in a shell with the built command. */
async function inShell(line: string, cwd: string) {
  const env: Record<string, string> = { PATH: pathWithIvrctl() };
  if (line.includes("company-ca.pem")) {
    const { url, cert } = await secureService();
    writeFileSync(join(cwd, "company-ca.pem"), cert);
    Object.assign(env, { TELEPHONY_BASE_URL: url, TELEPHONY_TOKEN: "t" });
  }
  return start("sh", ["-c", line], { cwd, env }).finished;
}

describe("every command shown in the docs works as written", () => {
  test.each(examples)("%s: %s", async (_, line) => {
    const cwd = exampleProject();
    renameSync(join(cwd, "ivrs/example.yaml"), join(cwd, "ivrs/front-desk.yaml"));
    // The example project does not have the operations that this command needs.
    if (line.startsWith("ivrctl numbers") || line.includes(" live")) {
      const file = join(cwd, "ivrctl.yaml");
      const text = readFileSync(file, "utf8");
      writeFileSync(
        file,
        text.replace("service: sandbox", "service: sandbox\n    operations: [list, numbers]"),
      );
    }
    if (line.includes(" live")) await ivrctl(["apply", "--auto-approve"], { cwd });
    // The shell that writes a file needs no test.
    const plain = line
      .replace(/ > [\w.-]+$/, "")
      .split(" && ")
      .map(plainWords);
    const inProcess = plain.every((words) => words !== undefined);
    for (const ran of inProcess
      ? plain.map((words) => () => ivrctl(words, { cwd }))
      : [() => inShell(line, cwd)]) {
      const { exit, stderr } = await ran();
      expect({ exit, stderr }).toMatchObject({ exit: 0 });
    }
  });
});

describe("the README", () => {
  test("starts with the setup command and the test command", () => {
    const [first, second] = shellLines("README.md");
    expect(first).toContain("npm ci --silent && npm run --silent build && ");
    expect(second).toBe("npm ci && npm test");
    expect(read(".ci/run")).toContain(`\n${second}\n`);
  });

  test("shows a valid menu, and what a change of it prints", async () => {
    const page = read("README.md");
    const menu = /^```yaml\n(.*?)^```/ms.exec(page)?.[1] ?? "";
    const session = /^```text\n(.*?)^```/ms.exec(page)?.[1] ?? "";
    const validate = async (text: string) => {
      const cwd = exampleProject({ "ivrs/front-desk.yaml": text });
      rmSync(join(cwd, "ivrs/example.yaml"));
      const { exit, stdout } = await ivrctl(["validate", "--quiet"], { cwd });
      return { cwd, exit, said: stdout };
    };
    const { cwd, ...valid } = await validate(menu);
    expect(valid).toEqual({ exit: 0, said: "" });
    expect(await ivrctl(["apply", "--auto-approve"], { cwd })).toMatchObject({ exit: 0 });
    const [edit = ""] = /sed .*/.exec(session) ?? [];
    await start("sh", ["-c", edit], { cwd, env: {} }).finished;
    expect(await ivrctl(["test"], { cwd })).toMatchObject({ exit: 1 });
    const planned = (await ivrctl(["plan"], { cwd })).stdout;
    const { stdout, stderr } = await ivrctl(["apply", "--auto-approve"], { cwd });
    for (const line of session.split("\n").filter((one) => !/^\$|^Apply to|^$/.test(one))) {
      expect(planned + stdout + stderr).toContain(line);
    }
    const wrong = menu.replace("{ for: Billing, agent: Ravi Kumar, team: Billing }", "Ravi Kumar");
    expect((await validate(wrong)).said).toContain("2 agents have the name Ravi Kumar");
    const complete = /^```yaml\n(.*?)^```/ms.exec(read("docs/menus.md"))?.[1] ?? "";
    expect(await validate(complete)).toMatchObject({ exit: 0, said: "" });
  });

  test("links only to pages and headings that exist", () => {
    const all = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
    const top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    for (const page of [...top, ...all.map((name) => `docs/${name}`)]) {
      if (!page.endsWith(".md")) continue;
      for (const [, target = "", heading] of withoutCode(page).matchAll(link)) {
        const linked = target === "" ? page : join(dirname(page), target);
        // The package has these pages without the rest of the repository.
        const isPacked = page.startsWith("docs/") || page === "README.md";
        if (isPacked) expect(linked).toMatch(/^(?:docs\/|README\.md$|CHANGELOG\.md$)/);
        expect(() => read(linked)).not.toThrow();
        if (heading !== undefined) expect(anchors(linked), `${page}: ${target}`).toContain(heading);
      }
    }
  });
});

/** A link to a file, to a heading, or both. */
const link = /\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g;

function withoutCode(page: string): string {
  return read(page).replaceAll(/^ *```.*?^ *```/gms, "");
}

/** The anchors that GitHub gives the headings of a page. */
function anchors(page: string): string[] {
  const titles = [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
  // `npm run update` writes this page at the same time.
  if (page === "docs/rules.md") titles.push(...rules.map(({ name }) => name));
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
