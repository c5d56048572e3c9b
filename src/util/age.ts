const units = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** "of 3 days ago": how old a snapshot is, in the largest unit that fits. */
export function ageOf(made: Date, now: Date = new Date()): string {
  const seconds = (now.getTime() - made.getTime()) / 1000;
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `of ${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "of just now";
}
