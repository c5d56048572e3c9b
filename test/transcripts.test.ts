import { describe, expect, test } from "vitest";
import { cases, projectOf, withOutput } from "./support/cases.ts";
import { transcript } from "./support/transcript.ts";

// A case with the section `transcript` has the commands that a person types and what they see. Without its
// own ivrctl.yaml it uses transcripts.yaml in _common.txt.
const transcripts = cases.flatMap((one) =>
  one.expected.transcript === undefined ? [] : [[one.name, one, one.expected.transcript] as const],
);

describe("transcripts", () => {
  test.each(transcripts)("%s", async (_, one, expected) => {
    const shown = await transcript(expected, projectOf(one));
    await expect(withOutput(one, { transcript: shown })).toMatchFileSnapshot(one.file);
  });
});
