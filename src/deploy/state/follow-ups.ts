import type { FollowUp } from "../../schema/state.ts";
import type { StateView } from "./state.ts";

/** The open ones, the oldest first: their ids count the events. */
export function openFollowUps({ followUps }: StateView): FollowUp[] {
  const age = ({ id }: FollowUp) => Number(id.slice(1));
  return [...followUps.values()].sort((a, b) => age(a) - age(b));
}
