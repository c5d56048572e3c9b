import * as z from "zod/mini";
import { PayloadSchema } from "./payload.ts";

/**
 * The version of the state's format: of its journal, its checkpoint, its lock.
 * Version 2 has the mark of a state that is being filled; version 1 is read, and
 * what is written is version 2.
 */
export const stateVersion = 2;

/** Every version that can be read. */
export const StateVersion = z.literal([1, stateVersion]);

const Reference = z.strictObject({
  agent: z.exactOptional(z.string()),
  team: z.exactOptional(z.string()),
  department: z.exactOptional(z.string()),
  intercom: z.exactOptional(z.string()),
  eid: z.exactOptional(z.string()),
  id: z.exactOptional(z.string()),
});

/** What people call the ids in a payload, as it was when the payload was made. */
export const NamingSchema = z.strictObject({
  /** Who is reached where. */
  agents: z.readonly(
    z.array(
      z.strictObject({
        /** `key 2`, `invalid` or `timeout`. */
        place: z.string(),
        eid: z.string(),
        name: z.string(),
        /** How the menu says whom it means. */
        reference: Reference,
      }),
    ),
  ),
  /** The alias of each recording id that has one. */
  recordings: z.record(z.string(), z.string()),
  /** What the caller is told each key is for, by key. */
  purposes: z.record(z.string(), z.string()),
});

const evidence = z.nullable(z.string());

/** How it became known that a record exists on the service. */
const Settled = z.discriminatedUnion("how", [
  z.strictObject({ how: z.literal("answered"), status: z.number(), message: z.string() }),
  z.strictObject({ how: z.literal("resolved"), by: z.string(), evidence }),
  z.strictObject({ how: z.literal("adopted"), by: z.string(), evidence }),
]);

export const made = { payload: PayloadSchema, digest: z.string(), naming: NamingSchema };

/** A record that exists on the service. */
export const Confirmed = z.strictObject({ ...made, created_at: z.string(), settled: Settled });

const Sending = z.enum(["create", "replace"]);

/** A payload that was sent, or was about to be, and whose fate is open. */
export const Pending = z.strictObject({
  ...made,
  action: Sending,
  /** It was sent between the two. */
  sent_at: z.string(),
  until: z.string(),
  /** What was seen instead of an answer that settles it; null where nothing was recorded. */
  seen: z.nullable(z.strictObject({ status: z.nullable(z.number()), message: z.string() })),
});

const KeyRecord = z.union([
  z.strictObject({ current: Confirmed, pending: z.null() }),
  z.strictObject({ current: z.nullable(Confirmed), pending: Pending }),
]);

export const FollowUp = z.strictObject({
  id: z.string(),
  key: z.string(),
  /** `duplicate`: a second menu of the key, which was recorded as absent and exists after all. */
  reason: z.enum(["replaced", "removed", "duplicate"]),
  created_at: z.string(),
  record: Confirmed,
});

/** Everything that can happen to a state. What is not here does not happen. */
const Event = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("begun"),
    version: StateVersion,
    lineage: z.string(),
    environment: z.string(),
    address: z.string(),
  }),
  /** Written before a request leaves. */
  z.strictObject({
    kind: z.literal("intent"),
    key: z.string(),
    action: Sending,
    ...made,
    until: z.string(),
  }),
  /** What came of the key's intent. */
  z.strictObject({
    kind: z.literal("created"),
    key: z.string(),
    status: z.number(),
    message: z.string(),
  }),
  z.strictObject({
    kind: z.enum(["failed", "not-processed", "unknown"]),
    key: z.string(),
    status: z.nullable(z.number()),
    message: z.string(),
  }),
  z.strictObject({
    kind: z.literal("resolved"),
    key: z.string(),
    as: z.enum(["created", "absent"]),
    evidence,
  }),
  /** It was recorded as not created, and the service's answer, which came too late, says that it was. */
  z.strictObject({
    kind: z.literal("created-after-all"),
    key: z.string(),
    /** The number of the intent that it was sent for. */
    intent: z.int(),
    /** The key's record from now on, or a second menu beside the one that the key has. */
    as: z.enum(["current", "second"]),
    ...made,
    sent_at: z.string(),
    status: z.number(),
    message: z.string(),
  }),
  z.strictObject({ kind: z.literal("moved"), key: z.string(), from: z.string() }),
  /** What is on record is called otherwise by now; it is the same record. */
  z.strictObject({ kind: z.literal("named"), key: z.string(), naming: NamingSchema }),
  z.strictObject({ kind: z.literal("removed"), key: z.string() }),
  z.strictObject({ kind: z.literal("restored"), key: z.string(), follow_up: z.string() }),
  z.strictObject({ kind: z.literal("done"), follow_up: z.string(), evidence }),
  z.strictObject({ kind: z.literal("adopted"), key: z.string(), ...made, evidence }),
  z.strictObject({ kind: z.literal("dropped"), key: z.string() }),
  z.strictObject({
    kind: z.literal("rebound"),
    address: z.string(),
    evidence: z.string(),
  }),
]);

/** An event as the history keeps it. */
export const EntrySchema = z.strictObject({
  /** From 1, without a gap: the state's serial after it. */
  seq: z.int(),
  at: z.string(),
  /** Which run of ivrctl, and whose. */
  run: z.string(),
  by: z.string(),
  event: Event,
});

/** The whole state at one moment. */
export const SnapshotSchema = z.strictObject({
  version: StateVersion,
  environment: z.string(),
  lineage: z.string(),
  serial: z.int(),
  /** The sum of all events up to the serial. */
  head: z.string(),
  address: z.string(),
  /** A list: an object could not hold every key, `__proto__` say. */
  keys: z.array(z.strictObject({ key: z.string(), record: KeyRecord })),
  follow_ups: z.array(FollowUp),
});

export type Naming = z.infer<typeof NamingSchema>;
export type Confirmed = z.infer<typeof Confirmed>;
export type Pending = z.infer<typeof Pending>;
export type KeyRecord = z.infer<typeof KeyRecord>;
export type FollowUp = z.infer<typeof FollowUp>;
export type StateEvent = z.infer<typeof Event>;
export type Entry = z.infer<typeof EntrySchema>;
export type Snapshot = z.infer<typeof SnapshotSchema>;
