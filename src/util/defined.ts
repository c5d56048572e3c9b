/** Returns the list, or undefined if one of its items is undefined. */
export function allItemsDefined<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const defined = items.filter((item) => item !== undefined);
  return defined.length === items.length ? defined : undefined;
}
