import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { matterKinds } from "../src/deploy/reasons/kinds.ts";
import { cases, projectOf, withOutput } from "./support/cases.ts";
import { transcript } from "./support/transcript.ts";

// A case with the section `transcript` has the commands that a person types and what they see. Without its
// own ivrctl.yaml it uses transcripts.yaml in _common.txt.
const transcripts = cases.flatMap((testCase) =>
  testCase.expected.transcript === undefined
    ? []
    : [[testCase.name, testCase, testCase.expected.transcript] as const],
);

test("for each matter that needs a person, a case runs its fix, and sees that it is gone", () => {
  const cases = transcripts.map(([, , expected]) =>
    expected.split("\n").filter((line) => line.startsWith("$ ")),
  );
  const isFixedIn = (kind: string) => (lines: readonly string[]) => {
    const fix = lines.findIndex((line) => `${line} `.includes(` fix ${kind} `));
    return fix !== -1 && lines.slice(fix).includes(`$ gone ${kind}`);
  };
  // An answer and then a list that is lost, and a state that cannot be written, need more than a transcript.
  const elsewhere = {
    "unknown-bind": "plan/numbers.test.ts",
    unrecorded: "apply/denied.process.test.ts",
  };
  for (const [kind, file] of Object.entries(elsewhere)) {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    expect(text).toContain(`kind: "${kind}"`);
  }
  const open = matterKinds.flatMap(({ kind, exit }) =>
    exit > 0 && !(kind in elsewhere) ? kind : [],
  );
  expect(open.filter((kind) => !cases.some(isFixedIn(kind)))).toEqual([]);
});

describe("transcripts", () => {
  test.each(transcripts)("%s", async (_, testCase, expected) => {
    const shown = await transcript(expected, projectOf(testCase));
    await expect(withOutput(testCase, { transcript: shown })).toMatchFileSnapshot(testCase.file);
  });
});
