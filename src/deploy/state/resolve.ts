import { isLost, needsId, outcomeEvent, recordRef } from "./records.ts";
import type { Menu } from "../../model/menu.ts";
import { type Ref, followUpIn, nameIn, refText } from "../../schema/ref.ts";
import type { MadeRecording, MenuRecord, StateEvent } from "../../schema/state.ts";
import type { Moment } from "./change.ts";
import {
  type StateView,
  liveRecords,
  numberRecord,
  openFollowUps,
  recordsOf,
  sortedMenus,
} from "./view.ts";

/** What the console shows. */
export type Fate = "created" | "absent";

/** A menu or an old menu that a person looked for on the console. */
export interface Subject extends Pick<MenuRecord, "key" | "current" | "pending"> {
  readonly ref: Ref;
  /** What its file says, if it has no record. */
  readonly content?: Menu;
  /** The recording, if it is no menu. */
  readonly made?: MadeRecording;
  /** The id that the console shows. */
  readonly id?: string | undefined;
}

/** The order in which the console lists menus: the oldest first. Of a lost record, that is not known. */
export function byCreation(a: Subject, b: Subject): number {
  const [at, other] = [createdAt(a), createdAt(b)];
  return at === other ? 0 : at < other ? -1 : 1;
}

function createdAt({ current, pending }: Subject): string {
  if (isLost(pending?.seen?.message)) return "~";
  return pending?.sent_at ?? current?.created_at ?? "~";
}

/** Returns everything that has a record except phone numbers: the menus, sorted, the old ones, and recordings. */
export function subjectsIn(state: StateView): ReadonlyMap<Ref, Subject> {
  const menus = [...sortedMenus(state), ...openFollowUps(state)].map((record): Subject => {
    const { key, current, pending } = record;
    return { ref: recordRef(record), key, current, pending };
  });
  const recordings = recordsOf(state, "recording").map((made): Subject => {
    return { ref: recordRef(made), key: made.key, current: null, pending: null, made };
  });
  return new Map([...menus, ...recordings].map((subject) => [subject.ref, subject]));
}

/** The recorded id of the menu itself. A create or a replacement with an unknown outcome has none. */
export function recordedId({ current, pending }: Subject): string | undefined {
  return pending && !needsId(pending) ? undefined : current?.identified?.id;
}

/** Returns what to record about a menu or a recording. */
export function resolveEvents(subject: Subject, fate: Fate, evidence: string | null): StateEvent[] {
  const { ref, key, pending, content, id, made } = subject;
  if (made) return recordingEvents(made, fate, id, evidence);
  const events: StateEvent[] = [];
  if (pending && !isLost(pending.seen?.message)) {
    // A menu that was to be deleted is still there if the console shows it.
    const isDone = (fate === "created") === (pending.action !== "delete");
    events.push(
      outcomeEvent(pending, { how: "person", as: isDone ? "done" : "not-done", evidence }),
    );
  } else if (fate === "absent") {
    events.push({ kind: "absent", key, evidence });
  } else if (content) {
    events.push({ kind: "adopted", key, menu: content, evidence });
  }
  if (id !== undefined && id !== recordedId(subject)) {
    const about = { key, follow_up: followUpIn(ref), id } as const;
    events.push({ kind: "identified", ...about, how: "person", evidence });
  }
  return events;
}

/** One that exists without an id can be absent all the same: the service did not make it in the end. */
function recordingEvents(
  { key, pending }: MadeRecording,
  fate: Fate,
  id: string | undefined,
  evidence: string | null,
): StateEvent[] {
  const about = { key, recording: true } as const;
  const how = { how: "person", evidence } as const;
  const as = fate === "created" ? "done" : "not-done";
  if (fate === "absent" && !pending) {
    return [{ kind: "dropped", ...about, evidence: evidence ?? "a person looked at the console" }];
  }
  return [
    ...(pending ? [outcomeEvent(pending, { ...how, as })] : []),
    ...(id === undefined
      ? []
      : [{ kind: "identified", ...about, follow_up: null, id, ...how } as const]),
  ];
}

/** Reports an id that two menus would have. */
export function checkIds(
  subjects: readonly Subject[],
  { state, report }: Pick<Moment, "state" | "report">,
): void {
  const corrected = new Set(
    subjects.flatMap((one) =>
      one.id !== undefined && recordedId(one) !== undefined ? one.ref : [],
    ),
  );
  const claims = new Map(
    liveRecords(state).flatMap(({ ref, current: { identified } }) =>
      identified === undefined || corrected.has(ref)
        ? []
        : [[identified.id, refText(ref)] as const],
    ),
  );
  for (const { ref, id, made } of subjects) {
    if (id === undefined || made) continue;
    const [name, whose] = [nameIn(ref), claims.get(id)];
    if (whose === undefined) claims.set(id, name);
    else {
      report(
        `The id ${id} cannot belong to ${name}: it is the id of ${whose}. Two menus cannot have the same id.`,
        `Check the ids on the console. If ${whose} has a different id, write that one, too.`,
      );
    }
  }
}

/**
 * Plans resolve phone numbers themselves, except those that the account does not have any more. Where
 * a number points to after its bind is asked only if the list may lag behind.
 */
export function numberEvents(
  number: string,
  state: StateView,
  fate: Fate,
  evidence: string | null,
): StateEvent[] {
  const { current, pending: open } = numberRecord(state, number) ?? {};
  const sent = (open ?? current)?.key;
  const named = liveRecords(state).flatMap((one) =>
    one.current.menu.numbers?.includes(number) ? one.key : [],
  );
  const keys = fate === "created" ? [sent] : [sent, ...named];
  const isBound = fate === "created";
  return [...new Set(keys)].flatMap((key): StateEvent | [] => {
    if (key === undefined) return [];
    return open?.key === key
      ? outcomeEvent(open, { how: "person", as: isBound ? "done" : "not-done", evidence })
      : { kind: "number-seen", key, number, as: isBound ? "bound" : "not-bound", evidence };
  });
}
