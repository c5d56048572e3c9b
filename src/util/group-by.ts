/** The same as `Map.groupBy`, which Node 20 does not have. A group is never empty. */
export function groupBy<T, K>(
  items: readonly T[],
  nameOf: (item: T) => K,
): ReadonlyMap<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}
