import type { Payload } from "../../schema/wire.ts";
import { factsOf } from "./digest.ts";

/** One thing that differs: a wire field, or an option's part of one (`destination.2`). */
export interface Difference {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What differs in meaning; nothing where one of the two is missing as a whole. */
export function differences(before: Payload | null, after: Payload | null): Difference[] {
  if (before === null || after === null) return [];
  const [old, now] = [factsOf(before), factsOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((field) => {
    const [was, is] = [old.get(field) ?? null, now.get(field) ?? null];
    return was === is ? [] : { field, before: was, after: is };
  });
}
