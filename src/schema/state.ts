import * as z from "zod/mini";
import { oldestFormat } from "./formats.ts";
import { DestinationSchema, MenuSchema, RecipeSchema } from "./menu-record.ts";
import { added } from "./since.ts";

const evidence = z.nullable(z.string());

/** How ivrctl learned that a menu exists on the service. */
const Confirmation = z.discriminatedUnion("how", [
  z.strictObject({
    how: z.literal("answered"),
    status: z.nullable(z.number()),
    message: z.string(),
  }),
  z.strictObject({ how: z.literal("resolved"), by: z.string(), evidence }),
  z.strictObject({ how: z.literal("adopted"), by: z.string(), evidence }),
]);

/** The id of a menu on the service, and how it was learned. Create does not return an id. */
const Learned = {
  id: z.string(),
  /** `person`: somebody read it on the console. `list`: ivrctl found it in the service's list. */
  how: z.enum(["person", "list"]),
  evidence,
};

/** The ids of the menus that the service listed under the same name before the request. */
const listed = z.exactOptional(z.readonly(z.array(z.string())));

/** The record of a menu that exists on the service. */
export const Confirmed = z.strictObject({
  menu: MenuSchema,
  created_at: z.string(),
  settled: Confirmation,
  updated_at: z.exactOptional(z.string()),
  /** Kept until the id is known, because it helps to find the menu in a list. */
  listed,
  /**
   * The phone numbers that a person pointed to this menu, if the service cannot list numbers. Absent if
   * nobody had to: then those of the menu count.
   */
  pointed: added(9, z.exactOptional(z.readonly(z.array(z.string())))),
  /** Absent while the id is not known. It belongs to this record, so that a move or a restore keeps it. */
  identified: z.exactOptional(z.strictObject({ ...Learned, at: z.string(), by: z.string() })),
});

/** Whether a person has to point the phone numbers of the menu to it, because the service cannot list them. */
const byHand = added(9, z.exactOptional(z.literal(true)));

/** A menu that `ivrctl trial` makes. It never gets the key of a file: it is a follow-up as soon as it exists. */
const trial = added(9, z.exactOptional(z.literal(true)));

const Sending = z.enum(["create", "replace", "update", "delete"]);

/** The follow-up whose menu a request deletes. Absent if it is about the record of the key. */
const followUp = z.exactOptional(z.string());

/** A request about a menu. A delete has the menu to delete. */
const menuRequest = {
  key: z.string(),
  follow_up: followUp,
  action: Sending,
  menu: MenuSchema,
  listed,
  by_hand: byHand,
  trial,
  /** The latest time at which the request leaves. */
  until: z.string(),
};

/** A request that lets a phone number point to a menu. */
const numberRequest = {
  key: z.string(),
  /** As the file writes it: `+912241234567`. */
  number: z.string(),
  action: z.literal("bind"),
  /** The id of the number on the service. */
  id: z.string(),
  /** What it pointed to before the request, and what it points to afterwards. Null for nothing. */
  before: z.nullable(DestinationSchema),
  after: DestinationSchema,
  until: z.string(),
};

/** Says that a key is the name of a recording, and not that of a menu. */
const ofRecording = z.literal(true);

/** A request that makes a recording. */
const recordingRequest = {
  /** The name that it gets on the service. It is unique: the alias, and a part of a hash of what it is made from. */
  key: z.string(),
  recording: ofRecording,
  action: z.literal("record"),
  make: RecipeSchema,
  until: z.string(),
};

/** What a request has while its outcome is unknown: it was sent, or was about to be sent. */
const open = {
  /** The number of its intent in the history. */
  intent: z.int(),
  /** It was sent between this time and `until`. */
  sent_at: z.string(),
  /** The answer or error that left the outcome open; null if none was recorded. */
  seen: z.nullable(z.strictObject({ status: z.nullable(z.number()), message: z.string() })),
};

export const Pending = z.strictObject({ ...menuRequest, ...open });
export const PendingBind = z.strictObject({ ...numberRequest, ...open });

export const PendingRecording = z.strictObject({ ...recordingRequest, ...open });

/** What a phone number points to, as far as requests of ivrctl show it. */
const Bound = z.strictObject({
  key: z.string(),
  id: z.string(),
  /** What it was bound to last, and what later requests may have bound it to: a list that denies it can lag behind. */
  to: z.readonly(z.array(DestinationSchema)),
  /** What it pointed to before, as far as that is known. A list that shows one of these can be an old one. */
  former: z.readonly(z.array(z.nullable(DestinationSchema))),
});

const pending = z.nullable(Pending);

