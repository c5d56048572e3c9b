import { randomUUID } from "node:crypto";
import { oldestFormat } from "../../schema/formats.ts";
import type { StateEvent, StateOrigin } from "../../schema/state.ts";
import type { StateView } from "./view.ts";

/** The event that a state starts with. */
export function begun(origin: StateOrigin): StateEvent {
  return { kind: "begun", version: oldestFormat, ...origin };
}

/** An id is short, because people copy it, and is never a number in YAML. */
export function newStateId(): string {
  return randomUUID().slice(0, 13);
}

/** The events of a state that begins on its own, or that record the address of the first requests. */
export function beginEvents(
  { origin }: Pick<StateView, "origin">,
  { environment, address }: { readonly environment: string; readonly address: string },
): StateEvent[] {
  if (origin === null) return [begun({ id: newStateId(), environment, address })];
  const evidence = "This address was used by the first apply.";
  return origin.address === address ? [] : [{ kind: "rebound", address, evidence }];
}
