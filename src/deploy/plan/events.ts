import { randomUUID } from "node:crypto";
import { type StateEvent, stateVersion } from "../../schema/state.ts";
import type { Change, Plan, Sending } from "./plan.ts";

/** The event that a state starts with. */
export function begun(environment: string, address: string): StateEvent {
  return { kind: "begun", version: stateVersion, lineage: randomUUID(), environment, address };
}

/** The changes that only the state needs: nothing is sent for them. */
export function eventsInState({ changes, named }: Plan): StateEvent[] {
  return [
    ...changes.flatMap((change) => eventOf(change) ?? []),
    ...named.map(({ key, naming }) => ({ kind: "named", key, naming }) as const),
  ];
}

/** What is recorded before a request leaves: the first one for a change, or a later one. */
export function intentsOf(change: Sending, first: boolean, until: string): StateEvent[] {
  const { key, action, after } = change;
  const { payload, digest, naming } = after;
  const intent: StateEvent = { kind: "intent", key, action, payload, digest, naming, until };
  return first && change.action === "replace" && change.movedFrom !== null
    ? [{ kind: "moved", key, from: change.movedFrom }, intent]
    : [intent];
}

/** The event of a change; undefined if the change needs a request, or a person. */
export function eventOf(change: Change): StateEvent | undefined {
  const { key } = change;
  switch (change.action) {
    case "move":
      return { kind: "moved", key, from: change.movedFrom };
    case "forget":
      return { kind: "removed", key };
    case "restore":
      return { kind: "restored", key, follow_up: change.followUp.id };
    case "create":
    case "replace":
    case "unknown":
      return undefined;
  }
}
