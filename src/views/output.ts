import { fstatSync, writeSync } from "node:fs";
import { secrets } from "../util/secrets.ts";

type Listener = (error: NodeJS.ErrnoException) => void;

/**
 * One of the two places a command prints to. A pipe or a file is written to directly: Node's stream
 * for it would do the same, and takes longer to load than many a command to run. For a terminal,
 * and from the first refusal on, there is the stream: it knows how to wait, and tells of errors.
 */
class Output {
  readonly #descriptor: 1 | 2;
  readonly #listeners: Listener[] = [];
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

  /** The width of a terminal that knows it. */
  get columns(): number | undefined {
    return this.#direct ? undefined : this.#opened().columns;
  }

  /** Prints a text, without secrets. */
  write(text: string): void {
    this.#write(secrets.mask(text));
  }

  /** Prints JSON, without secrets; `toJson` masks those that only its strings can be searched for. */
  writeJson(text: string): void {
    this.#write(secrets.maskJson(text));
  }

  #write(text: string): void {
    if (!this.#direct) {
      this.#opened().write(text);
      return;
    }
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch {
      this.#direct = false;
      this.#opened().write(bytes.subarray(written));
    }
  }

  /** Whether all that was printed has arrived; of a stream that is known only when Node is done. */
  get isDone(): boolean {
    return this.#stream === undefined;
  }

  /** Told of what was printed and did not arrive. */
  onError(listener: Listener): void {
    this.#listeners.push(listener);
  }

  #opened(): NodeJS.WriteStream {
    if (this.#stream === undefined) {
      this.#stream = this.#descriptor === 1 ? process.stdout : process.stderr;
      // Nobody listens to stderr: words for a person who is gone are no reason to leave a deed half done.
      this.#stream.on("error", (error: NodeJS.ErrnoException) => {
        for (const listener of this.#listeners) listener(error);
      });
    }
    return this.#stream;
  }
}

export const stdout = new Output(1);
export const stderr = new Output(2);
