import type { Observed } from "../listed/observed.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { type Ref, nameIn } from "../../schema/ref.ts";
import { type Destination, isSameTarget, linkedIds } from "../../model/menu.ts";
import {
  type StateView,
  liveRecord,
  liveRecords,
  menuRecord,
  numberRecord,
  numbersOnRecord,
  recordsOf,
} from "../state/view.ts";
import type { Decided } from "./decided.ts";
import { type LiveNumbers, asInFiles } from "../listed/live-numbers.ts";
import type { DestinationWords } from "../listed/names.ts";
import type { LiveMenus } from "../listed/live-menus.ts";
import { type Link, type Prior, type Resource, unreadableLink } from "./steps/resource.ts";
import { type Step, isHeld } from "./steps/step.ts";

/* The optional operation `numbers`: what a plan needs and does. */

/** The phone numbers that the files or the state name. */
export function numberResources(
  wanted: readonly Desired[],
  state: StateView,
  numbers: LiveNumbers,
  menus: LiveMenus | undefined,
): Resource[] {
  const keyOf = new Map(
    wanted.flatMap(({ key, content }) =>
      (content?.numbers ?? []).map((number) => [number, key] as const),
    ),
  );
  const isOurs = ownDestinations(state, menus);
  return [...new Set([...keyOf.keys(), ...numbersOnRecord(state)])].map((number): Resource => {
    const key = keyOf.get(number);
    const observed = observe(number, numbers);
    const isForeign = key !== undefined && !isOurs(key, number, pointedTo(observed));
    return {
      ref: `number:${number}`,
      desired: key === undefined ? undefined : { to: { kind: "menu", key } },
      prior: priorOf(number, state),
      observed,
      spares: [],
      doubts: isForeign ? [{ why: had(key, number, state) ? "number-moved" : "number-taken" }] : [],
    };
  });
}

/** What a listed number points to. Null for nothing. */
function pointedTo(observed: Observed): Destination | null {
  return observed.kind === "seen" && "to" in observed.content ? observed.content.to : null;
}

/** Whether the number pointed to the menu of the key when that was last recorded. */
function had(key: string, number: string, state: StateView): boolean {
  // Without a record of the menu, apply would create a second one.
  const isOnRecord = menuRecord(state, key)?.current != null;
  return isOnRecord && numberRecord(state, number)?.current?.key === key;
}

function observe(number: string, numbers: LiveNumbers): Observed {
  const [first, ...others] = numbers.find(number);
  if (first === undefined) return { kind: "absent" };
  if (others.length > 0) {
    return { kind: "unreadable", candidates: [first, ...others].map(({ id }) => id) };
  }
  return { kind: "seen", content: { to: first.destination }, id: first.id, webhooks: [] };
}

function priorOf(number: string, state: StateView): Prior | undefined {
  const record = numberRecord(state, number);
  if (record === undefined) return undefined;
  const { current, pending } = record;
  return {
    content: current === null ? undefined : { to: current.to.at(-1) ?? null },
    pending: pending ? { op: "bind", content: { to: pending.after } } : undefined,
  };
}

/**
 * Says whether a number may be taken from what it points to: from nothing, from a recorded menu, and
 * from a menu that is gone, if ivrctl bound the number to it or the key had the number before. A list
 * that may be cut off proves nothing about menus that are gone.
 */
function ownDestinations(
  state: StateView,
  menus: LiveMenus | undefined,
): (key: string, number: string, destination: Destination | null) => boolean {
  const records = liveRecords(state).flatMap(({ current, pending }) =>
    current.identified ? { id: current.identified.id, pending } : [],
  );
  const onRecord = new Set(records.map(({ id }) => id));
  // A menu whose delete has an unknown outcome may be gone.
  const isComplete =
    menus !== undefined &&
    !menus.isUncertain &&
    records.every(({ id, pending }) => pending?.action === "delete" || menus.has(id));
  return (key, number, destination) => {
    const id = destination?.kind === "menu" ? destination.id : undefined;
    if (destination === null || (id !== undefined && onRecord.has(id))) return true;
    if (id === undefined || !isComplete || menus.has(id)) return false;
    const had = menuRecord(state, key)?.current?.menu.numbers ?? [];
    const bound = numberRecord(state, number)?.current?.to ?? [];
    return had.includes(number) || bound.some((one) => isSameTarget(one, destination));
  };
}

