import { type Ref, isRecording, menuRef, nameIn, recordingRef } from "../../schema/ref.ts";
import { second } from "../../util/time.ts";
import type {
  AppliedCommit,
  Confirmed,
  FollowUp,
  MadeRecording,
  MenuRecord,
  NumberRecord,
  StateOrigin,
  Recorded,
  RecordingText,
} from "../../schema/state.ts";

/** A state that can be read but not changed. */
export interface StateView {
  /** Null before anything was ever recorded. */
  readonly origin: StateOrigin | null;
  /** The number of events. */
  readonly serial: number;
  /** A hash of all events in their order; "" before the first. */
  readonly head: string;
  /** Everything that ivrctl has on the service, or may have: menus, old menus and phone numbers. */
  readonly records: ReadonlyMap<Ref, Recorded>;
  /** The texts of recordings, by the ids of the recordings. */
  readonly recordings: ReadonlyMap<string, RecordingText>;
  /** How many follow-ups were ever opened. */
  readonly opened: number;
  /** In a recovered state, the keys that the service does not have. */
  readonly absent: ReadonlySet<string>;
  /** The commit that the last apply sent. Null if its files were not in git. */
  readonly applied: AppliedCommit | null;
}

type Records = Pick<StateView, "records">;

export function menuRecord({ records }: Records, key: string): MenuRecord | undefined {
  const found = records.get(menuRef(key));
  return found?.kind === "menu" ? found : undefined;
}

export function followUpRecord({ records }: Records, id: string): FollowUp | undefined {
  const found = records.get(`old:${id}`);
  return found?.kind === "old" ? found : undefined;
}

export function numberRecord({ records }: Records, number: string): NumberRecord | undefined {
  const found = records.get(`number:${number}`);
  return found?.kind === "number" ? found : undefined;
}

export function madeRecording({ records }: Records, name: string): MadeRecording | undefined {
  const found = records.get(recordingRef(name));
  return found?.kind === "recording" ? found : undefined;
}

type Kind = Recorded["kind"];
type RecordOf<K extends Kind> = Extract<Recorded, { kind: K }>;

/** All records of one kind. */
export function recordsOf<K extends Kind>({ records }: Records, kind: K): RecordOf<K>[] {
  return [...records.values()].filter((one): one is RecordOf<K> => one.kind === kind);
}

/** The keys of the recorded menus. What a trial calls its menu is the key of no file. */
export function menuKeys(state: Records): string[] {
  return recordsOf(state, "menu").flatMap(({ key, pending }) => (pending?.trial ? [] : key));
}

export function sortedMenus(state: Records): MenuRecord[] {
  return recordsOf(state, "menu").sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The open follow-ups, the oldest first. */
export function openFollowUps(state: Records): FollowUp[] {
  const age = ({ id }: FollowUp) => Number(id.slice(1));
  return recordsOf(state, "old").sort((a, b) => age(a) - age(b));
}

/** A text that a person has to record. It is a follow-up, too. */
export type OpenText = RecordingText & { readonly open: NonNullable<RecordingText["open"]> };

/** The texts that a person has to record, the oldest first. */
export function openTexts({ recordings }: Pick<StateView, "recordings">): OpenText[] {
  const age = ({ open }: OpenText) => Number(open.follow_up.slice(1));
  return [...recordings.values()]
    .filter((one): one is OpenText => one.open !== null)
    .sort((a, b) => age(a) - age(b));
}

/** The text whose follow-up has this id. */
export function openText(state: Pick<StateView, "recordings">, id: string): OpenText | undefined {
  return openTexts(state).find(({ open }) => open.follow_up === id);
}

/** A menu or an old menu that exists on the service. */
export interface LiveRecord {
  readonly ref: Ref;
  readonly key: string;
  readonly current: Confirmed;
  readonly pending: MenuRecord["pending"];
}

/** Every recorded menu that exists on the service, the current and the old ones. */
export function liveRecords({ records }: Records): LiveRecord[] {
  return [...records].flatMap(([ref, record]) =>
    record.kind === "number" || record.kind === "recording" || record.current === null
      ? []
      : { ref, key: record.key, current: record.current, pending: record.pending },
  );
}

/** The record of a menu or an old menu that exists on the service. */
export function liveRecord({ records }: Records, ref: Ref): Confirmed | undefined {
  const found = records.get(ref);
  return found?.kind === "menu" || found?.kind === "old" ? (found.current ?? undefined) : undefined;
}

/** When a menu was created. Nothing records when an adopted menu was created on the service. */
export function creationTime({ settled, created_at: at }: Confirmed): string {
  return `${settled.how === "adopted" ? "recorded" : "created"} ${second(at)} UTC`;
}

/** The record that an event without a follow-up is about. The menu of a trial has no other name than its key. */
export function withoutFollowUp(state: StateView, key: string): MenuRecord | FollowUp | undefined {
  const isTrial = (one: FollowUp) => one.reason === "trial" && one.key === key;
  return menuRecord(state, key) ?? openFollowUps(state).find(isTrial);
}

/** What people find a menu by on the console while its id is not known. */
export function nameAndTime(record: Confirmed): string {
  return `“${record.menu.name}” (${creationTime(record)})`;
}

/** The recorded id of a menu, an old menu or a recording. */
export function idOnRecord(state: Records, ref: Ref): string | undefined {
  if (isRecording(ref)) return madeRecording(state, nameIn(ref))?.current?.identified?.id;
  return liveRecord(state, ref)?.identified?.id;
}

/** The phone numbers that recorded menus have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: Records): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ current }) => current.menu.numbers ?? []);
  return new Set([...named, ...recordsOf(state, "number").map(({ number }) => number)]);
}

/** The ids of everything that is recorded, the current menus and the old ones. */
export function idsOfRecords(records: readonly LiveRecord[]): Set<string> {
  return new Set(records.flatMap(({ current }) => current.identified?.id ?? []));
}

/** The id of each menu whose current record has one, by key. */
export function idsOnRecord(state: StateView): ReadonlyMap<string, string> {
  return new Map(
    recordsOf(state, "menu").flatMap(({ key, current }) =>
      current?.identified === undefined ? [] : [[key, current.identified.id]],
    ),
  );
}
