/**
 * Where the objects of an environment are, under the prefix:
 *
 *     ENV/log/000000000017                               one thing that happened: the truth
 *     ENV/heads/999999999982-3f9a0c1e5b7d2a64            the log reached object 17, which has this sum
 *     ENV/snapshots/000000000064.gz                      the state after that object of the log
 *     ENV/history/000000000064-from-000000000033.gz      the events of these objects, in one
 *     ENV/probe                                          see `probe.ts`
 */
export interface Where {
  readonly environment: string;
  /** As people are told it. */
  readonly address: string;
}

export type Folder = "log" | "heads" | "snapshots" | "history";

export function folderOf({ environment }: Where, folder: Folder): string {
  return `${encodeURIComponent(environment)}/${folder}/`;
}

export function logKey(where: Where, number: number): string {
  return folderOf(where, "log") + padded(number);
}

/** The names of heads descend, so that a list begins with the newest. */
export function headKey(where: Where, { number, sum }: Head): string {
  return `${folderOf(where, "heads")}${padded(mostNumbers - number)}-${sum}`;
}

export function snapshotKey(where: Where, number: number): string {
  return `${folderOf(where, "snapshots")}${padded(number)}.gz`;
}

export function historyKey(where: Where, { from, to }: Range): string {
  return `${folderOf(where, "history")}${padded(to)}-from-${padded(from)}.gz`;
}

/** Of a folder's names; those that ivrctl never gave are passed over. */
export function logNumbers(names: readonly string[]): number[] {
  return numbersIn(names, /^(\d{12})$/);
}

export function snapshotNumbers(names: readonly string[]): number[] {
  return numbersIn(names, /^(\d{12})\.gz$/);
}

/** An object of the log, as its head names it. */
export interface Head {
  readonly number: number;
  readonly sum: string;
}

/** The newest of these names. */
export function newestHead(names: readonly string[]): Head | undefined {
  for (const name of names) {
    const [, rest, sum] = /^(\d{12})-([0-9a-f]{16})$/.exec(name) ?? [];
    if (sum !== undefined) return { number: mostNumbers - Number(rest), sum };
  }
  return undefined;
}

/** From one number of the log to another, both of them in it. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function historyRanges(names: readonly string[]): Range[] {
  return names.flatMap((name) => {
    const [, to, from] = /^(\d{12})-from-(\d{12})\.gz$/.exec(name) ?? [];
    return to === undefined ? [] : [{ from: Number(from), to: Number(to) }];
  });
}

/** Sorts behind every name that begins with that number, and before those of the next. */
export function behind(number: number): string {
  return `${padded(number)}~`;
}

export function shownObject({ address }: Where, key: string): string {
  return `The object ${key} of ${address}`;
}

const mostNumbers = 999_999_999_999;

function padded(number: number): string {
  return String(number).padStart(12, "0");
}

function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names.flatMap((name) => {
    const number = pattern.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}