/** The menu of a key. `current` is null until its first create is confirmed. */
const MenuRecord = z.strictObject({
  kind: z.literal("menu"),
  key: z.string(),
  current: z.nullable(Confirmed),
  pending,
});

/** An old menu that a person takes out of service, or that apply deletes. */
export const FollowUp = z.strictObject({
  kind: z.literal("old"),
  id: z.string(),
  /** The key that the menu had. */
  key: z.string(),
  /** `duplicate`: a second menu with this key, which was recorded as absent but does exist. */
  reason: z.union([z.enum(["replaced", "removed", "duplicate"]), added(9, z.literal("trial"))]),
  created_at: z.string(),
  current: Confirmed,
  pending,
});

/** A phone number. `current` is null until its first bind is confirmed. */
const NumberRecord = z.strictObject({
  kind: z.literal("number"),
  number: z.string(),
  current: z.nullable(Bound),
  pending: z.nullable(PendingBind),
});

/** A recording that ivrctl makes. It never changes: a different text is a different recording. */
const MadeRecording = z.strictObject({
  kind: z.literal("recording"),
  key: z.string(),
  make: RecipeSchema,
  /** Null until the service has confirmed the request. */
  current: z.nullable(
    z.strictObject({
      created_at: z.string(),
      settled: Confirmation,
      /** What the service is asked with for the id. */
      batch: z.exactOptional(z.string()),
      /** Absent while it is not ready. */
      identified: z.exactOptional(z.strictObject({ ...Learned, at: z.string(), by: z.string() })),
    }),
  ),
  pending: z.nullable(PendingRecording),
});

/** What a recording is meant to say. */
const RecordingText = z.strictObject({
  id: z.string(),
  alias: z.exactOptional(z.string()),
  says: z.string(),
  /** While a person has to record it again: the follow-up, and what the recording says until then. */
  open: z.nullable(
    z.strictObject({ follow_up: z.string(), was: z.string(), created_at: z.string() }),
  ),
});

/** What is recorded about something on the service: what it is, and the request whose outcome is unknown. */
const Recorded = z.discriminatedUnion("kind", [
  MenuRecord,
  FollowUp,
  NumberRecord,
  added(9, MadeRecording),
]);

/** Where a state began, and which service it is about. */
const StateOrigin = z.strictObject({
  /** What ivrctl.yaml names. Two states with the same id began as one history. */
  id: z.string(),
  environment: z.string(),
  address: z.string(),
  /**
   * When a lost state was begun again. From then until `completed`, the outcome of every menu without
   * a record is unknown.
   */
  recovered: z.exactOptional(z.string()),
});

/** The commit of the files that an apply sends, and whether they had changes besides. */
const commit = { commit: z.string(), modified: z.boolean() };

/** The request whose outcome it is: the number of its intent, and what that was about. */
const request = {
  kind: z.literal("outcome"),
  intent: z.int(),
  key: z.string(),
  follow_up: followUp,
  number: z.exactOptional(z.string()),
  recording: added(9, z.exactOptional(ofRecording)),
  action: z.union([z.enum([...Sending.options, "bind"]), added(9, z.literal("record"))]),
};

export const OutcomeSchema = z.discriminatedUnion("how", [
  /** The service answered, or did not. `unknown` leaves the request open. */
  z.strictObject({
    ...request,
    how: z.literal("answer"),
    as: z.enum(["done", "not-done", "unknown"]),
    status: z.nullable(z.number()),
    message: z.string(),
    /** What the service is asked with for the id of a recording. */
    batch: added(9, z.exactOptional(z.string())),
  }),
  /** A person looked at the console, or a list of the service shows it. */
  z.strictObject({
    ...request,
    how: z.enum(["person", "list"]),
    as: z.enum(["done", "not-done"]),
    evidence,
  }),
]);

function event<K extends string, F extends z.core.$ZodLooseShape>(kind: K, fields: F) {
  return z.strictObject({ kind: z.literal(kind), ...fields });
}

const key = z.string();
const recording = added(9, z.exactOptional(ofRecording));

