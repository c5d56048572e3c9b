import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { type Entry, EntrySchema, stateVersion } from "../../schema/state.ts";
import { validate } from "../../schema/validated.ts";
import { parseJson } from "../../util/parse-json.ts";
import { Contradiction } from "./records.ts";
import type { State } from "./state.ts";
import { StateProblem } from "./lock.ts";

/** An entry of the history, as it is stored. */
export interface Linked {
  readonly entry: Entry;
  /** JSON on one line. */
  readonly text: string;
  /** The head of the history that ends with this entry. */
  readonly head: string;
}

/** How many characters a head has. */
const headLength = 16;

/** Returns the next entry of a history with this head. The head before the first entry is "". */
export function link(before: string, entry: Entry): Linked {
  const text = JSON.stringify(entry);
  return { entry, text, head: chainHash(before, text) };
}

/**
 * Returns the head after an entry: a hash of the head before it and of the entry's text. So
 * it covers every earlier text too. Stores keep the texts unchanged, because other JSON of
 * the same value has a different hash.
 */
export function chainHash(before: string, text: string): string {
  return createHash("sha256").update(before).update(text).digest("hex").slice(0, headLength);
}

/**
 * Returns an entry as a line: its text after a fixed opening with the head after it. So a line can
 * be verified without parsing it:
 *
 *     {"sum":"<the head after it>",<the text without its brace>
 */
export function encodeLine({ text, head }: Linked): string {
  return `{"sum":"${head}",${text.slice(1)}\n`;
}

const lineOpening = /^\{"sum":"([0-9a-f]{16})",/;

/** Thrown for content that ivrctl did not write like that. The message continues the name of its place. */
export class Damage extends Error {}

/**
 * Reads a line without its newline, verifies it against the history before it, and takes its entry into
 * the state. Throws `Damage`.
 */
export function takeLine(line: string, state: State, place: string): Linked {
  const [opening = "", head] = lineOpening.exec(line) ?? [];
  if (head === undefined) throw new Damage("has content that is not an event of a state");
  const text = `{${line.slice(opening.length)}`;
  const seq = state.serial + 1;
  if (chainHash(state.head, text) !== head) {
    throw new Damage(`was changed after ivrctl wrote it (event ${seq})`);
  }
  const content = parseJson(text);
  const entry = validate(EntrySchema, content);
  if (!entry.success) {
    // A newer ivrctl that continues this history writes its version into an event.
    refuseOtherVersion(z.object({ event: z.unknown() }).safeParse(content).data?.event, place);
    if (hasOnlyUnknown(content)) throw newerFields(place);
    const problem = content === undefined ? "it is not JSON" : entry.problem;
    throw new Damage(`has an event ${seq} that is invalid: ${problem}`);
  }
  try {
    state.take(entry.data, head);
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    throw new Damage(`has an event ${seq} that contradicts the events before it: ${error.message}`);
  }
  return { entry: entry.data, text, head };
}

/** Whether an entry is invalid only because it has fields or words that this version does not know. */
function hasOnlyUnknown(content: unknown): boolean {
  const { error } = EntrySchema.safeParse(content);
  return error !== undefined && error.issues.every(isUnknown);
}

function isUnknown(issue: z.core.$ZodIssue): boolean {
  if (issue.code === "unrecognized_keys" || issue.code === "invalid_value") return true;
  if (issue.code !== "invalid_union") return false;
  // An unknown kind of event fits no branch.
  return issue.errors.length === 0 || issue.errors.some((branch) => branch.every(isUnknown));
}

/** The sums show that ivrctl wrote this. */
function newerFields(shown: string): StateProblem {
  const what = `${shown} has fields or words that this ivrctl does not know. A newer version wrote them.`;
  return new StateProblem("IVR602", what, otherVersion(shown, Infinity).hint);
}

/** Refuses content of another version. Call it before validation, because the format may be unknown here. */
export function refuseOtherVersion(content: unknown, shown: string): void {
  const found = z.object({ version: z.number() }).safeParse(content).data;
  if (found !== undefined && found.version !== stateVersion) {
    throw otherVersion(shown, found.version);
  }
}

/** Returns the problem of a state that another version of ivrctl wrote. */
export function otherVersion(shown: string, found: number): StateProblem {
  return new StateProblem(
    "IVR602",
    `${shown} has version ${found}, but this ivrctl supports only version ${stateVersion}.`,
    found > stateVersion
      ? "A newer ivrctl wrote it. Upgrade this one (`ivrctl explain install`). In a pipeline, change the version that it installs."
      : "An older ivrctl wrote it, and this one cannot convert it. Go back to the older one for this state, or initialize a new state and record the menus in it (`ivrctl explain state`).",
  );
}
