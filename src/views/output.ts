import { fstatSync, writeSync } from "node:fs";
import { PlainLog, runnerReadsLog } from "../util/runner-commands.ts";
import { secrets } from "../util/secrets.ts";

type Listener = (error: NodeJS.ErrnoException) => void;

/**
 * stdout or stderr. Pipes and files are written to directly, because loading the stream of Node
 * takes longer than many commands run. Terminals use the stream, and so does everything after the
 * first failed write, because the stream can wait and reports errors.
 */
class Output {
  readonly #descriptor: 1 | 2;
  readonly #listeners: Listener[] = [];
  readonly #log = new PlainLog();
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

  /** The width of the terminal, if it is known. */
  get columns(): number | undefined {
    return this.#direct ? undefined : this.#opened().columns;
  }

  /** Prints a text for people, with secrets masked. The runner of a pipeline finds no command in it. */
  write(text: string): void {
    lastLine.above(text, () => this.writeHere(text));
  }

  /** Prints a text for a program, with secrets masked. */
  writeData(text: string): void {
    this.#writeUnchanged(secrets.mask(text));
  }

  /** Prints JSON, in which `toJson` has masked the secrets. */
  writeJson(text: string): void {
    this.#writeUnchanged(text);
  }

  /** Prints a text for people wherever the cursor is. */
  writeHere(text: string): void {
    const masked = secrets.mask(text);
    this.#write(runnerReadsLog(process.env) ? this.#log.plain(masked) : masked);
  }

  #writeUnchanged(text: string): void {
    lastLine.above(text, () => {
      this.#log.unchanged(text);
      this.#write(text);
    });
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

  /** Whether all output was written. With a stream, only Node knows this when it exits. */
  get isDone(): boolean {
    return this.#stream === undefined;
  }

  /** Calls the listener if a write fails. */
  onError(listener: Listener): void {
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

/** The sequence that clears the line of the cursor. */
export const clearLine = "\r\u001B[K";

/** The last line of a terminal, such as a progress bar. All other text is printed above it. */
export class LastLine {
  readonly #write: (text: string) => void;
  #text = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Replaces the line. An empty text removes it. */
  show(text: string): void {
    this.#write(clearLine + text);
    this.#text = text;
  }

  above(text: string, print: () => void): void {
    if (this.#text !== "") this.#write(clearLine);
    print();
    // After an unfinished line, such as a question, the last line is gone until it is shown again.
    if (this.#text !== "" && text.endsWith("\n")) this.#write(this.#text);
    else this.#text = "";
  }
}

export const stdout = new Output(1);
export const stderr = new Output(2);
export const lastLine = new LastLine((text) => stderr.writeHere(text));
