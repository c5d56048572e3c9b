type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns the record, or undefined if one of its fields is undefined. */
export function allFieldsDefined<T extends object>(record: T): Defined<T> | undefined {
  return hasAllFields(record) ? record : undefined;
}

/** Returns the list, or undefined if one of its items is undefined. */
export function allItemsDefined<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const defined = items.filter((item) => item !== undefined);
  return defined.length === items.length ? defined : undefined;
}

function hasAllFields<T extends object>(record: T): record is T & Defined<T> {
  return !Object.values(record).includes(undefined);
}