/** The phone numbers that point to menus, or may do so. */
export function numberLinks(
  state: StateView,
  list: LiveNumbers,
  menus: LiveMenus | undefined,
): Link[] {
  const listed = list.numbers.flatMap((phoneNumber): Link[] => {
    const to =
      phoneNumber.destination === null ? undefined : menus?.menuIn(phoneNumber.destination);
    return to === undefined
      ? []
      : [{ from: `number:${asInFiles(phoneNumber)}`, to, kind: "listed" }];
  });
  return [
    ...listed,
    ...list.unreadable.map((record) => unreadableLink(record, "phone numbers")),
    ...laggingLinks(state, list),
  ];
}

/**
 * The menus that numbers were bound to, although the list does not show that. A list that shows
 * something new is not one from before the bind.
 */
function laggingLinks(state: StateView, numbers: LiveNumbers): Link[] {
  return recordsOf(state, "number").flatMap(({ number, current }): Link[] => {
    if (current === null) return [];
    const { id, to, former } = current;
    const listedTarget = numbers.withId(id)?.destination;
    if (listedTarget === undefined) return [];
    if (![...to, ...former].some((one) => isSameTarget(one, listedTarget))) return [];
    return to.flatMap((target) =>
      isSameTarget(target, listedTarget)
        ? []
        : { from: `number:${number}`, to: linkedIds([target])[0], kind: "lagging" },
    );
  });
}

/** A phone number that apply points to the menu, after the menu exists. */
export interface Bind {
  /** As the file writes it: `+912241234567`. */
  readonly number: string;
  /** What it points to; null if it points nowhere. */
  readonly before: Destination | null;
  /** What callers reach before, in words. */
  readonly from: string;
  /** Whether somebody pointed it there on the console, after it was bound to something else. */
  readonly isOnConsole: boolean;
  /** The id of the number on the service. */
  readonly id: string;
  /** The menu. Without its id if that is known only after apply. */
  readonly after: Destination;
}

/** The phone numbers of a menu's file that apply points to the menu. `reached` says what callers reach. */
export function bindsOf(
  ref: Ref,
  numbers: readonly string[],
  stepsOf: (ref: Ref) => readonly Step[],
  reached: DestinationWords | undefined,
  state: StateView,
): Bind[] {
  return numbers.flatMap((number) => {
    const step = stepsOf(`number:${number}`).find(({ op }) => op === "bind");
    if (step?.id === undefined || isHeld(step)) return [];
    const before = step.base && "to" in step.base ? step.base.to : null;
    const id = step.links[ref];
    const after = { kind: "menu", key: nameIn(ref), ...(id !== undefined && { id }) } as const;
    const bound = numberRecord(state, number)?.current?.to;
    const isOnConsole = bound?.some((to) => isSameTarget(to, before)) === false;
    const from = reached?.(before) ?? "nothing";
    return { number, before, from, isOnConsole, id: step.id, after };
  });
}

/** The numbers that no file names any more, and that still point to the menu that had them. */
export function numbersKept(
  { ref, from, desired }: Resource,
  { resources, state }: Pick<Decided, "resources" | "state">,
): string[] {
  const current = liveRecord(state, from ?? ref);
  const id = current?.identified?.id;
  if (id === undefined || desired === undefined) return [];
  return (current?.menu.numbers ?? []).filter((number) => {
    const resource = resources.find((one) => one.ref === `number:${number}`);
    const to = resource && pointedTo(resource.observed);
    return resource?.desired === undefined && to?.kind === "menu" && to.id === id;
  });
}
