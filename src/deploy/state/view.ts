import type {
  BoundNumber,
  Confirmed,
  FollowUp,
  KeyRecord,
  Origin,
  PendingBind,
} from "../../schema/state.ts";

/** A state that can be read but not changed. */
export interface StateView {
  /** Null before anything was ever recorded. */
  readonly origin: Origin | null;
  /** The number of events. */
  readonly serial: number;
  /** A hash of all events in their order; "" before the first. */
  readonly head: string;
  readonly keys: ReadonlyMap<string, KeyRecord>;
  /** The open follow-ups, by id. */
  readonly followUps: ReadonlyMap<string, FollowUp>;
  /** How many follow-ups were ever opened. */
  readonly opened: number;
  /** The phone numbers with an unknown outcome, by number. */
  readonly binds: ReadonlyMap<string, PendingBind>;
  /** What phone numbers were bound to, by number. */
  readonly bound: ReadonlyMap<string, BoundNumber>;
  /** In a recovered state, the keys that the service does not have. */
  readonly absent: ReadonlySet<string>;
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

/** Whether a follow-up moves with the record of its key. Follow-ups of a deleted file do not. */
export function movesWithRecord({ reason }: FollowUp): boolean {
  return reason !== "removed";
}

/** The phone numbers that menus on record have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: StateView): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ record }) => record.naming.numbers ?? []);
  return new Set([...named, ...state.binds.keys(), ...state.bound.keys()]);
}
