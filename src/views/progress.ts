import { many } from "../util/many.ts";
import type { Audience } from "./terminal.ts";
import { type Clock, every } from "../util/host.ts";

/** How far a command is. */
interface Amounts {
  readonly done: number;
  readonly total: number;
  /** The number of requests in flight. */
  readonly inFlight?: number;
}

/** What a command does. */
interface Task {
  /** Shown until there is something to count. */
  readonly what: string;
  /** What is counted: `menu`. */
  readonly noun: string;
}

/** A command that takes less time shows no progress. */
const delay = 1000;
/** Milliseconds between two updates, and between two lines in a log. */
const redrawing = 100;
const logging = 5000;

/**
 * Shows how far a command is: in the last line of a terminal, or in a line every few seconds in a log. It shows nothing in formats for programs and with --quiet.
 */
export class Progress {
  readonly #task: Task;
  readonly #audience: Pick<Audience, "host" | "terminal">;
  readonly #clock: Clock;
  readonly #start: number;
  #drawn: number | undefined;
  #amounts: Amounts | undefined;

  constructor(task: Task, audience: Pick<Audience, "host" | "terminal">) {
    const { clock } = audience.host;
    this.#task = task;
    this.#audience = audience;
    this.#clock = clock;
    this.#start = clock.elapsed();
  }

  update(amounts: Amounts): void {
    this.#amounts = amounts;
    this.#draw();
  }

  /** Keeps the elapsed time current while `work` waits for others. */
  async during<T>(work: Promise<T>): Promise<T> {
    const stop = every(this.#clock, redrawing, () => this.#draw());
    try {
      return await work;
    } finally {
      stop();
      this.end();
    }
  }

  /** Removes the line. */
  end(): void {
    const { terminal } = this.#audience;
    if (terminal.live && this.#drawn !== undefined) terminal.status("");
    this.#drawn = undefined;
  }

  #draw(): void {
    const { terminal } = this.#audience;
    if (!terminal.showsProgress) return;
    const now = this.#clock.elapsed();
    const isFirst = this.#drawn === undefined;
    const pause = terminal.live ? (isFirst ? delay : redrawing) : logging;
    if (now - (this.#drawn ?? this.#start) < pause) return;
    this.#drawn = now;
    const line = progressLine(this.#task, this.#amounts, now - this.#start);
    // Three columns stay free: some terminals wrap a full line, and Ctrl-C prints `^C`.
    if (terminal.live) terminal.status(terminal.style("dim", line.slice(0, terminal.columns - 3)));
    else terminal.say(`${line}\n`);
  }
}

/** What is known, the most important first, because a terminal cuts the line. */
export function progressLine(
  { what, noun }: Task,
  amounts: Amounts | undefined,
  milliseconds: number,
): string {
  const elapsed = `${duration(milliseconds)} elapsed`;
  if (amounts === undefined) return `${what}, ${elapsed}`;
  const { done, total, inFlight = 0 } = amounts;
  return [
    `${done} of ${many(total, noun)} done`,
    ...(done === 0 ? [] : [`about ${duration((milliseconds / done) * (total - done))} left`]),
    ...(inFlight === 0 ? [] : [`${inFlight} in flight`]),
    elapsed,
  ].join(", ");
}

/** A duration to the second: `0:07`, `12:30`, `1:05:00`. */
function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  const rest = two(seconds % 60);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}
