import type { Rescue } from "../schema/rescue.ts";
import type { Entry, StateEvent } from "../schema/state.ts";
import type { Unrecorded } from "./apply.ts";
import { type Plan, isSending } from "./plan/plan.ts";
import type { StateView } from "./state/state.ts";

/** The run that could not record. */
export interface Run {
  readonly id: string;
  readonly by: string;
  readonly since: string;
}

/** What is to be kept of an apply; undefined where the state never began, so that nothing was sent. */
export function rescueOf(
  unrecorded: readonly Unrecorded[],
  { environment, changes }: Plan,
  { origin }: StateView,
  { id, by, since }: Run,
  until: string,
): Rescue | undefined {
  if (origin === null || unrecorded.length === 0) return undefined;
  const digests = new Map(changes.filter(isSending).map(({ key, after }) => [key, after.digest]));
  const outcomes = unrecorded.map(({ key, outcome }): Rescue["outcomes"][number] => {
    const about = { key, digest: digests.get(key) ?? "", message: outcome.message };
    return outcome.kind === "created"
      ? { kind: outcome.kind, status: outcome.status, ...about }
      : { kind: outcome.kind, status: outcome.status, ...about };
  });
  const { lineage } = origin;
  return { rescue: 1, environment, lineage, run: id, by, since, until, outcomes };
}

export type TakenIn =
  /** It is of another state. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "fits";
      readonly events: readonly StateEvent[];
      /** Keys whose fate was settled otherwise meanwhile. */
      readonly settled: readonly string[];
    };

/**
 * What of it the state still lacks: outcomes of intents that are pending, and are
 * that very run's. Whatever else is pending under the key was sent by another run.
 */
export function takeIn(
  { lineage, environment, run, since, until, outcomes }: Rescue,
  { origin, keys }: StateView,
  history: readonly Entry[],
): TakenIn {
  if (origin?.lineage !== lineage || origin.environment !== environment) return { kind: "foreign" };
  const events: StateEvent[] = [];
  const settled: string[] = [];
  for (const { digest, ...event } of outcomes) {
    const { key } = event;
    const intent = history.findLast((entry) => "key" in entry.event && entry.event.key === key);
    const own =
      keys.get(key)?.pending?.digest === digest &&
      intent?.event.kind === "intent" &&
      intent.run === run &&
      intent.at >= since &&
      intent.at <= until;
    if (own) events.push(event);
    else settled.push(key);
  }
  return { kind: "fits", events, settled };
}
