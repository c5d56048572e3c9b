import * as z from "zod/mini";
import { EntrySchema, stateVersion } from "../../schema/state.ts";
import { validate } from "../../schema/validate.ts";
import { parseJson } from "../../util/parse-json.ts";
import { type Linked, chainHash } from "./entries.ts";
import { Contradiction } from "./records.ts";
import type { State } from "./state.ts";
import { StateProblem } from "./store.ts";

/** Thrown for content that ivrctl did not write like that. The message continues the name of its place. */
export class Damage extends Error {}

/** Verifies a stored entry against the history before it, and takes it into the state. Throws `Damage`. */
export function takeNext(
  { text, head }: Pick<Linked, "text" | "head">,
  state: State,
  place: string,
): Linked {
  const seq = state.serial + 1;
  if (chainHash(state.head, text) !== head) {
    throw new Damage(`was changed after ivrctl wrote it (event ${seq})`);
  }
  const content = parseJson(text);
  const entry = validate(EntrySchema, content);
  if (!entry.success) {
    // A newer ivrctl that continues this history writes its version into an event.
    refuseOtherVersion(eventOf(content), place);
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

function eventOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null && "event" in entry ? entry.event : undefined;
}

/** Refuses content of another version. Call it before validation, because the format may be unknown here. */
export function refuseOtherVersion(content: unknown, shown: string): void {
  const found = Versioned.safeParse(content);
  if (found.success && found.data.version !== stateVersion) {
    throw otherVersion(shown, found.data.version);
  }
}

/** Returns the problem of a state that another version of ivrctl wrote. */
export function otherVersion(shown: string, found: number): StateProblem {
  return new StateProblem(
    "IVR602",
    `${shown} has version ${found}, but this ivrctl supports only version ${stateVersion}.`,
    "Use the version of ivrctl that wrote it: see docs/install.md. In a pipeline, change the version that it installs.",
  );
}

const Versioned = z.object({ version: z.number() });
