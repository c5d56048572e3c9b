import type * as z from "zod/mini";
import { type Field, isOfOption, rows } from "../schema/fields.ts";
import { listed, many } from "../util/many.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";

/** A problem in a payload from outside. */
interface PayloadProblem {
  readonly path: readonly PropertyKey[];
  /** Whether the problem is the name of the field, not its value. */
  readonly unknown?: true;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Explains the issues that `PayloadSchema` found. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  payload: unknown,
): PayloadProblem[] {
  if (!isMapping(payload)) {
    return [
      {
        path: [],
        message: "A payload must be a JSON object.",
        hint: 'Write an object with fields such as "name" and "option".',
      },
    ];
  }
  const missing: string[] = [];
  const problems: PayloadProblem[] = [];
  for (const issue of issues) {
    const [field] = issue.path;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, maxUnknown)) problems.push(unknownField(key));
    } else if (field === undefined) continue;
    else if (!Object.hasOwn(payload, field)) missing.push(`\`${String(field)}\``);
    else {
      const item = issue.path.length > 1 ? `item ${Number(issue.path[1]) + 1} of ` : "";
      const name = String(field);
      const [rule, items] = payloadFields.get(name) ?? ["text", "text"];
      const message = `${item}\`${name}\` must be ${item === "" ? rule : items}.`;
      problems.push({ path: issue.path, message: message[0]?.toUpperCase() + message.slice(1) });
    }
  }
  const lists = [payload["option"], payload["destination"]];
  // The schema checks this only if it finds no other problem.
  if (lists.every(Array.isArray) && listOf(lists[0]).length !== listOf(lists[1]).length) {
    problems.push(unpaired(payload));
  }
  if (missing.length > 0) {
    problems.push({
      path: [],
      message: `The payload lacks the ${missing.length === 1 ? "field" : "fields"} ${missing.join(", ")}.`,
      hint: `Add ${missing.length === 1 ? "it" : "them"}.`,
    });
  }
  return problems;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

/** Describes lists of different lengths and their extra items. */
function unpaired(payload: Record<string, unknown>): PayloadProblem {
  const [options, destinations] = [listOf(payload["option"]), listOf(payload["destination"])];
  const paired = Math.min(options.length, destinations.length);
  const more = options.length > destinations.length;
  const left = (more ? options : destinations).slice(paired);
  const items = left.map((item) => `\`${shorten(String(item))}\``);
  const numbers = `${many(options.length, "option")} and ${many(destinations.length, "destination")}`;
  return {
    path: [more ? "option" : "destination", paired],
    message: `The payload has ${numbers}. ${listed(items, maxListed)} ${left.length === 1 ? "has" : "have"} no ${more ? "destination" : "option"}.`,
    hint: "Give each option one destination, in the same order.",
  };
}

const maxListed = 6;
/** The maximum number of unknown fields to report. A file with more is probably not a payload. */
const maxUnknown = 20;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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

const payloadFields: ReadonlyMap<string, readonly [rule: string, items: string]> = new Map(
  rows.map(([path, { is, wire }]) => [
    wire,
    isOfOption(path) ? ["a list of texts", "text"] : [expected[is], "text or a number"],
  ]),
);
