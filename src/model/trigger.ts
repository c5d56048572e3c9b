import { keyPlace } from "./menu.ts";
import { many } from "../util/many.ts";
import type { CallPath } from "./call-menu.ts";

/** What a caller does to reach a destination, as pictures and pages show it. */
export interface Trigger {
  readonly keys: readonly string[];
  /** The purpose of the key, as callers hear it. */
  readonly purpose: string | undefined;
  /** Other causes that go there: `after 3 wrong keys`. */
  readonly otherwise: readonly string[];
}

/** A path, whatever it reaches. */
type Way = Omit<CallPath, "destination">;

/** What a caller does to take a path. */
export function triggerOf(way: Way): Trigger {
  const { via, key, for: purpose, retries = "0", wait } = way;
  if (key !== undefined) return { keys: [key], purpose, otherwise: [] };
  const last = Number(retries) + 1;
  const words =
    via === "invalid"
      ? `after ${many(last, "wrong key")}`
      : `after ${many(last, "silence")}: waits ${many(Number(wait), "second")} for a key`;
  return { keys: [], purpose: undefined, otherwise: [words] };
}

/** A trigger in words: `key 2 (Billing)`, or `keys 1, 2, wrong key` for several. */
export function describeTrigger({ keys, purpose, otherwise }: Trigger): string {
  const [first, ...others] = keys;
  const named =
    first === undefined ? [] : [others.length === 0 ? keyPlace(first) : `keys ${keys.join(", ")}`];
  const pressed = named.map((words) => (purpose === undefined ? words : `${words} (${purpose})`));
  return [...pressed, ...otherwise].join(", ");
}
