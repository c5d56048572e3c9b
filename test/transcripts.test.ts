import { describe, expect, test } from "vitest";
import { cases, projectOf, withOutput } from "./support/cases.ts";
import { transcript } from "./support/transcript.ts";

// A case with the section `transcript` has the commands that a person types and what they see. Without its
// own ivrctl.yaml it uses transcripts.yaml in _common.txt.
const transcripts = cases.flatMap((testCase) =>
  testCase.expected.transcript === undefined
    ? []
    : [[testCase.name, testCase, testCase.expected.transcript] as const],
);

describe("transcripts", () => {
  test.each(transcripts)("%s", async (_, testCase, expected) => {
    const shown = await transcript(expected, projectOf(testCase));
    await expect(withOutput(testCase, { transcript: shown })).toMatchFileSnapshot(testCase.file);
  });
});
