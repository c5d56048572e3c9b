import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { plainExports } from "../../build/plain-exports.ts";

/** A chunk that gives these to another, as it is built. */
async function built(code: string, ...names: string[]): Promise<string> {
  const files: Record<string, string> = {
    a: `import { ${names.join(", ")} } from "own"; console.log(${names.join(", ")}); import("b");`,
    b: `import { ${names.join(", ")} } from "own"; console.log(${names.join(", ")});`,
    own: code,
  };
  const bundle = await rolldown({
    input: "a",
    plugins: [
      {
        name: "files",
        resolveId: (id) => (id in files ? id : null),
        load: (id) => files[id] ?? null,
      },
      plainExports(),
    ],
  });
  const { output } = await bundle.generate({
    format: "cjs",
    topLevelVar: true,
    codeSplitting: { groups: [{ name: "own", test: /^own$/ }] },
  });
  await bundle.close();
  return output
    .flatMap((one) => (one.type === "chunk" && one.name === "own" ? one.code : []))
    .join("");
}

test("functions, classes and constants are given as they are", async () => {
  const code = await built(
    "export function a() {} export class B {} export const c = Math.random();",
    "a",
    "B",
    "c",
  );
  expect(code.match(/^exports\.\w+ = \w+;$/gm)).toHaveLength(3);
  expect(code).not.toContain("get: function");
});

test.each([
  ["assigned", "export let one = 1; export const set = () => { one = 2; };"],
  ["counted", "export let one = 1; export const set = () => { one++; };"],
  ["added to", "export let one = 1; export const set = () => { one += 2; };"],
  ["set where it was nothing", "export let one = 1; export const set = () => { one ??= 2; };"],
  ["declared only", "export let one; export const set = () => { one = 2; };"],
])("what is %s later is looked up", async (_, text) => {
  const code = await built(text, "one", "set");
  expect(code).toContain("return one;");
  expect(code).toMatch(/^exports\.\w+ = set;$/m);
});
