import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

/** What `validate` reports about variables and agents in a project with these files. */
async function validate(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const cwd = exampleProject(files);
  const { stdout } = await ivrctl(["validate", "--format", "json", ...flags], { cwd });
  const { diagnostics } = JSON.parse(stdout);
  return diagnostics.filter(({ code }: { code: string }) => /130|21[789]|301/.test(code));
}

const names = Array.from({ length: 200 }, (_, number) => `ivrs/hotels/h${number}.yaml`);

test("a misspelled variable in defaults of 200 menus is one problem", async () => {
  const hotels = names.map((file, number) => [file, `vars: { city: City ${number} }\n`]);
  const found = await validate({
    "ivrs/hotels/_defaults.yaml": `vars: { title: "Hotel {{ctiy}}" }\n${menu("'{{title}}'")}`,
    ...Object.fromEntries(hotels),
  });
  expect(found).toMatchObject([
    { code: "IVR217", file: "ivrs/hotels/_defaults.yaml", line: 1, column: 23 },
  ]);
});

test("a circle is one problem at one place, whatever variable each menu uses", async () => {
  const hotels = names.map((file, number) => [
    file,
    `name: Hotel ${number}\nowner: "{{${["a", "b", "c"][number % 3]}}}"\n`,
  ]);
  const found = await validate({
    "ivrs/hotels/_defaults.yaml": menu(
      "x",
      "Asha Rao",
      `vars:\n  b: "{{c}}"\n  a: "{{b}}"\n  c: "{{a}}"\n`,
    ),
    ...Object.fromEntries(hotels),
  });
  expect(found).toMatchObject([
    { code: "IVR218", file: "ivrs/hotels/_defaults.yaml", line: 10, column: 6 },
  ]);
});

test("variables of an environment get those of each menu, there only", async () => {
  const files = {
    "ivrctl.yaml": `version: 1
vars: { night: Asha Rao }
environments:
  one: { service: sandbox, vars: { night: "{{first}} Rao" } }
  two: { service: sandbox }
`,
    "ivrs/hotel.yaml": `vars: { first: Asah }\n${menu("Hotel", "'{{night}}'")}`,
  };
  expect(await validate(files, "--env", "one")).toMatchObject([
    { code: "IVR301", file: "ivrs/hotel.yaml", line: 5, column: 15 },
  ]);
  expect(await validate(files, "--env", "two")).toMatchObject([
    { code: "IVR219", file: "ivrs/hotel.yaml", line: 1, column: 9 },
  ]);
});

/** `vars:` with as many variables as wanted, each on its own line. */
const manyVars = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `  ${text(at)}\n`).join("");

test.each([
  [64, []],
  [65, [{ code: "IVR130", line: 65 }]],
])("%i variables can be inside each other", async (count, problems) => {
  const chain = manyVars(count - 1, (at) => `v${at}: "{{v${at + 1}}}"`);
  const vars = `vars:\n${chain}  v${count - 1}: Asha Rao\n`;
  expect(await validate({ "ivrs/hotel.yaml": vars + menu("Hotel", "'{{v0}}'") })).toMatchObject(
    problems,
  );
});

test.each([
  ["50,000 characters 6 times, at 3 levels", 50_000, 6, 0, []],
  ["50,000 characters 7 times, at 3 levels", 50_000, 7, 0, [{ code: "IVR130" }]],
  ["no characters from 1,000,000 places", 0, 1_000, 1_000, [{ code: "IVR130" }]],
])("variables add a limited amount of text: %s", async (_, length, uses, places, problems) => {
  const list = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `{{${name}${at}}}`).join("");
  const vars = [
    `vars:\n  all: "${list("use", uses)}"\n`,
    manyVars(uses, (at) => `use${at}: "{{long}}"`),
    `  long: "${"x".repeat(length)}${list("empty", places)}"\n`,
    manyVars(places, (at) => `empty${at}: ""`),
  ];
  const files = { "ivrs/hotel.yaml": `${vars.join("")}owner: "{{all}}"\n${menu("Hotel")}` };
  expect(await validate(files)).toMatchObject(problems);
});
