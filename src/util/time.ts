/** A time as people read it, to the second: `2026-11-15 04:10:32 UTC`. Other text is unchanged. */
export function utc(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
}

/** A time in UTC to the minute: `2026-11-15 04:10`. The caller adds the zone. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** A time in UTC to the second. The caller adds the zone. */
export function second(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

/** A period to the second, in UTC. One time if it starts and ends in the same second. */
export function period(from: string, until: string): string {
  const [start, end] = [second(from), second(until)];
  if (start === end) return `${start} UTC`;
  const sameDay = from.slice(0, 10) === until.slice(0, 10);
  return `${start} to ${sameDay ? until.slice(11, 19) : end} UTC`;
}

/** The time of day, in UTC: `17:01:04 UTC`. */
export function clockTime(iso: string): string {
  return `${iso.slice(11, 19)} UTC`;
}

const units = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** The age of a snapshot in its largest unit: "from 3 days ago". */
export function describeAge(made: Date, now: Date): string {
  const seconds = (now.getTime() - made.getTime()) / 1000;
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `from ${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "from less than a minute ago";
}
