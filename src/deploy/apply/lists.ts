import type { Lists } from "../plan/lists.ts";
import type { ApplyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";

/**
 * How old lists may be when a request is checked with them, in milliseconds. A change on the console
 * after that is overwritten unseen. The age counts from the end of the read, so that lists that take
 * longer than this to read are enough for one request at least.
 */
const maxAge = 5000;

type Options = Pick<ApplyOptions, "list" | "listNumbers" | "clock">;

/** The lists of the service during an apply. If one cannot be read, nothing more is sent. */
export class RecentLists {
  /** Why a list could not be read, if that failed. */
  problem: string | undefined;
  readonly #options: Options;
  readonly #recorder: Recorder;
  #last: { readonly lists: Lists; readonly at: number } | undefined;
  #reading: Promise<Lists | undefined> | undefined;

  constructor(options: Options, recorder: Recorder) {
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
    const { list, listNumbers, clock } = this.#options;
    const { halt } = this.#recorder;
    if (halt.aborted) return undefined;
    const menus = await list?.(halt);
    const numbers = typeof menus === "string" ? undefined : await listNumbers?.(halt);
    if (typeof menus !== "string" && typeof numbers !== "string") {
      this.#last = { lists: { menus, numbers }, at: clock.elapsed() };
      return this.#last.lists;
    }
    if (!halt.aborted) this.problem = [menus, numbers].find((read) => typeof read === "string");
    this.#recorder.stop();
    return undefined;
  }
}
