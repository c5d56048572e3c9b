import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/json.md"), "utf8");

test.each([
  "plan",
  "diff",
  "apply",
  "state-list",
  "state-show",
  "state-history",
  "agents-uses",
  "test",
])("docs/json.md names every field of %s-output", async (name) => {
  const { stdout } = await ivrctl(["schema", `${name}-output`]);
  const { anyOf, definitions } = JSON.parse(stdout);
  const { change, result, matter, recorded, difference, use, caller } = definitions;
  const parts = [change, result, matter, recorded, difference, use, caller];
  const documents = anyOf.map((one: { $ref?: string }) => resolved(one, definitions));
  const fields = [...documents, ...parts].flatMap((one) => Object.keys(one?.properties ?? {}));
  expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(page))).toEqual([]);
});

function resolved({ $ref, ...rest }: { $ref?: string }, definitions: Record<string, object>) {
  return $ref === undefined ? rest : definitions[$ref.split("/").at(-1) ?? ""];
}
