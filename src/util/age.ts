const units = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** The age of a snapshot in its largest unit: "from 3 days ago". */
export function ageOf(made: Date, now: Date): string {
  const seconds = (now.getTime() - made.getTime()) / 1000;
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `from ${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "from less than a minute ago";
}
