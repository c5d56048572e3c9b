import * as z from "zod/mini";
import { type Field, isOfOption, rows } from "../schema/fields.ts";
import { didYouMean, nearest } from "../util/nearest.ts";

/** A problem in a payload from outside. */
interface PayloadProblem {
  readonly path: readonly PropertyKey[];
  /** Whether the problem is the name of the field, not its value. */
  readonly unknown?: true;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The maximum number of unknown fields to report. A file with more is probably not a payload. */
const maxUnknown = 20;

/** Explains the issues that `PayloadSchema` found. */
export function payloadProblems(
  issues: readonly z.core.$ZodIssue[],
  payload: unknown,
): PayloadProblem[] {
  const fields = new Map(Object.entries(payload ?? {}));
  return issues.flatMap((issue): PayloadProblem[] => {
    const { path } = issue;
    if (issue.code === "unrecognized_keys")
      return issue.keys.slice(0, maxUnknown).map(unknownField);
    if (path.length === 0) {
      return issue.code === "custom"
        ? [{ path: ["option"], message: `The payload ${issue.message}.`, hint: pairHelp }]
        : [{ path, message: "A payload must be a JSON object.", hint: objectHelp }];
    }
    const name = String(path[0]);
    if (!fields.has(name)) {
      return [{ path: [], message: `\`${name}\` is missing.`, hint: "Add the field." }];
    }
    const rule = path.length > 1 ? "text or a number" : payloadFields.get(name);
    const message = `\`${z.core.toDotPath(path)}\` must be ${rule}.`;
    return [{ path, message }];
  });
}

const objectHelp = 'Write an object with fields such as "name" and "option".';
const pairHelp = "Give each option one destination, in the same order.";

function unknownField(key: string): PayloadProblem {
  // A key that is not a word may be a misplaced secret, so it is not shown.
  const shown = /^[A-Za-z][\w-]{0,30}$/.test(key) ? `field \`${key}\`` : "such field";
  return {
    path: [key],
    unknown: true,
    message: `There is no ${shown} in a payload.`,
    hint: didYouMean(nearest(key, payloadFields.keys())) ?? "Remove it.",
  };
}

/** What a field of each kind must be in a payload. */
const expected: Readonly<Record<Field["is"], string>> = {
  text: "text",
  recording: "text",
  destination: "text",
  sms: "text",
  count: "text or a number",
  number: "a number",
  keys: "a list of texts or numbers",
};

const payloadFields: ReadonlyMap<string, string> = new Map(
  rows.map(([path, { is, wire }]) => [wire, isOfOption(path) ? "a list of texts" : expected[is]]),
);
