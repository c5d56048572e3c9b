import { randomUUID } from "node:crypto";
import { oldestFormat } from "../../schema/formats.ts";
import type { StateEvent, StateOrigin } from "../../schema/state.ts";

/** The event that a state starts with. */
export function begun(origin: StateOrigin): StateEvent {
  return { kind: "begun", version: oldestFormat, ...origin };
}

/** An id is short, because people copy it, and is never a number in YAML. */
export function newStateId(): string {
  return randomUUID().slice(0, 13);
}
