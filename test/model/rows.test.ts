import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type OwnKind, ownKinds } from "../../src/schema/destination-kinds.ts";
import { type Field, rows } from "../../src/schema/fields.ts";
import { applied } from "../support/applied.ts";
import { startEditor } from "../support/editor.ts";
import { importText } from "../support/import.ts";
import { menu } from "../support/project.ts";

/* Every row of the table of fields, from the file to the request, the list, and back into a file. */

type Tree = { [name: string]: Tree | string | number };

/** Two values of each kind: in a menu, and as somebody changes it. */
const values: Record<Field["is"], readonly [Tree | string, Tree | string]> = {
  text: ["One", "Two"],
  count: ["2", "3"],
  number: ["2", "3"],
  recording: ["101", "102"],
  destination: ["Asha Rao", "Front Desk"],
  sms: ["77", "78"],
  keys: [{}, { 5: "Asha Rao" }],
};

/** The place of a row in a file, with key 1 for its options. */
function placeOf(path: string): string[] {
  return path === "options.*" ? ["options", "1", "agent"] : path.replace("*", "1").split(".");
}

/** The menu in a file: with every field, except that one has its other value, or is left out. */
function fileWith(row?: string, change: "changed" | "left out" = "changed"): string {
  const file: Tree = {};
  for (const [path, { is }] of rows) {
    const isIt = path === row;
    if (isIt && change === "left out") continue;
    const place = placeOf(path);
    const name = place.pop() ?? "";
    let around = file;
    for (const step of place) around = (around[step] ??= {}) as Tree;
    const value = values[is][isIt ? 1 : 0];
    around[name] = typeof value === "string" ? value : { ...(around[name] as Tree), ...value };
  }
  return JSON.stringify(file);
}

/** The path of a row in a difference. Another option is the second one. */
function pathOf(row: string): (string | number)[] {
  const [part, key, name = "destination"] = row.split(".");
  return part === "options" ? ["options", key === "*" ? 0 : 1, name] : row.split(".");
}

interface Difference {
  readonly path: readonly (string | number)[];
  readonly key?: string;
  readonly before: unknown;
  readonly after: unknown;
}
interface Change {
  readonly before: object;
  readonly after: object;
  readonly diff: readonly Difference[];
  readonly drift?: readonly Difference[];
}

/** What jq prints for `getpath`. */
function getpath(json: object, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Tree | undefined)?.[name] ?? null, json);
}

/** A project whose menu is on the service as this text says. */
async function appliedAs(text: string) {
  const project = await applied({ full: menu("Full") });
  const config = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
  project.write("ivrctl.yaml", `${config}sms_templates_enabled: true\n`);
  const compiled = async (written: string) => {
    project.write("ivrs/full.yaml", written);
    return JSON.parse((await project.run("compile")).stdout).full;
  };
  /** The paths of what a plan changes: in the file, or back because of a change on the console. */
  const planned = async (written: string): Promise<Difference["path"][]> => {
    project.write("ivrs/full.yaml", written);
    const changes: Change[] = (await project.json("plan")).value.changes;
    for (const { before, after, diff, drift = [] } of changes) {
      for (const { path, after: value, before: was } of diff) {
        const [menu, shown] = value === null ? [before, was] : [after, value];
        expect(getpath(menu, path)).toEqual(shown);
      }
      for (const { path, before: was } of drift) expect(getpath(before, path)).toEqual(was);
    }
    return changes.flatMap(({ diff, drift = [] }) => [...diff, ...drift].map(({ path }) => path));
  };
  await project.run("agents", "pull");
  project.write("ivrs/full.yaml", text);
  const { exit } = await project.run("apply", "--auto-approve");
  return { ...project, compiled, planned, exit };
}

test("each row is compiled, planned, listed, seen if it changes, and imported", async () => {
  const project = await appliedAs(fileWith());
  expect(project.exit).toBe(0);
  const sent = await project.compiled(fileWith());
  for (const [row, { wire, optional, listed }] of rows) {
    const other = await project.compiled(fileWith(row));
    const isOther = (name: string) => JSON.stringify(sent[name]) !== JSON.stringify(other[name]);
    expect(Object.keys(sent).filter(isOther)).toContain(wire);
    expect(await project.planned(fileWith(row))).toEqual([pathOf(row)]);
    expect(await project.planned(fileWith())).toEqual([]);

    // Somebody changes it on the console, and sets it where no file does.
    const isListed = listed !== undefined || row.startsWith("options");
    project.onConsole({ update: 1, payload: other });
    expect(await project.planned(fileWith())).toEqual(isListed ? [pathOf(row)] : []);
    project.onConsole({ update: 1, payload: sent });
    if (optional && isListed) {
      const less = await appliedAs(fileWith(row, "left out"));
      less.onConsole({ update: 1, payload: other });
      expect(await less.planned(fileWith(row, "left out"))).toEqual([pathOf(row)]);
    }

    // The file that import writes is the same menu.
    const config = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
    const { menus, faults } = importText(JSON.stringify(other), { config });
    expect(faults).toEqual([]);
    expect(await project.compiled(menus[0]?.text ?? "")).toEqual(other);
  }
});

