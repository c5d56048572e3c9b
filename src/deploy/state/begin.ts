import { randomUUID } from "node:crypto";
import { type StateEvent, type StateOrigin, stateVersion } from "../../schema/state.ts";
/** The event that a state starts with. */
export function begun(origin: StateOrigin): StateEvent {
  return { kind: "begun", version: stateVersion, ...origin };
}

/** An id is short, because people copy it, and is never a number in YAML. */
export function newStateId(): string {
  return randomUUID().slice(0, 13);
}
