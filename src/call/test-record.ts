import * as z from "zod/mini";
import type { Memory } from "../compile/memory.ts";
import type { Source } from "../diagnostics/source.ts";
import type { CallDestination, CallRecording } from "./model.ts";
import type { CallTest, Expected } from "./tests.ts";

// Tests without a fault, as an earlier run has read them.
const Recording = z.object({
  id: z.string(),
  alias: z.optional(z.string()),
  says: z.optional(z.string()),
  seconds: z.optional(z.number()),
});
const Destination = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("agent"),
    name: z.string(),
    eid: z.string(),
    team: z.nullable(z.string()),
    blocked: z.boolean(),
  }),
  z.object({ kind: z.literal("other"), name: z.string(), id: z.string() }),
  z.object({
    kind: z.literal("nobody"),
    name: z.string(),
    why: z.enum(["not-listed", "several", "no-extension"]),
  }),
]);
const TestRecord = z.object({
  name: z.string(),
  start: z.int(),
  end: z.int(),
  press: z.array(z.string()),
  expected: z.object({
    reached: z.optional(Destination),
    via: z.optional(z.enum(["option", "invalid", "timeout"])),
    heard: z.optional(z.array(Recording)),
    steps: z.optional(z.int()),
  }),
});
const TestRecords = z.array(TestRecord);

/** The tests kept under a name, to be understood when they are asked for; undefined where there are none. */
export function recallTests(
  memory: Memory | undefined,
  source: Source,
  name: string,
  otherwise: () => readonly CallTest[],
): (() => readonly CallTest[]) | undefined {
  const note = memory?.recallNote(source, name);
  if (note === undefined) return undefined;
  return () => {
    const records = TestRecords.safeParse(note());
    return records.success ? records.data.map((record) => read(record, source)) : otherwise();
  };
}

export function keepTests(
  memory: Memory,
  source: Source,
  name: string,
  tests: readonly CallTest[],
): void {
  // A test that came in through an alias may stand anywhere, but never in another file.
  if (tests.some(({ at }) => at.source !== source)) return;
  const records = tests.map(({ name, at: { start, end }, press, expected }) => {
    return { name, start, end, press, expected };
  });
  memory.keepNote(source, name, records);
}

function read(
  { name, start, end, press, expected }: z.infer<typeof TestRecord>,
  source: Source,
): CallTest {
  return { name, at: source.span(start, end), press, expected: expectedIn(expected) };
}

function expectedIn(record: z.infer<typeof TestRecord>["expected"]): Expected {
  const { reached, via, heard, steps } = record;
  return {
    ...(reached === undefined ? {} : { reached: reached satisfies CallDestination }),
    ...(via === undefined ? {} : { via }),
    ...(heard === undefined ? {} : { heard: heard.map(recordingIn) }),
    ...(steps === undefined ? {} : { steps }),
  };
}

function recordingIn({ id, alias, says, seconds }: z.infer<typeof Recording>): CallRecording {
  return {
    id,
    ...(alias === undefined ? {} : { alias }),
    ...(says === undefined ? {} : { says }),
    ...(seconds === undefined ? {} : { seconds }),
  };
}
