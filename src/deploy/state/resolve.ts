import { isLost, needsId, outcomeEvent, recordRef } from "./records.ts";
import type { Menu } from "../../model/menu.ts";
import { type Ref, followUpIn, nameIn, refText } from "../../schema/ref.ts";
import type { MenuRecord, StateEvent } from "../../schema/state.ts";
import type { Moment } from "./change.ts";
import { type StateView, liveRecords, numberRecord, openFollowUps, sortedMenus } from "./view.ts";

/** What the console shows. */
export type Fate = "created" | "absent";

/** A menu or an old menu that a person looked for on the console. */
export interface Subject extends Pick<MenuRecord, "key" | "current" | "pending"> {
  readonly ref: Ref;
  /** What its file says, if it has no record. */
  readonly content?: Menu;
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

/** Returns all menus and old menus that have a record: the menus, sorted, and then the old ones. */
export function subjectsIn(state: StateView): ReadonlyMap<Ref, Subject> {
  return new Map(
    [...sortedMenus(state), ...openFollowUps(state)].map((record) => {
      const ref = recordRef(record);
      const { key, current, pending } = record;
      return [ref, { ref, key, current, pending }];
    }),
  );
}

/** The recorded id of the menu itself. A create or a replacement with an unknown outcome has none. */
export function recordedId({ current, pending }: Subject): string | undefined {
  return pending && !needsId(pending) ? undefined : current?.identified?.id;
}

/** Returns what to record about a menu. */
export function resolveEvents(subject: Subject, fate: Fate, evidence: string | null): StateEvent[] {
  const { ref, key, pending, content, id } = subject;
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
  for (const { ref, id } of subjects) {
    if (id === undefined) continue;
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
