import type { Host, OutputStream } from "../util/host.ts";
import { PlainLog, runnerReadsLog } from "../util/runner-commands.ts";
import { secrets } from "../util/secrets.ts";

/** stdout and stderr of a run, and the last line of the terminal, which they share. */
export interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly lastLine: LastLine;
}

export function openOutputs(host: Host): Outputs {
  const lastLine = new LastLine((text) => stderr.writeHere(text));
  const isLog = runnerReadsLog(host.env);
  const stdout = new Output(host.stdout, lastLine, isLog);
  const stderr = new Output(host.stderr, lastLine, isLog);
  return { stdout, stderr, lastLine };
}

/** stdout or stderr. Masks secrets in everything. */
class Output {
  readonly #stream: OutputStream;
  readonly #lastLine: LastLine;
  readonly #log: PlainLog | undefined;

  /** `isLog`: the runner of a pipeline reads what is printed. */
  constructor(stream: OutputStream, lastLine: LastLine, isLog: boolean) {
    this.#stream = stream;
    this.#lastLine = lastLine;
    this.#log = isLog ? new PlainLog() : undefined;
  }

  /** Prints a text for people. The runner of a pipeline finds no command in it. */
  write(text: string): void {
    if (text === "") return;
    this.#lastLine.above(text, () => this.writeHere(text));
  }

  /** Prints a text for a program. */
  writeData(text: string): void {
    this.writeJson(secrets.mask(text));
  }

  /** Prints JSON, in which `toJson` has masked the secrets. */
  writeJson(text: string): void {
    if (text === "") return;
    this.#lastLine.above(text, () => {
      this.#log?.unchanged(text);
      this.#stream.write(text);
    });
  }

  /** Prints a text for people wherever the cursor is. */
  writeHere(text: string): void {
    const masked = secrets.mask(text);
    this.#stream.write(this.#log?.plain(masked) ?? masked);
  }
}

/** The sequence that clears the line of the cursor. */
export const clearLine = "\r\u001B[K";

/** The last line of a terminal, such as the progress. All other text is printed above it. */
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
