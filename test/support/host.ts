import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { realHost } from "../../src/cli/real-host.ts";
import type { Clock, Host, OutputStream } from "../../src/util/host.ts";
import { environment } from "./environment.ts";

const real = realHost(process.cwd());

/** The clock of this machine. A test can replace `Date.now`. */
export const clock: Clock = { ...real.clock, now: () => new Date(Date.now()) };

/** A clock that always shows the same time of day. Waiting takes as long as it does in reality. */
export function stoppedClock(time: string | number): Clock {
  return { ...clock, now: () => new Date(time) };
}

/**
 * How much shorter the pauses of a quick clock are. It is 1 in tests that wait for servers (setup.ts), and
 * while a test replaces timers.
 */
export const pauses = { speed: 20 };

/** Like this clock, but pauses are short. Time limits are as long as in reality. */
export function quickClock(slow: Clock): Clock {
  let ahead = 0;
  const elapsed = () => slow.elapsed() + ahead;
  return {
    ...slow,
    elapsed,
    sleep: async (milliseconds, signal) => {
      const end = elapsed() + milliseconds;
      await slow.sleep(milliseconds / pauses.speed, signal);
      // Whole milliseconds, because differences of fractions are not exact.
      ahead = Math.max(ahead, Math.ceil(end - slow.elapsed()));
    },
  };
}

interface Given extends Partial<Omit<Host, "stdin">> {
  /** What stdin contains. */
  readonly input?: string | Buffer;
}

/** A host for a test: this machine, an environment without the variables of the user, and no terminal. */
export function testHost({ input = "", env = environment(), ...given }: Given = {}): Host {
  const stdin = Object.assign(Readable.from(input === "" ? [] : [Buffer.from(input)]), {
    isTTY: false,
    ref: () => stdin,
    unref: () => stdin,
  });
  return {
    ...real,
    clock,
    env,
    stdin: () => stdin as unknown as NodeJS.ReadStream,
    stdout: new Captured(),
    stderr: new Captured(),
    protocolOutput: () => new Writable({ write: (_, __, done) => done() }),
    signals: new EventEmitter(),
    ...given,
  };
}

/**
 * Makes a host of a person at a terminal, who types one answer at each question: `^C` is a signal, and after
 * the last one the input ends. Everything that is printed or typed is on one screen.
 */
export function atTerminal(host: Host, answers: readonly string[]): Host & { screen: Captured } {
  const screen = new Captured(80);
  const signals = new EventEmitter();
  const left = [...answers];
  const stdin = Object.assign(new Readable({ read() {} }), {
    isTTY: true,
    // A question begins to read.
    ref() {
      const answer = left.shift();
      if (answer === "^C") signals.emit("SIGINT");
      else if (answer === undefined) stdin.push(null);
      else {
        screen.write(`${answer}\n`);
        stdin.push(`${answer}\n`);
      }
      return stdin;
    },
    unref: () => stdin,
  });
  const streams = {
    stdin: () => stdin as unknown as NodeJS.ReadStream,
    stdout: screen,
    stderr: screen,
  };
  return { ...host, ...streams, signals, screen, env: { ...host.env, NO_COLOR: "1" } };
}

/** A stream that keeps what is printed to it. With a width, it is a terminal. */
export class Captured implements OutputStream {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  write(data: string | Uint8Array): void {
    this.#chunks.push(Buffer.from(data as string));
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
