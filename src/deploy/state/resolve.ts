import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Confirmed, Pending, StateEvent } from "../../schema/state.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { isLost } from "../plan/reconcile.ts";
import { needsId, outcomeEvent } from "./records.ts";
import type { StateView } from "./state.ts";
import { liveRecords, openFollowUps } from "./view.ts";

/** What the console shows. */
export type Fate = "created" | "absent";

/** A menu that a person looked for on the console. */
export interface Subject {
  /** Its key, or the follow-up that is about it. */
  readonly name: string;
  readonly key: string;
  readonly followUp: string | null;
  /** The record of the menu, or of the one that was to be replaced. */
  readonly current: Confirmed | null;
  /** Its request with an unknown outcome. */
  readonly pending?: Pending | undefined;
  /** What its file says, if it has no record. */
  readonly content?: MenuContent;
  /** The id that the console shows. */
  readonly id?: string | undefined;
}

/** Returns everything that has a record: the menu keys, sorted, and then the follow-ups. */
export function subjectsIn(state: StateView): ReadonlyMap<string, Subject> {
  const subjects: Subject[] = [
    ...[...state.keys]
      .map(([key, { current, pending }]) => {
        return { name: key, key, followUp: null, current, pending: pending ?? undefined };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    ...openFollowUps(state).map(({ id, key, record, pending }) => {
      return { name: id, key, followUp: id, current: record, pending };
    }),
  ];
  return new Map(subjects.map((subject) => [subject.name, subject]));
}

/** The id on record of the menu itself. A create or a replacement with an unknown outcome has none. */
export function recordedId({ current, pending }: Subject): string | undefined {
  return pending && !needsId(pending) ? undefined : current?.identified?.id;
}

/** Returns what to record about a menu. */
export function resolveEvents(subject: Subject, fate: Fate, evidence: string | null): StateEvent[] {
  const { key, followUp, pending, content, id } = subject;
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
    events.push({ kind: "adopted", key, ...content, evidence });
  }
  if (id !== undefined && id !== recordedId(subject)) {
    const about = { key, follow_up: followUp, id } as const;
    events.push({ kind: "identified", ...about, how: "person", evidence });
  }
  return events;
}

/** Reports an id that two menus would have. */
export function checkIds(
  subjects: readonly Subject[],
  state: StateView,
  place: string,
  diagnostics: Diagnostics,
): void {
  const corrected = new Set(
    subjects.flatMap((one) =>
      one.id !== undefined && recordedId(one) !== undefined ? one.name : [],
    ),
  );
  const claims = new Map(
    liveRecords(state).flatMap(({ key, followUp, record: { identified } }) =>
      identified === undefined || corrected.has(followUp ?? key)
        ? []
        : [[identified.id, followUp === null ? key : `follow-up ${followUp}`] as const],
    ),
  );
  for (const { name, id } of subjects) {
    if (id === undefined) continue;
    const whose = claims.get(id);
    if (whose === undefined) claims.set(id, name);
    else {
      diagnostics.addAt(
        "IVR631",
        { file: place },
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
  const open = state.binds.get(number);
  const sent = (open ?? state.bound.get(number))?.key;
  const named = liveRecords(state).flatMap(({ key, record }) =>
    record.naming.numbers?.includes(number) ? key : [],
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
