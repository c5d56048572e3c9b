import type { Watcher } from "../deploy/apply/options.ts";
import type { Result } from "../deploy/apply/results.ts";
import { isSending } from "../deploy/plan/changes.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { StoreWatcher } from "../deploy/state/store.ts";
import type { FollowUp } from "../schema/state.ts";
import { describeAnswer } from "../util/answer.ts";
import { phoneText } from "../util/phone.ts";
import { creationTime } from "./follow-ups.ts";
import { Progress } from "./progress.ts";
import { resultReason, styledResult } from "./results.ts";
import { type Audience, visible } from "./terminal.ts";

/** Prints a line for each menu while apply runs, and shows the progress. */
export class ApplyProgress implements Watcher {
  readonly #audience: Audience;
  readonly #inFlight = new Set<string>();
  /** The keys with a request that has no final result yet. */
  readonly #open = new Set<string>();
  #followUps: () => readonly FollowUp[] = () => [];
  /** The follow-ups whose menus become current again, by key. */
  #restored: ReadonlyMap<string, FollowUp> = new Map();
  #progress: Progress | undefined;
  #total = 0;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /** Shows the progress of a plan. `followUps` returns the open follow-ups at any time. */
  async during<T>(
    { changes }: Plan,
    followUps: () => readonly FollowUp[],
    work: () => Promise<T>,
  ): Promise<T> {
    const sent = changes
      .filter((change) => isSending(change) || change.action === "delete")
      .map(({ key }) => key);
    const labels = changes.flatMap(({ key, bind }) =>
      bind.map(({ number }) => `${key}: ${phoneText(number)}`),
    );
    for (const key of [...sent, ...labels]) this.#open.add(key);
    this.#total = this.#open.size;
    this.#followUps = followUps;
    this.#restored = new Map(
      changes.flatMap(({ action, before, key, followUp }) =>
        action === "restore" && before && followUp ? [[key, followUp]] : [],
      ),
    );
    if (this.#total === 0) return work();
    this.#progress = new Progress({ what: "Recording", noun: "step" }, this.#audience);
    return this.#progress.during(work());
  }

  sending(key: string): void {
    this.#inFlight.add(key);
    this.#update();
  }

  waiting(
    key: string,
    seconds: number,
    { status, message }: Pick<Result, "status" | "message">,
  ): void {
    this.#inFlight.delete(key);
    this.#line(
      `${visible(key)}: ${visible(describeAnswer(status, message))}; trying again in ${seconds.toFixed(1)} s`,
    );
  }

  finished(result: Result): void {
    const { key, outcome, action } = result;
    this.#inFlight.delete(key);
    this.#open.delete(key);
    const replaced = outcome === "created" && action === "replace";
    const restored = outcome === "restored" ? this.#restored.get(key) : undefined;
    const more = replaced
      ? this.#otherMenu(key, "old")
      : restored
        ? `; the menu ${creationTime(restored.current)} is on record again${this.#otherMenu(key, "other")}`
        : (resultReason(result, []) ?? "");
    const words = styledResult(result, more, this.#audience.terminal);
    const between = action === "bind" ? " " : replaced ? ": new menu " : ": ";
    this.#line(`${visible(key)}${between}${words}`);
  }

  /** Reports that apply stops, and what a second signal would do. */
  interrupted(): void {
    const count = this.#inFlight.size;
    const rest =
      count === 0
        ? "No request is in flight, and no new one is sent. Press Ctrl-C again to quit now."
        : count === 1
          ? "Stopping after the request in flight. Press Ctrl-C again to quit now; that request must then be checked by hand."
          : `Stopping after the ${count} requests in flight. Press Ctrl-C again to quit now; those ${count} must then be checked by hand.`;
    this.#audience.terminal.say(`Interrupted. ${rest}\n`);
  }

  #otherMenu(key: string, which: "old" | "other"): string {
    const own = this.#followUps().filter(
      (followUp) => followUp.key === key && followUp.reason === "replaced",
    );
    const id = own.at(-1)?.id;
    return id === undefined ? "" : `; the ${which} one is follow-up ${id}`;
  }

  #line(text: string): void {
    this.#audience.terminal.note(`${text}\n`);
    this.#update();
  }

  #update(): void {
    const total = this.#total;
    const done = total - this.#open.size;
    this.#progress?.update({ done, total, inFlight: this.#inFlight.size });
  }
}

/** Reports that the state store cannot be reached, and that it is back. */
export function storeProgress({ terminal }: Audience): StoreWatcher {
  const line = (text: string) => terminal.note(`${visible(text)}\n`);
  return {
    lost: (why, seconds) =>
      line(`${why} Sending is paused. Waiting up to ${seconds} s for the state store.`),
    back: () => line("The state store is back. Sending continues."),
  };
}
