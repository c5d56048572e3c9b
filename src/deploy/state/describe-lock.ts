import type { Lock } from "./store.ts";

/** Who holds a lock, what for, where and since when. */
export function describeLock({ id, by, command, since, host, pid }: Lock): string {
  const process = pid === null ? "" : `, process ${pid}`;
  return `${by} (${command} on ${host}${process}, since ${since}; lock ${id})`;
}