/** Custom rules, each of which reports what it gets for a row. */
const ruleForRows = `const check = (row) => (menu, { report }) => {
  const { options: [{ key, destination, sms }] } = menu;
  const parts = { ...menu, options: key, "options.*": destination, "options.*.sms": sms };
  report({ at: menu.at, message: row + " is " + JSON.stringify(parts[row]) });
};
const names = ${JSON.stringify(rows.map(([row]) => row))};
const rules = Object.fromEntries(names.map((row, at) => ["row-" + at, { check: check(row) }]));
export default { name: "p", rules };`;

test("each row is shown, in the schema, checked by custom rules, and offered by editors", async () => {
  const project = await appliedAs(fileWith());
  const { menu: shown } = (await project.json("show", "full")).value;
  const { stdout: schema } = await project.run("schema", "menu");
  project.write("rules/p.mjs", ruleForRows);
  const config = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
  const plugin = "rules: { plugins: [./rules/p.mjs] }";
  project.write("ivrctl.yaml", config.replace(/^rules: .*/m, plugin));
  const { diagnostics } = (await project.json("validate")).value;
  const said: string[] = diagnostics.map(({ message }: Reported) => message);
  const editor = await startEditor(project.path);
  const file = JSON.parse(fileWith());
  // The options are a list, and counts are numbers.
  const options = Object.entries<object>(file.options).map(([key, to]) => ({ key, ...to }));
  for (const [row, { is, about }] of rows) {
    const place = placeOf(row);
    const expected = row === "options" ? options : getpath(file, place);
    const listed = place.map((step, at) => (at === 1 && place[0] === "options" ? 0 : step));
    const isNumber = is === "count" || is === "number";
    expect([row, getpath(shown, listed)]).toEqual([row, isNumber ? Number(expected) : expected]);
    expect(schema).toContain(JSON.stringify(about));
    const [first] = values[is];
    const value = `"${typeof first === "string" ? first : "1"}"`;
    expect(said.find((message) => message.startsWith(`${row} is `))).toContain(value);

    const name = place.at(-1) ?? "";
    const around = place.slice(0, -1).map((section, at) => `${"  ".repeat(at)}${section}:\n`);
    const text = `${around.join("")}${"  ".repeat(place.length - 1)}¦`;
    const offered = await editor.complete("ivrs/new.yaml", text);
    expect(offered.map(({ label }) => label)).toContain(name);
  }
});

interface Reported {
  readonly message: string;
}

test.each(Object.entries<OwnKind>(ownKinds))("destinations of the kind %s", async (name, kind) => {
  const { about, onlyId = "7", words, nobodyAnswers, ends } = kind;
  const value = kind.onlyId === undefined ? onlyId : true;
  const full = JSON.parse(fileWith());
  const file = JSON.stringify({ ...full, options: { 1: { [name]: value } } });
  const project = await appliedAs(fileWith());
  const sent = await project.compiled(file);
  expect(sent.destination).toEqual([`${name}||${onlyId}`]);
  expect(await project.planned(file)).toEqual([pathOf("options.*"), pathOf("options.*.sms")]);
  project.onConsole({ update: 1, payload: sent });
  expect(await project.planned(fileWith())).toEqual([pathOf("options.*"), pathOf("options.*.sms")]);
  expect(await project.planned(file)).toEqual([]);

  const config = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
  const { menus } = importText(JSON.stringify(sent), { config });
  expect(menus[0]?.text).toContain(`${name}: ${JSON.stringify(value)}`);
  expect(await project.compiled(menus[0]?.text ?? "")).toEqual(sent);

  const to = { [name]: value };
  const [invalid, timeout] = [full.invalid, full.timeout].map((part) => ({
    ...part,
    destination: to,
  }));
  project.write("ivrs/full.yaml", JSON.stringify({ ...JSON.parse(file), invalid, timeout }));
  const shown = (await project.json("show", "full")).value.menu.options[0];
  expect(shown).toEqual({ key: "1", ...to });
  expect((await project.run("call", "full", "--press", "1")).stdout).toContain(ends ?? words);
  const rules = JSON.stringify((await project.json("validate")).value.diagnostics);
  expect(rules.includes("IVR715")).toBe(nobodyAnswers === true);
  expect((await project.run("schema", "menu")).stdout).toContain(JSON.stringify(about));
  const editor = await startEditor(project.path);
  const offered = await editor.complete("ivrs/new.yaml", "options:\n  1:\n    ¦");
  expect(offered.map(({ label }) => label)).toContain(name);
});
