import * as z from "zod/mini";
import { utc } from "../../util/time.ts";
import { type Claim, type Filling, StateProblem } from "./store.ts";

/** Why a state cannot be used. */
export interface Marks {
  /** The store that the state was moved to, or null if it is here. */
  readonly movedTo: string | null;
  /** The fill that has not finished. */
  readonly filling: Filling | null;
}

export const FillingSchema = z.object({
  command: z.string(),
  source: z.string(),
  by: z.string(),
  since: z.string(),
  head: z.nullable(z.string()),
});

/** Refuses a marked state. Filling comes first: a state that was moved away and comes back has both marks. */
export function refuseMarked(
  { filling, movedTo }: Marks,
  environment: string,
  place: string,
  accepts: Claim["accepts"] = [],
): void {
  if (filling !== null && !accepts.includes("filling")) {
    throw beingFilled(environment, place, filling);
  }
  if (movedTo !== null && !accepts.includes("moved")) {
    throw movedAway(environment, place, movedTo);
  }
}

/** Returns the problem of a state that was moved to another store. */
export function movedAway(environment: string, from: string, to: string): StateProblem {
  return new StateProblem(
    "IVR674",
    `The state of ${environment} was moved from ${from} to ${to}.`,
    'Name the new store under `state:` in ivrctl.yaml. If that store is lost, see "Moving a state" in docs/state.md.',
  );
}

/** Returns the problem of a state that a command has not finished filling. */
export function beingFilled(environment: string, place: string, filling: Filling): StateProblem {
  const { command, source, by, since, head } = filling;
  const prepare = isMigration(filling)
    ? `Name the old store under \`state:\` in ivrctl.yaml again (${settingsOf(source)}). Then finish the copy`
    : "Finish the copy";
  const discard = {
    words: `${prepare} with \`${command}\`, or discard it:`,
    argv: ["state", "discard", "--env", environment],
  };
  return new StateProblem(
    "IVR677",
    `The state of ${environment} at ${place} is incomplete: \`${command}\` has not finished copying it from ${source} (started by ${by}, ${utc(since)}).`,
    head === null ? discard : `${prepare}: ${command}`,
  );
}

function settingsOf(place: string): string {
  return place.startsWith(".ivrctl/") ? "`state: { backend: file }`" : place;
}

/** Whether a `state migrate` fills the state. Then the source must be marked as moved before the target is opened. */
export function isMigration({ command }: Filling): boolean {
  return command.startsWith("ivrctl state migrate ");
}

/** Returns the problem of staged entries that differ from those that were copied. */
export function notCopied(place: string): StateProblem {
  return new StateProblem(
    "IVR675",
    `The entries read back from ${place} differ from those that were copied there.`,
    "Run the command again: it copies everything again. Nothing uses this state until then.",
  );
}
