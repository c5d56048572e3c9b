import type { Watcher } from "../deploy/apply/apply-options.ts";
import { type StepOutcome, stepKey } from "../deploy/apply/step-results.ts";
import { isSent } from "../deploy/plan/steps/step.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { StoreWatcher } from "../deploy/state/lock.ts";
import type { FollowUp } from "../schema/state.ts";
import { listed, many } from "../util/many.ts";
import { describeAnswer } from "../util/answer.ts";
import { duration, withProgress } from "./progress.ts";
import { resultReason, styledResult } from "./result-words.ts";
import { type Audience, visible } from "./terminal.ts";

/** Prints a line for each menu while apply runs, and shows the progress. */
export class ApplyProgress implements Watcher {
  readonly #audience: Audience;
  readonly #inFlight = new Set<string>();
  /** The keys with a request that has no final result yet. */
  readonly #open = new Set<string>();
  #total = 0;
  #isSilent = false;
  #followUps: () => readonly FollowUp[] = () => [];

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /** Shows the progress of a plan. `followUps` returns the open follow-ups at any time. */
  async during<T>(
    { steps }: Pick<Plan, "steps">,
    followUps: () => readonly FollowUp[],
    work: () => Promise<T>,
  ): Promise<T> {
    for (const step of steps) {
      if (step.holds.length === 0 && isSent(step)) this.#open.add(stepKey(step));
    }
    this.#followUps = followUps;
    this.#total = this.#open.size;
    return withProgress(this.#audience, (elapsed) => this.#describe(elapsed), work());
  }

  /** Shows no progress until the user has answered a question. */
  async silently<T>(ask: () => Promise<T>): Promise<T> {
    this.#isSilent = true;
    return ask().finally(() => (this.#isSilent = false));
  }

  sending(key: string): void {
    // A menu that waited for an id.
    if (!this.#open.has(key)) this.#total += 1;
    this.#open.add(key);
    this.#inFlight.add(key);
  }

  waiting(
    key: string,
    seconds: number,
    { status, message }: Pick<StepOutcome, "status" | "message">,
  ): void {
    this.#inFlight.delete(key);
    this.#line(
      `${visible(key)}: ${visible(describeAnswer(status, message))}; trying again in ${seconds.toFixed(1)} s`,
    );
  }

  making(names: readonly string[], seconds: number): void {
    this.#line(
      `Waiting up to ${duration(seconds * 1000)} until the service has made ${many(names.length, "recording")}: ${visible(listed(names))}`,
    );
  }

  finished(result: StepOutcome): void {
    const { key, outcome, action } = result;
    this.#inFlight.delete(key);
    this.#open.delete(key);
    const replaced = outcome === "created" && action === "replace";
    const detail = replaced
      ? this.#otherMenu(key, "old")
      : outcome === "restored"
        ? this.#otherMenu(key, "newer")
        : (resultReason(result) ?? "");
    const words = styledResult(result, detail, this.#audience.terminal);
    const between = action === "bind" ? " " : ": ";
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
    // The cursor is behind a question.
    const gap = this.#isSilent ? "\n" : "";
    this.#audience.terminal.say(`${gap}Interrupted. ${rest}\n`);
  }

  #otherMenu(key: string, which: "old" | "newer"): string {
    const replaced = this.#followUps().filter(
      (followUp) => followUp.key === key && followUp.reason === "replaced",
    );
    const id = replaced.at(-1)?.id;
    return id === undefined ? "" : `; the ${which} menu is follow-up ${id}`;
  }

  #line(text: string): void {
    this.#audience.terminal.note(`${text}\n`);
  }

  #describe(elapsed: number): string | undefined {
    if (this.#isSilent) return undefined;
    if (this.#total === 0) return "Recording";
    const left = this.#open.size;
    const done = this.#total - left;
    return [
      `${done}/${this.#total} done`,
      ...(done === 0 ? [] : [`about ${duration((elapsed / done) * left)} left`]),
      ...(this.#inFlight.size === 0 ? [] : [`${this.#inFlight.size} in flight`]),
    ].join(", ");
  }
}

/** Reports that the state store cannot be reached, and that it is back. */
export function storeProgress({ terminal }: Audience): StoreWatcher {
  const line = (text: string) => terminal.note(`${visible(text)}\n`);
  return {
    lost: (why, seconds) =>
      line(`${why} Sending is paused. Waiting up to ${seconds} s for the state backend.`),
    back: () => line("The state backend is back. Sending continues."),
  };
}
