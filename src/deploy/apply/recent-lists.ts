import type { Lists } from "../listed/read-account.ts";
import type { ApplyOptions } from "./apply-options.ts";
import type { Recorder } from "./recorder.ts";

/**
 * How old lists may be when a request is checked with them, in milliseconds. A change on the console
 * after that is overwritten unseen. The age counts from the end of the read, so that lists that take
 * longer than this to read are enough for one request at least.
 */
const maxAge = 5000;

interface ListOptions extends Pick<ApplyOptions, "list" | "clock"> {
  readonly withNumbers: boolean;
}

/** The lists of the service during an apply. If one cannot be read, nothing more is sent. */
export class RecentLists {
  /** Why a list could not be read, if that failed. */
  problem: string | undefined;
  readonly #options: ListOptions;
  readonly #recorder: Recorder;
  #last: { readonly lists: Lists; readonly at: number } | undefined;
  #reading: Promise<Lists | undefined> | undefined;

  constructor(options: ListOptions, recorder: Recorder) {
    this.#options = options;
    this.#recorder = recorder;
  }

  /**
   * The lists, recent enough to check a request with; undefined if one cannot be read. Requests that
   * wait for them share one read.
   */
  async recent(): Promise<Lists | undefined> {
    const { clock } = this.#options;
    if (this.#last && clock.elapsed() - this.#last.at <= maxAge) return this.#last.lists;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Makes sure that the lists are read again, because they have to show what the run changed. */
  forget(): void {
    this.#last = undefined;
  }

  async #read(): Promise<Lists | undefined> {
    const { list, withNumbers, clock } = this.#options;
    const { halt } = this.#recorder;
    if (halt.aborted) return undefined;
    const lists = (await list?.(halt, withNumbers)) ?? {};
    if (typeof lists !== "string") {
      this.#last = { lists, at: clock.elapsed() };
      return lists;
    }
    if (!halt.aborted) this.problem = lists;
    this.#recorder.stop();
    return undefined;
  }
}
