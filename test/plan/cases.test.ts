import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Situation, planOf } from "./world.ts";

// Cases of the documentation and of the transcripts: what is decided, and what holds it back. world.ts
// describes the words. Lines before the first case of a group belong to each of its cases without such a line.
const groups = readFileSync(join(import.meta.dirname, "cases.txt"), "utf8")
  .split(/^# /m)
  .slice(1);

describe.each(groups.map((group) => group.trimEnd().split(/\n\n+/)))("%s", (_, ...blocks) => {
  const shared = blocks[0]?.startsWith(" ") ? fields(blocks.shift()?.split("\n") ?? []) : {};
  const cases = blocks.map((block) => {
    const [name = "", ...lines] = block.split("\n");
    return [name, { ...shared, ...fields(lines) }] as const;
  });

  test.each(cases)("%s", (__, { plan = "", ...situation }) => {
    expect(planOf(situation)).toBe(plan);
  });
});

function fields(lines: readonly string[]): Situation & { readonly plan?: string } {
  return Object.fromEntries(lines.map((line) => [line.trim().split(" ", 1)[0], line.slice(10)]));
}
