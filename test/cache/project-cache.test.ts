import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Packs, ProjectCache } from "../../src/cache/project-cache.ts";
import { pack, unpack } from "../../src/cache/pack.ts";
import { Agents } from "../../src/compile/agents.ts";
import { type ProjectTexts, compileProject } from "../../src/compile/project.ts";
import { readAgentList } from "../../src/compile/read/agent-list.ts";
import { noPlugins } from "../../src/compile/rules/settings.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { menu } from "../support/project.ts";

const list = readFileSync(join(import.meta.dirname, "../cases/_common/agents.json"), "utf8");
const config = (more = "") => `version: 1
default_environment: test
${more}
environments:
  test: { service: sandbox }
  other: { service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" } }
`;

/** Packs in memory, whoever reads and writes them. */
class Shelf implements Packs {
  readonly packs = new Map<string, Buffer>();
  writes = 0;

  read(name: string): Buffer | undefined {
    return this.packs.get(name);
  }

  write(name: string, parts: readonly Buffer[]): void {
    this.writes += 1;
    this.packs.set(name, Buffer.concat(parts));
  }

  /** Every word that was kept is another from now on. */
  lie(word: string, instead: string): void {
    for (const [name, bytes] of this.packs) {
      const found = unpack(bytes);
      if (found === undefined) throw new Error("no pack");
      const pieces = new Map(
        [...found.pieces].map(([id, piece]) => [
          id,
          Buffer.from(piece.toString().replaceAll(word, instead)),
        ]),
      );
      this.packs.set(name, Buffer.concat(pack({ head: found.head, pieces })));
    }
  }
}

interface Changes {
  readonly config?: string;
  readonly menus?: readonly Source[];
  readonly agents?: ProjectTexts["agents"];
  readonly environment?: string;
  readonly variables?: Record<string, string>;
  readonly notes?: boolean;
  readonly build?: string;
}

/** The names of the menus, as far as the shelf is believed. */
function names(shelf: Shelf, changes: Changes = {}): (string | undefined)[] {
  const cache = new ProjectCache(shelf, changes.build ?? "1");
  const { menus } = compileProject({
    config: new Source("ivrctl.yaml", changes.config ?? config()),
    menus: changes.menus ?? [new Source("ivrs/a.yaml", menu("Desk"))],
    agents: "agents" in changes ? changes.agents : new Source("agents.json", list),
    environment: changes.environment,
    variables: changes.variables ?? {},
    rules: { plugins: noPlugins, notes: changes.notes ?? true, allMenus: true },
    cache,
  });
  cache.save();
  return menus.map(({ result, name }) => result?.payload.name ?? name);
}

function lying(): Shelf {
  const shelf = new Shelf();
  expect(names(shelf)).toEqual(["Desk"]);
  shelf.lie("Desk", "Lies");
  return shelf;
}

test("what is known is believed where nothing has changed, and written once", () => {
  const shelf = lying();
  expect(names(shelf)).toEqual(["Lies"]);
  expect(shelf.writes).toBe(1);
});

const desk = menu("Desk");
test.each<[string, Changes]>([
  ["the menu's text", { menus: [new Source("ivrs/a.yaml", `${desk}# more\n`)] }],
  ["the menu's place", { menus: [new Source("ivrs/b.yaml", desk)] }],
  ["the configuration", { config: config("max_creates: 5") }],
  ["the environment", { environment: "other" }],
  ["the environment by its variable", { variables: { IVRCTL_ENV: "other" } }],
  ["the text of the agent list", { agents: new Source("agents.json", `${list} `) }],
  ["that there is a list", { agents: undefined }],
  ["which notes are wanted", { notes: false }],
  ["ivrctl itself", { build: "2" }],
])("nothing is believed that was found out before a change of %s", (_, changes) => {
  const shelf = lying();
  expect(names(shelf, changes)).toEqual(["Desk"]);
  // It is believed from now on, each for itself.
  expect(names(shelf, changes)).toEqual(["Desk"]);
});

test("a list from elsewhere is known by everything in it", () => {
  const agents = readAgentList(new Source("agents.json", list), new Diagnostics());
  const shelf = new Shelf();
  expect(names(shelf, { agents })).toEqual(["Desk"]);
  shelf.lie("Desk", "Lies");
  expect(names(shelf, { agents: new Agents([...(agents?.list ?? [])]) })).toEqual(["Lies"]);
  const [first, ...rest] = agents?.list ?? [];
  const other = new Agents([{ ...first, blocked: true }, ...rest]);
  expect(names(shelf, { agents: other })).toEqual(["Desk"]);
});

test("one file changed: the others are believed, it is not", () => {
  const shelf = new Shelf();
  const two = (more: string) => [
    new Source("ivrs/a.yaml", menu("Desk")),
    new Source("ivrs/b.yaml", menu("Desk 2", "Asha Rao", more)),
  ];
  names(shelf, { menus: two("") });
  shelf.lie("Desk", "Lies");
  expect(names(shelf, { menus: two("# more") })).toEqual(["Lies", "Desk 2"]);
  expect(names(shelf, { menus: two("# more") })).toEqual(["Lies", "Desk 2"]);
  // What no file says any more is not kept.
  const kept = [...shelf.packs.values()].flatMap((bytes) => [
    ...(unpack(bytes)?.pieces.keys() ?? []),
  ]);
  const texts = new Set(kept.map((id) => id.split(" ")[0]));
  expect(texts.size).toBe(2);
});

test.each([
  ["names nobody", menu("Desk", "Nobody Atall")],
  ["cannot be read", "name: [\n"],
  ["is empty", "# nothing\n"],
  ["is no menu", "- a list\n"],
  ["is one of two, the other of which cannot be read", `id: x\n${desk}---\nname: [\n`],
  ["has a field too many", `${desk}nmae: x\n`],
])("a file that %s is looked at anew each time", (_, text) => {
  const shelf = new Shelf();
  names(shelf, { menus: [new Source("ivrs/a.yaml", text)] });
  expect(shelf.writes).toBe(0);
});

test("records that do not fit are as good as none", () => {
  for (const [word, instead] of [
    ['"numbers":[', '"numbers":[3,'],
    ['"words":["', '"words":["x","'],
    ["500101", "500102"],
    ['"tape"', '"paper"'],
  ] as const) {
    const shelf = new Shelf();
    names(shelf);
    shelf.lie(word, instead);
    expect(names(shelf)).toEqual(["Desk"]);
  }
});

test("where menus depend on a variable nothing is kept, not even a digest of it", () => {
  const shelf = new Shelf();
  const secret = { config: config('defaults: { owner: "${OWNER}" }'), variables: { OWNER: "me" } };
  names(shelf, secret);
  expect(shelf.packs.size).toBe(0);
});

test("variables of services are nothing that menus depend on, and are not kept", () => {
  const shelf = new Shelf();
  names(shelf, { environment: "other", variables: { BASE_URL: "https://x.test", TOKEN: "t0p" } });
  const kept = [...shelf.packs].flat().join("\n");
  expect(kept).toContain("Desk");
  expect(kept).not.toMatch(/t0p|x\.test/);
});

test("a list that is at fault is told each time", () => {
  const shelf = new Shelf();
  names(shelf, { agents: new Source("agents.json", "[{]") });
  expect(shelf.packs.size).toBe(0);
});
