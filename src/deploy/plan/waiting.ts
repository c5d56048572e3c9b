import { referencesIn } from "./links.ts";
import { type Change, type Sending, isCreating, isSending } from "./plan.ts";

type Waiting = Extract<Change, { action: "waiting" }>;

/**
 * Lets menus wait that lead to a menu which is neither on record nor created by this plan. Changes
 * come after those of the menus that they lead to, so only circles need more than one round.
 */
export function waitingForAbsent(changes: readonly Change[]): readonly Change[] {
  const created = new Set(changes.filter(isCreating).map(({ key }) => key));
  const waiting = new Set(changes.flatMap((one) => (one.action === "waiting" ? one.key : [])));
  let left = changes;
  for (let known = -1; known !== waiting.size;) {
    known = waiting.size;
    left = left.map((change) => {
      const absent = isSending(change)
        ? referencesIn(change.after).filter((key) => !created.has(key))
        : [];
      if (!isSending(change) || absent.length === 0) return change;
      created.delete(change.key);
      waiting.add(change.key);
      return asWaiting(
        change,
        absent.map((key) => ({ key, because: waiting.has(key) ? "waiting" : "absent" })),
      );
    });
  }
  return left;
}

function asWaiting(change: Sending, waitsFor: Waiting["waitsFor"]): Waiting {
  const { key, name, after } = change;
  const { before, movedFrom } =
    change.action === "create" ? { before: null, movedFrom: null } : change;
  return { action: "waiting", key, name, before, after, movedFrom, waitsFor };
}

/** A menu for which nothing may be sent yet is not created by this plan. */
export function withoutHeld(change: Waiting, held: ReadonlySet<string>): Waiting {
  const waitsFor = change.waitsFor.map(({ key, because }) =>
    because === "sent" && held.has(key) ? { key, because: "absent" as const } : { key, because },
  );
  return { ...change, waitsFor };
}
