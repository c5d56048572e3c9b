import type { Confirmed, FollowUp } from "../../schema/state.ts";
import type { StateView } from "./state.ts";

/** Returns a copy of the current state. The state of a session changes with every event. */
export function copyState(state: StateView): StateView {
  const { origin, serial, head, keys, followUps, opened, binds, bound, absent } = state;
  return { origin, serial, head, keys, followUps, opened, binds, bound, absent };
}

/** Returns the open follow-ups, the oldest first. */
export function openFollowUps({ followUps }: StateView): FollowUp[] {
  const age = ({ id }: FollowUp) => Number(id.slice(1));
  return [...followUps.values()].sort((a, b) => age(a) - age(b));
}

/** A record of a menu that exists on the service. */
export interface LiveRecord {
  readonly key: string;
  /** Null for the current record of the key. */
  readonly followUp: string | null;
  readonly record: Confirmed;
}

/** Returns every record of a menu that exists on the service: the current ones, then the follow-ups. */
export function liveRecords({ keys, followUps }: StateView): LiveRecord[] {
  return [
    ...[...keys].flatMap(([key, { current }]) =>
      current === null ? [] : { key, followUp: null, record: current },
    ),
    ...[...followUps.values()].map(({ id, key, record }) => ({ key, followUp: id, record })),
  ];
}
