import { destinationsIn, menuDestination } from "../../schema/wire.ts";
import { referencesIn } from "./links.ts";
import { type Change, type Sending, isCreating, isSending } from "./plan.ts";

type Waiting = Extract<Change, { action: "waiting" }>;

/**
 * Lets menus wait that lead to a menu which is neither on record nor created by this plan, or which
 * the service does not list any more, whether it is a target or not (`all`). Changes come after those
 * of the menus that they lead to, so only circles need more than one round.
 */
export function waitingForAbsent(
  changes: readonly Change[],
  all: readonly Change[],
): readonly Change[] {
  const created = new Set(changes.filter(isCreating).map(({ key }) => key));
  const waiting = new Set(changes.flatMap((one) => (one.action === "waiting" ? one.key : [])));
  const missing = new Map(
    all.flatMap((one) => (one.action === "missing" ? [[menuDestination(one.id), one.key]] : [])),
  );
  const waitsOf = ({ after }: Sending): Waiting["waitsFor"] => [
    ...referencesIn(after)
      .filter((key) => !created.has(key))
      .map((key) => ({ key, because: waiting.has(key) ? "waiting" : "absent" }) as const),
    ...[...new Set(destinationsIn(after.payload))].flatMap((to) => {
      const key = missing.get(to);
      return key === undefined ? [] : ({ key, because: "missing" } as const);
    }),
  ];
  let left = changes;
  for (let known = -1; known !== waiting.size;) {
    known = waiting.size;
    left = left.map((change) => {
      if (!isSending(change)) return change;
      const waitsFor = waitsOf(change);
      if (waitsFor.length === 0) return change;
      created.delete(change.key);
      waiting.add(change.key);
      return asWaiting(change, waitsFor);
    });
  }
  return left;
}

function asWaiting(change: Sending, waitsFor: Waiting["waitsFor"]): Waiting {
  const { key, name, after } = change;
  const { before, movedFrom } = change.action === "create" ? recordOf(change) : change;
  const drift = "drift" in change && change.drift ? { drift: change.drift } : {};
  return { action: "waiting", key, name, before, after, movedFrom, waitsFor, ...drift };
}

/** The record of a menu that is created again; none for a new menu. */
function recordOf({ key, recreates }: Extract<Change, { action: "create" }>): {
  readonly before: Waiting["before"];
  readonly movedFrom: string | null;
} {
  if (recreates === undefined) return { before: null, movedFrom: null };
  const { key: old, before } = recreates;
  return { before, movedFrom: old === key ? null : old };
}

/** A menu for which nothing may be sent yet is not created by this plan. */
export function withoutHeld(change: Waiting, held: ReadonlySet<string>): Waiting {
  const waitsFor = change.waitsFor.map(({ key, because }) =>
    because === "sent" && held.has(key) ? { key, because: "absent" as const } : { key, because },
  );
  return { ...change, waitsFor };
}
