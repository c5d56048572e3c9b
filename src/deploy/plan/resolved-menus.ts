import { idsOnRecord } from "../state/view.ts";
import { isMenu, isNumber, nameIn } from "../../schema/ref.ts";
import type { StateEvent } from "../../schema/state.ts";
import { type Moment, refuseTaken } from "../state/change.ts";
import { type Fate, type Subject, numberEvents, resolveEvents } from "../state/resolve.ts";
import type { StateView } from "../state/state.ts";
import { type ExistingMenus, existingContents } from "./existing-menus.ts";
import { unresolved } from "../listed/reconcile.ts";

/** A menu or a phone number, and what the console shows. */
export type Chosen = Subject & { readonly fate: Fate };

/** Returns the menus with what their files say, if they have no record. Reports those without a valid file. */
export function withContents(
  subjects: readonly Chosen[],
  files: ExistingMenus | undefined,
  moment: Moment,
): Chosen[] {
  const { state } = moment;
  const isNew = ({ ref, fate }: Chosen) =>
    fate === "created" && isMenu(ref) && !state.records.has(ref);
  const newIds = subjects.flatMap(({ ref, key, id }) =>
    id === undefined || !isMenu(ref) ? [] : [[key, id] as const],
  );
  const ids = new Map([...idsOnRecord(state), ...newIds]);
  const fresh = subjects.filter(isNew).map(({ key }) => key);
  const contents = files && existingContents(files, fresh, ids, moment);
  for (const key of fresh) refuseTaken(key, moment);
  return subjects.flatMap((subject) => {
    const content = contents?.get(subject.key);
    if (!isNew(subject)) return subject;
    return content ? { ...subject, content } : [];
  });
}

/** What to record about menus and phone numbers, and when the last menu of a recovered state is resolved. */
export function eventsFor(
  subjects: readonly Chosen[],
  files: ExistingMenus | undefined,
  state: StateView,
  evidence: string | null,
): StateEvent[] {
  return [
    ...subjects.flatMap((subject) =>
      isNumber(subject.ref)
        ? numberEvents(nameIn(subject.ref), state, subject.fate, evidence)
        : resolveEvents(subject, subject.fate, evidence),
    ),
    ...completion(files, state, subjects),
  ];
}

function completion(
  files: ExistingMenus | undefined,
  state: StateView,
  subjects: readonly Subject[],
): StateEvent[] {
  if (files === undefined || state.origin?.recovered === undefined) return [];
  const done = new Set(subjects.map(({ key }) => key));
  const isComplete = unresolved(files.menus, state).every(({ key }) => done.has(key));
  return isComplete ? [{ kind: "completed" }] : [];
}
