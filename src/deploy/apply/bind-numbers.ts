import { type StateEvent, stateVersion } from "../../schema/state.ts";
import { menuDestination, referencedMenu } from "../../schema/wire.ts";
import { phoneText } from "../../util/phone.ts";
import { bindOutcomes } from "../plan/learn.ts";
import type { LiveMenus } from "../plan/live.ts";
import { type LiveNumbers, reachedWords } from "../plan/live-numbers.ts";
import { type Bind, type Change, bindIntent, bindsOf } from "../plan/plan.ts";
import { Reachable } from "../plan/reachable.ts";
import type { Outcome } from "../service/outcome.ts";
import type { PhoneNumber } from "../service/service.ts";
import { attempt, inTurn } from "./attempt.ts";
import type { ApplyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import { type BindResult, type Result, type ResultOutcome, untried } from "./results.ts";

interface Input {
  readonly changes: readonly Change[];
  readonly recorder: Recorder;
  readonly options: ApplyOptions;
  /** What became of the menu of a key, and the menus that the service listed last. */
  readonly resultOf: (key: string) => Result | undefined;
  readonly live: LiveMenus;
}

export interface Bound {
  /** The results of the phone numbers, by the keys of their menus. */
  readonly results: ReadonlyMap<string, readonly BindResult[]>;
  /** Why the phone numbers could not be listed, if that failed. */
  readonly problem?: string;
}

/**
 * Lets the phone numbers of a plan lead to their menus, if these exist. Reads the list of numbers
 * before: a number that leads elsewhere than the plan was compared with is left alone. What changes
 * after that list was read cannot be seen.
 */
export function bindNumbers(input: Input): Promise<Bound> {
  return new Binder(input).run();
}

interface Wanted {
  readonly key: string;
  readonly action: Change["action"];
  readonly bind: Bind;
}

class Binder {
  readonly #input: Input;
  readonly #wanted: readonly Wanted[];
  readonly #results = new Map<string, BindResult>();
  readonly #reachable: Reachable;
  #problem: string | undefined;

  constructor(input: Input) {
    this.#input = input;
    const { session, agents } = input.options;
    this.#reachable = new Reachable(session.state, input.live, agents);
    this.#wanted = input.changes.flatMap((change) =>
      bindsOf(change).map((bind) => ({ key: change.key, action: change.action, bind })),
    );
  }

  async run(): Promise<Bound> {
    const { recorder, options } = this.#input;
    const numbers = await this.#list();
    if (numbers !== undefined) {
      await inTurn(this.#wanted, options.concurrency, recorder, (one) => this.#bind(one, numbers));
      await recorder.finish();
      const hasUnknown = [...this.#results.values()].some(({ outcome }) => outcome === "unknown");
      if (hasUnknown) await this.#learn();
    }
    const results = new Map<string, BindResult[]>();
    for (const { key, bind } of this.#wanted) {
      const own = this.#results.get(bind.number) ?? untried(bind);
      results.set(key, [...(results.get(key) ?? []), own]);
    }
    return { results, ...(this.#problem === undefined ? {} : { problem: this.#problem }) };
  }

  /** Reads the list of numbers. If that fails, nothing more is sent. */
  async #list(): Promise<LiveNumbers | undefined> {
    const { recorder, options } = this.#input;
    if (recorder.halt.aborted) return undefined;
    const read = await options.listNumbers?.(recorder.halt);
    if (typeof read !== "string") return read;
    if (!recorder.halt.aborted) this.#problem = read;
    recorder.stop();
    return undefined;
  }

  /** Reads the list again, and records what became of numbers whose answers were lost. */
  async #learn(): Promise<void> {
    const { recorder, options } = this.#input;
    const numbers = await this.#list();
    if (numbers === undefined) return;
    const events = bindOutcomes(options.session.state, numbers, this.#reachable);
    if (events.length === 0 || !(await recorder.record(...events))) return;
    for (const event of events) {
      if (event.kind !== "bind-resolved") continue;
      // A number that an earlier run left open has no result here.
      const result = this.#results.get(event.number);
      if (result === undefined) continue;
      const outcome = event.as === "bound" ? "bound" : "failed";
      this.#finish(event.key, { ...result, outcome, status: null, message: event.evidence });
    }
  }

  async #bind({ key, action, bind }: Wanted, numbers: LiveNumbers): Promise<void> {
    const { recorder, options } = this.#input;
    const destination = this.#destinationOf(key, action, bind);
    if ("why" in destination) return this.#leave(key, bind, destination.why);
    const { after } = destination;
    const now = numbers.withId(bind.id);
    const wanted = { ...bind, after };
    const changed = changedSince(wanted, now, this.#reachable);
    if (now === undefined || changed !== undefined) {
      return this.#finish(key, { ...untried(wanted), ...changed });
    }
    const { service, stop: signal } = options;
    const { number } = bind;
    const about = { version: stateVersion, key, number } as const;
    await attempt(
      {
        key: labelOf(key, number),
        intents: ({ until }) => [bindIntent(key, wanted, until)],
        // The name is sent as it is listed now, because the request overwrites it.
        send: (permit) => service.bindNumber(now, after, { key, signal, permit }),
        eventOf: ({ kind, status, message }): StateEvent => ({
          kind: kind === "done" ? "bound" : kind === "unknown" ? "bind-unknown" : "not-bound",
          ...about,
          status,
          message,
        }),
        finished: ({ kind, status, message: answer }, attempts) => {
          const outcome = kind === "done" ? "bound" : kind;
          const message = kind === "failed" ? withDescription(answer) : answer;
          this.#finish(key, { ...untried(wanted), outcome, status, message, attempts });
        },
        // The next plan looks at the list, so nothing has to be kept.
        unrecorded: (outcome, attempts) =>
          this.#results.set(number, unrecordedBind(wanted, outcome, attempts)),
      },
      recorder,
      options,
    );
  }

  /** Where a number leads after its bind, or why it is not bound. */
  #destinationOf(
    key: string,
    action: Change["action"],
    { after }: Bind,
  ): { readonly after: string } | { readonly why: string } {
    const { resultOf, options, live } = this.#input;
    const result = resultOf(key);
    if (result?.incomplete) return { why: "the menu was created without its links" };
    if (action !== "bind" && (result === undefined || !made.has(result.outcome))) {
      return { why: action === "update" ? "the menu was not updated" : "the menu was not created" };
    }
    const record = options.session.state.keys.get(key)?.current;
    const id = record?.identified?.id;
    if (!record || id === undefined) return { why: `the id of ${key} is not known yet` };
    const destination = menuDestination(id);
    if (!live.has(id)) return { why: `the service does not list menu ${id} any more` };
    const seen = live.see(id, record.payload);
    if (stays.has(action) && seen.kind === "listed" && seen.drift.length > 0) {
      return { why: "somebody changed the menu on the console" };
    }
    return referencedMenu(after) !== undefined || after === destination
      ? { after: destination }
      : { why: `${key} has another id since the plan was made` };
  }

  #leave(key: string, bind: Bind, message: string): void {
    this.#finish(key, { ...untried(bind), message });
  }

  #finish(key: string, result: BindResult): void {
    this.#results.set(result.number, result);
    this.#input.options.watcher.numberFinished(labelOf(key, result.number), result);
  }
}

