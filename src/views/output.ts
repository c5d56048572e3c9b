import type { Host, OutputStream } from "../util/host.ts";
import { PlainLog, runnerReadsLog } from "../util/runner-commands.ts";
import { secrets } from "../util/secrets.ts";

/** stdout and stderr of a run. */
export interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

export function openOutputs({ env, stdout, stderr }: Host): Outputs {
  const isLog = runnerReadsLog(env);
  return { stdout: new Output(stdout, isLog), stderr: new Output(stderr, isLog) };
}

/** stdout or stderr. Masks secrets in everything. */
class Output {
  readonly #stream: OutputStream;
  readonly #log: PlainLog | undefined;

  /** `isLog`: the runner of a pipeline reads what is printed. */
  constructor(stream: OutputStream, isLog: boolean) {
    this.#stream = stream;
    this.#log = isLog ? new PlainLog() : undefined;
  }

  /** Prints a text for people. The runner of a pipeline finds no command in it. */
  write(text: string): void {
    const masked = secrets.mask(text);
    this.#stream.write(this.#log?.plain(masked) ?? masked);
  }

  /** Prints a text for a program. */
  writeData(text: string): void {
    this.writeJson(secrets.mask(text));
  }

  /** Prints JSON, in which `toJson` has masked the secrets. */
  writeJson(text: string): void {
    this.#log?.unchanged(text);
    this.#stream.write(text);
  }
}
