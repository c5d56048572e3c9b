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

/** The time of day, in UTC: `17:01:04 UTC`. */
export function clockTime(iso: string): string {
  return `${iso.slice(11, 19)} UTC`;
}
