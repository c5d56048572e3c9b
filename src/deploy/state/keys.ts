import { NameIndex, didYouMean } from "../../util/nearest.ts";
import type { StateView } from "./state.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { keyPattern, keyRule } from "../../schema/common.ts";
import { UsageError } from "../../cli/command.ts";

/** Refuses a new key that is not a valid one. */
export function judgeNewKey(key: string): void {
  if (!keyPattern.test(key)) throw new UsageError(`The key ${key || "''"} ${keyRule}.`);
}

/** Refuses a key that has a record, or that differs only in case from one. `leaving` is the key it replaces. */
export function refuseTaken(
  key: string,
  { keys }: StateView,
  place: string,
  diagnostics: Diagnostics,
  leaving?: string,
): void {
  for (const other of keys.keys()) {
    if (other.toLowerCase() !== key.toLowerCase()) continue;
    if (other === key) {
      diagnostics.addFile("IVR631", place, `${key} has a record already.`);
    } else if (other !== leaving) {
      diagnostics.addFile(
        "IVR631",
        place,
        `${key} differs from ${other}, which has a record, in case alone.`,
      );
    }
  }
}

/** Suggests the nearest of these keys for a word. Builds its index at the first word. */
export function suggestions(keys: Iterable<string>): (word: string) => string | undefined {
  let index: NameIndex | undefined;
  return (word) => didYouMean((index ??= new NameIndex(keys)).nearest(word));
}
