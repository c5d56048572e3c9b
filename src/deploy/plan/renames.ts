import { normalName } from "../../compile/agents.ts";
import { digestOf } from "./digest.ts";
import { type Change, isSending, payloadsOf } from "./plan.ts";

/** A file that was renamed to the key of another record. */
export interface Rename {
  /** The key of the record with the content of the file. */
  readonly from: string;
  /** The record to move first, and the free key to move it to. */
  readonly first: readonly [from: string, to: string];
}

/**
 * Finds files that were renamed in a chain or a circle, for example `b` to `c` and then `a` to `b`. Each
 * then looks like a change of the menu that had its key before. Returns the renames by the new key.
 */
export function renamesIn(changes: readonly Change[]): ReadonlyMap<string, Rename> {
  const recorded = new Set<string>();
  const left = new Map<string, string>();
  for (const change of changes) {
    const { before, after } = payloadsOf(change);
    if (before === null) continue;
    recorded.add(change.key);
    const isLeft = after === null || normalName(before.name) !== normalName(after.name);
    if (isLeft && !("movedFrom" in change && change.movedFrom !== null)) {
      left.set(digestOf(before), change.key);
    }
  }
  const next = new Map<string, string>();
  for (const change of changes) {
    const from = isSending(change) ? left.get(change.after.digest) : undefined;
    if (from !== undefined && from !== change.key) next.set(from, change.key);
  }
  const files = new Set(changes.filter(isSending).map(({ key }) => key));
  return new Map(
    [...next].flatMap(([from, to]) => {
      const first = firstMove(from, next, recorded);
      // A new menu whose old file is gone is the usual rename. It needs no order.
      if (first === undefined || !(recorded.has(to) || files.has(from))) return [];
      return [[to, { from, first }] as const];
    }),
  );
}

/**
 * The last record of a chain, which goes to a free key. In a circle, no key is free. Undefined if the
 * chain ends at a key whose record is nowhere else: then somebody replaced the content of that file.
 */
function firstMove(
  start: string,
  next: ReadonlyMap<string, string>,
  recorded: ReadonlySet<string>,
): Rename["first"] | undefined {
  const seen = new Set<string>();
  for (let from = start; ;) {
    const to = next.get(from);
    if (to === undefined) return undefined;
    if (!recorded.has(to)) return [from, to];
    if (seen.has(from)) return [from, `${from}-old`];
    seen.add(from);
    from = to;
  }
}
