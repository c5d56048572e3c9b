import { many } from "../util/many.ts";

/** A moment for people, in UTC: `2026-11-15 04:10`. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** The same to the second. */
export function second(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

/** A period to the second, in UTC. */
export function period(from: string, until: string): string {
  const sameDay = from.slice(0, 10) === until.slice(0, 10);
  return `${second(from)} to ${sameDay ? until.slice(11, 19) : second(until)} UTC`;
}

const units = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** The age of a snapshot in the largest unit that fits: `of 3 days ago`. */
export function ageOf(made: Date, now: Date = new Date()): string {
  const seconds = (now.getTime() - made.getTime()) / 1000;
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `of ${many(count, unit)} ago`;
  }
  return "of just now";
}
