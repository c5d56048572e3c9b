import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { outputNames, outputSchema, outputs } from "../../src/schema/output/index.ts";
import { Failure } from "../../src/schema/output/shared-fields.ts";
import { toJson } from "../../src/views/json.ts";
import { menu } from "../support/project.ts";
import { replaced } from "../support/state.ts";
import { strictAjv } from "../support/strict-ajv.ts";

const fileOf = (name: string) => join(import.meta.dirname, `../../schema/${name}.schema.json`);

test.each(outputNames)(
  "the schema %s is the committed one; `npm run update` writes it again",
  async (name) => {
    await expect(toJson(outputSchema(name))).toMatchFileSnapshot(fileOf(name));
  },
);

// Every test checks the output of these commands with the zod schemas, which refuse other fields. The
// published schemas accept them, because later versions may add fields.
describe("a published schema", () => {
  test.each([
    ["validate-output", ["validate"]],
    ["agents-uses-output", ["agents", "uses", "Front Desk"]],
    ["test-output", ["test", "--coverage"]],
    ["plan-output", ["plan"]],
    ["plan-output", ["plan", "--max-creates", "many"]],
    ["apply-output", ["apply", "--auto-approve"]],
    ["state-list-output", ["state", "list"]],
    ["state-show-output", ["state", "show", "night", "sales"]],
    ["state-history-output", ["state", "history"]],
  ])("%s accepts what ivrctl %j prints, also with a new field", async (name, args) => {
    const { json, run, remove, write } = await replaced();
    remove("ivrs/sales.yaml");
    write("ivrs/night.yaml", menu("Night", "Front Desk", 'tests: [{ press: 1, hears: ["10"] }]'));
    if (args[0] === "validate") write("ivrs/broken.yaml", "nme: x\n");
    await run("agents", "pull");
    const { value } = await json(...args);
    const known = outputNames.find((one) => one === name) ?? expect.unreachable();
    const validate = strictAjv().compile(outputSchema(known));
    expect([validate(value), validate.errors]).toEqual([true, null]);
    const strict = z.union([outputs[known], Failure]);
    const unnamed = withOneMoreField(value).filter((one) => !strict.safeParse(one).success);
    expect(unnamed).toContainEqual({ ...value, more: "" });
    expect(unnamed.filter((one) => !validate(one))).toEqual([]);
  });
});

/** Copies of a value, each with a new field in a different object. */
function withOneMoreField(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    withOneMoreField(part).map((changed) =>
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
    ),
  );
  return Array.isArray(value) ? inner : [{ ...value, more: "" }, ...inner];
}
