import { NameIndex, didYouMean } from "../../util/nearest.ts";
import type { StateView } from "./state.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { keyPattern, keyRule } from "../../schema/common.ts";
import { UsageError } from "../../util/usage-error.ts";

/** A key that a record is to get. */
export function judgeNewKey(key: string): void {
  if (!keyPattern.test(key)) throw new UsageError(`The key ${key || "''"} ${keyRule}.`);
}

/** One record a key, and no two keys that differ in case alone; `leaving` is given up for it. */
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

/** The nearest of these keys, for words that are none; an index is made with the first one. */
export function suggestions(keys: Iterable<string>): (word: string) => string | undefined {
  let index: NameIndex | undefined;
  return (word) => didYouMean((index ??= new NameIndex(keys)).nearest(word));
}