const made: ReadonlySet<ResultOutcome> = new Set(["created", "updated", "moved", "restored"]);

/** The actions that send nothing for the menu, so that it must still be what its record says. */
const stays: ReadonlySet<Change["action"]> = new Set(["bind", "move", "restore"]);

/** What the progress of a run calls a number. */
function labelOf(key: string, number: string): string {
  return `${key}: ${phoneText(number)}`;
}

/** Why a number is not sent: the list has something else than the plan was compared with. */
function changedSince(
  { before, reached, after }: Bind,
  now: PhoneNumber | undefined,
  reachable: Reachable,
): Pick<BindResult, "outcome" | "message"> | undefined {
  if (now === undefined) {
    return { outcome: "not_attempted", message: "the service does not list the number any more" };
  }
  const { destination } = now;
  if (destination === after) return { outcome: "bound", message: "it already leads to this menu" };
  if (destination === before) return undefined;
  const leads = `${reachedWords(before, reached)} → ${reachable.words(destination)}`;
  return {
    outcome: "not_attempted",
    message: `somebody changed what it leads to since the plan was made: ${leads}`,
  };
}

/** A service may refuse a request without the description, which ivrctl does not know. */
function withDescription(message: string): string {
  return /description/i.test(message)
    ? `${message}. ivrctl does not send the description of a number, because the list does not show it. Bind this number on the console`
    : message;
}

function unrecordedBind(
  bind: Bind,
  { kind, status, message }: Outcome<"done">,
  attempts: number,
): BindResult {
  const did =
    kind === "done"
      ? "the service bound it"
      : kind === "unknown"
        ? "the outcome is unknown"
        : "the service did not bind it";
  const words = `${did} (${message}), but this could not be recorded`;
  return { ...untried(bind), outcome: "unknown", status, message: words, attempts };
}
