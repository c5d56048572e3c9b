/** What of a list has room, and how much of it has not. */
export interface Fitted<T> {
  /** In the order given. */
  readonly shown: readonly T[];
  readonly left: readonly T[];
}

/** As many whole items as fit, the more important ones first; one that is too long is left out alone. */
export function fit<T>(
  items: readonly T[],
  room: number,
  sizeOf: (item: T) => number,
  rankOf: (item: T) => number = () => 0,
): Fitted<T> {
  const chosen = new Set<T>();
  let used = 0;
  for (const item of [...items].sort((a, b) => rankOf(a) - rankOf(b))) {
    const size = sizeOf(item);
    if (used + size > room) continue;
    used += size;
    chosen.add(item);
  }
  return {
    shown: items.filter((item) => chosen.has(item)),
    left: items.filter((item) => !chosen.has(item)),
  };
}