export const EventSchema = z.discriminatedUnion("kind", [
  /** The format of this event never changes. That of the others is in the header of their block. */
  event("begun", { version: z.literal(oldestFormat), ...StateOrigin.shape }),
  /** Written before a request leaves. */
  z.discriminatedUnion("action", [
    event("intent", menuRequest),
    event("intent", numberRequest),
    added(9, event("intent", recordingRequest)),
  ]),
  OutcomeSchema,
  /** Recorded as not created, but a late answer of the service shows that it was created. */
  event("created-after-all", {
    key,
    /** The number of its intent. */
    intent: z.int(),
    /** `current`: the record of the key from now on. `second`: another menu besides that record. */
    as: z.enum(["current", "second"]),
    menu: MenuSchema,
    by_hand: byHand,
    trial,
    sent_at: z.string(),
    status: z.nullable(z.number()),
    message: z.string(),
  }),
  event("moved", { key, from: z.string() }),
  /** The names in the record changed; it is the same record. */
  event("named", { key, menu: MenuSchema, by_hand: byHand }),
  /**
   * The text of a recording in the files. `was` is the one before, if only recorded menus have it. A new
   * text opens a follow-up, because a person has to record it. The text before closes it.
   */
  event("text", {
    recording: z.string(),
    alias: z.exactOptional(z.string()),
    says: z.string(),
    was: z.exactOptional(z.string()),
  }),
  event("removed", { key }),
  /** The record of the follow-up is current again. The record of the key, if it has one, becomes a follow-up. */
  event("restored", { key, follow_up: z.string() }),
  event("done", { follow_up: z.string(), evidence }),
  event("adopted", { key, menu: MenuSchema, evidence }),
  /** The evidence says why ivrctl deleted it, if a plan said so. */
  event("dropped", { key, recording, evidence: z.exactOptional(z.string()) }),
  /** In a recovered state: a person says that the service does not have this menu. */
  event("absent", { key, evidence }),
  /** In a recovered state: every menu of the files has a record, or is absent. */
  event("completed", {}),
  /** Somebody changed the menu on the console to what its file says, so nothing was sent. */
  event("changed-on-console", { key, menu: MenuSchema, by_hand: byHand, evidence: z.string() }),
  /**
   * The id of the key's current record, or of a follow-up's record. A later id corrects an earlier one. Of a
   * recording without a record, it also has what that is made from.
   */
  event("identified", {
    key,
    follow_up: z.nullable(z.string()),
    recording,
    make: added(9, z.exactOptional(RecipeSchema)),
    ...Learned,
  }),
  /** Without an open request: what a person sees on the console about a phone number of the menu. */
  event("number-seen", { key, number: z.string(), as: z.enum(["bound", "not-bound"]), evidence }),
  /** A person has pointed a phone number to the menu of the key, and so away from all others. */
  added(9, event("pointed", { key, number: z.string(), evidence })),
  /** Written before an apply sends anything, if the files are in git. */
  event("applied", commit),
  event("rebound", { address: z.string(), evidence: z.string() }),
]);

/** An event as the history stores it. */
export const EntrySchema = z.strictObject({
  /** Counts from 1 without gaps: the state's serial after this event. */
  seq: z.int(),
  at: z.string(),
  /** The run of ivrctl, and its author. */
  run: z.string(),
  by: z.string(),
  event: EventSchema,
});

/** The whole state, as a snapshot stores it. */
export const SnapshotSchema = z.strictObject({
  /** Null before the first event. */
  origin: z.nullable(StateOrigin),
  serial: z.int(),
  /** The sum of all events up to the serial. */
  head: z.string(),
  records: z.array(Recorded),
  recordings: z.array(RecordingText),
  /** How many follow-ups were ever opened. The last one was F with this number. */
  opened: z.int(),
  /** In a recovered state, the keys that the service does not have. */
  absent: z.array(z.string()),
  /** What the last apply sent. Null if its files were not in git. */
  applied: z.nullable(z.strictObject({ ...commit, at: z.string() })),
});

export type Confirmed = z.infer<typeof Confirmed>;
export type Pending = z.infer<typeof Pending>;
export type PendingBind = z.infer<typeof PendingBind>;
export type PendingRecording = z.infer<typeof PendingRecording>;
export type Bound = z.infer<typeof Bound>;
export type MenuRecord = z.infer<typeof MenuRecord>;
export type FollowUp = z.infer<typeof FollowUp>;
export type MadeRecording = z.infer<typeof MadeRecording>;
export type NumberRecord = z.infer<typeof NumberRecord>;
export type RecordingText = z.infer<typeof RecordingText>;
export type Recorded = z.infer<typeof Recorded>;
export type StateEvent = z.infer<typeof EventSchema>;
export type Intent = Extract<StateEvent, { kind: "intent" }>;
export type RecordedOutcome = z.infer<typeof OutcomeSchema>;
export type Entry = z.infer<typeof EntrySchema>;
export type StateOrigin = z.infer<typeof StateOrigin>;
export type AppliedCommit = NonNullable<z.infer<typeof SnapshotSchema>["applied"]>;
export type Snapshot = z.infer<typeof SnapshotSchema>;

/** A state before its first event. */
export const emptySnapshot: Snapshot = {
  origin: null,
  serial: 0,
  head: "",
  records: [],
  recordings: [],
  opened: 0,
  absent: [],
  applied: null,
};
