import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Situation, planOf } from "./world.ts";

// Cases of the documentation and of the transcripts: what is decided, and what holds it back. world.ts
// describes the words.
const groups = readFileSync(join(import.meta.dirname, "cases.txt"), "utf8")
  .split(/^# /m)
  .slice(1);

describe.each(groups.map((group) => group.split(/\n\n+/)))("%s", (_, ...cases) => {
  test.each(cases.map(read))("%s", (__, situation, plan) => {
    expect(planOf(situation)).toBe(plan);
  });
});

function read(text: string): [name: string, situation: Situation, plan: string] {
  const [name = "", ...lines] = text.trim().split("\n");
  const { plan = "", ...situation } = Object.fromEntries(
    lines.map((line) => [line.trim().split(" ", 1)[0], line.slice(10)]),
  );
  return [name, situation, plan];
}
