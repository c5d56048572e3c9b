import { fstatSync, writeSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { Writable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Host, OutputStream } from "../util/host.ts";

/** The host of this process. */
export function realHost(
  cwd: string,
): Host & { readonly stdout: Descriptor; readonly stderr: Descriptor } {
  return {
    cwd,
    env: process.env,
    gitEnv: {},
    stdin: () => process.stdin,
    stdout: new Descriptor(1),
    stderr: new Descriptor(2),
    protocolOutput,
    clock: {
      now: () => new Date(),
      elapsed: () => performance.now(),
      sleep: (milliseconds, signal) => {
        const options = signal === undefined ? {} : { signal };
        // A timer takes at least a millisecond.
        return milliseconds === 0
          ? nextTurn(undefined, options)
          : sleep(milliseconds, undefined, options);
      },
      after: (milliseconds, act) => {
        const timer = setTimeout(act, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    machine: {
      name: hostname(),
      pid: process.pid,
      nodeVersion: process.versions.node,
      user: () => userInfo().username,
      home: homedir,
      kill: (pid, signal) => void process.kill(pid, signal),
    },
    signals: process,
  };
}

/**
 * stdout or stderr. Pipes and files are written to directly, because loading the stream of Node
 * takes longer than many commands run. Terminals use the stream, and so does everything after the
 * first failed write, because the stream can wait and reports errors.
 */
class Descriptor implements OutputStream {
  readonly #descriptor: 1 | 2;
  readonly #listeners: ((error: NodeJS.ErrnoException) => void)[] = [];
  #direct: boolean;
  #stream: NodeJS.WriteStream | undefined;

  constructor(descriptor: 1 | 2) {
    this.#descriptor = descriptor;
    const kind = fstatSync(descriptor);
    this.#direct = kind.isFIFO() || kind.isFile() || kind.isSocket();
  }

  get isTTY(): boolean {
    return !this.#direct && this.#opened().isTTY;
  }

  get columns(): number | undefined {
    return this.#direct ? undefined : this.#opened().columns;
  }

  write(data: string | Uint8Array): void {
    if (!this.#direct) {
      this.#opened().write(data);
      return;
    }
    const bytes = Buffer.from(data);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch {
      this.#direct = false;
      this.#opened().write(bytes.subarray(written));
    }
  }

  /** Whether all output was written. With a stream, only Node knows this when it exits. */
  get isDone(): boolean {
    return this.#stream === undefined;
  }

  onError(listener: (error: NodeJS.ErrnoException) => void): void {
    this.#listeners.push(listener);
  }

  #opened(): NodeJS.WriteStream {
    if (this.#stream === undefined) {
      this.#stream = this.#descriptor === 1 ? process.stdout : process.stderr;
      // stderr has no listeners, so a closed stderr does not stop the command.
      this.#stream.on("error", (error: NodeJS.ErrnoException) => {
        for (const listener of this.#listeners) listener(error);
      });
    }
    return this.#stream;
  }
}

function protocolOutput(): Writable {
  const { stdout, stderr } = process;
  const send = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    write: (chunk: Uint8Array, _, done) => void send(chunk, (error) => done(error)),
  });
}
