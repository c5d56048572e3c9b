import type { LiveMenus, LiveNumbers } from "../plan/lists.ts";
import type { ApplyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import type { Clock } from "../../util/host.ts";

/**
 * How old a list may be when a request is checked with it, in milliseconds. A change on the console
 * after that list is overwritten unseen. The age counts from the end of the read, so that a list that
 * takes longer than this to read is enough for one request at least.
 */
const maxAge = 5000;

/** The lists of the service during an apply. If one cannot be read, nothing more is sent. */
export class Lists {
  readonly menus: List<LiveMenus>;
  readonly numbers: List<LiveNumbers>;

  constructor({ list, listNumbers, clock }: ApplyOptions, recorder: Recorder) {
    this.menus = new List(list, recorder, clock);
    this.numbers = new List(listNumbers, recorder, clock);
  }

  /** Both lists, recent enough to check a request with. Undefined if one cannot be read. */
  async recent(): Promise<Listed | undefined> {
    const menus = await this.menus.recent();
    const numbers = menus && (await this.numbers.recent());
    return menus && numbers && { menus, numbers };
  }
}

/** What the service lists. */
export interface Listed {
  readonly menus: LiveMenus;
  readonly numbers: LiveNumbers;
}

class List<T extends object> {
  readonly #read: ((signal: AbortSignal) => Promise<T | string>) | undefined;
  readonly #recorder: Recorder;
  readonly #clock: Clock;
  #last: { readonly list: T; readonly at: number } | undefined;
  #reading: Promise<T | undefined> | undefined;
  #problem: string | undefined;

  constructor(
    read: ((signal: AbortSignal) => Promise<T | string>) | undefined,
    recorder: Recorder,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#read = read;
    this.#recorder = recorder;
  }

  /** Why it could not be read, if that failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The list, recent enough to check a request with. Requests that wait for it share one read. */
  async recent(): Promise<T | undefined> {
    const { halt } = this.#recorder;
    if (this.#last && this.#clock.elapsed() - this.#last.at <= maxAge) return this.#last.list;
    if (halt.aborted) return undefined;
    this.#reading ??= this.now().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Reads the list, because it has to show what the run changed. */
  async now(): Promise<T | undefined> {
    const { halt } = this.#recorder;
    this.#last = undefined;
    const list = halt.aborted ? undefined : await this.#read?.(halt);
    if (typeof list !== "string") {
      this.#last = list && { list, at: this.#clock.elapsed() };
      return list;
    }
    if (!halt.aborted) this.#problem = list;
    this.#recorder.stop();
    return undefined;
  }
}
