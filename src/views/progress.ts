import { every } from "../util/host.ts";
import type { Audience } from "./terminal.ts";

/** Milliseconds between two lines. */
const pause = 5000;

/**
 * Prints a line every few seconds while `work` runs, but none in a format for programs. `describe` gets
 * the elapsed milliseconds, and returns undefined if there is nothing to say.
 */
export async function withProgress<T>(
  { format, host: { clock }, terminal }: Pick<Audience, "format" | "host" | "terminal">,
  describe: (elapsed: number) => string | undefined,
  work: Promise<T>,
): Promise<T> {
  if (format !== "text") return work;
  const start = clock.elapsed();
  const stop = every(clock, pause, () => {
    const elapsed = clock.elapsed() - start;
    const text = describe(elapsed);
    if (text !== undefined) terminal.note(`${text}, ${duration(elapsed)} elapsed\n`);
  });
  try {
    return await work;
  } finally {
    stop();
  }
}

/** A duration to the second: `0:07`, `12:30`, `1:05:00`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  const rest = two(seconds % 60);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}
