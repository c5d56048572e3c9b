import type { Confirmed, StateEvent } from "../../schema/state.ts";
import { type Payload, menuDestination, menuIdIn, referencedMenu } from "../../schema/wire.ts";
import { phoneText } from "../../util/phone.ts";
import { bindOutcomes } from "../plan/learn.ts";
import type { LiveMenus } from "../plan/live.ts";
import { reachedWords } from "../plan/live-numbers.ts";
import { type Bind, type Change, bindIntent, bindsOf } from "../plan/plan.ts";
import { Reachable } from "../plan/reachable.ts";
import type { Outcome } from "../service/outcome.ts";
import type { PhoneNumber } from "../service/service.ts";
import { attempt, inTurn } from "./attempt.ts";
import type { Listed, Lists } from "./lists.ts";
import type { ApplyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import { type BindResult, type Result, type ResultOutcome, untried } from "./results.ts";

interface Input {
  readonly changes: readonly Change[];
  readonly recorder: Recorder;
  readonly options: ApplyOptions;
  /** What became of the menu of a key. */
  readonly resultOf: (key: string) => Result | undefined;
  readonly lists: Lists;
}

/** The results of the phone numbers, by the keys of their menus. */
export type Bound = ReadonlyMap<string, readonly BindResult[]>;

/**
 * Lets the phone numbers of a plan lead to their menus, if these exist. A number that leads elsewhere
 * than the plan was compared with is left alone.
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

  constructor(input: Input) {
    this.#input = input;
    this.#wanted = input.changes.flatMap((change) =>
      bindsOf(change).map((bind) => ({ key: change.key, action: change.action, bind })),
    );
  }

  async run(): Promise<Bound> {
    const { recorder, options } = this.#input;
    if (recorder.halt.aborted) return new Map();
    await inTurn(this.#wanted, options.concurrency, recorder, (one) => this.#bind(one));
    await recorder.finish();
    const hasUnknown = [...this.#results.values()].some(({ outcome }) => outcome === "unknown");
    if (hasUnknown) await this.#learn();
    const results = new Map<string, BindResult[]>();
    for (const { key, bind } of this.#wanted) {
      const own = this.#results.get(bind.number) ?? untried(bind);
      results.set(key, [...(results.get(key) ?? []), own]);
    }
    return results;
  }

  /** Reads the list again, and records what became of numbers whose answers were lost. */
  async #learn(): Promise<void> {
    const { recorder, options, lists } = this.#input;
    const numbers = await lists.numbers.now();
    const live = numbers && (await lists.menus.recent());
    if (numbers === undefined || live === undefined) return;
    const events = bindOutcomes(options.session.state, numbers, this.#reachable(live));
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

  async #bind({ key, action, bind }: Wanted): Promise<void> {
    const { recorder, options, lists } = this.#input;
    const destination = this.#destinationOf(key, action, bind);
    if ("why" in destination) return this.#leave(key, bind, destination.why);
    const wanted = { ...bind, after: destination.after };
    const { service, stop: signal } = options;
    const { number } = bind;
    let line: Pick<PhoneNumber, "id" | "name"> = bind;
    await attempt(
      {
        key: labelOf(key, number),
        check: async () => {
          const listed = await lists.recent();
          if (listed === undefined) return undefined;
          line = listed.numbers.withId(bind.id) ?? bind;
          const why = this.#changedSince(action, wanted, destination.record.payload, listed);
          return why && ((attempts) => this.#finish(key, { ...untried(wanted), ...why, attempts }));
        },
        intents: ({ until }) => [bindIntent(key, wanted, until)],
        // The name is sent as it is listed now, because the request overwrites it.
        send: (permit) => service.bindNumber(line, wanted.after, { key, signal, permit }),
        eventOf: ({ kind, status, message }): StateEvent => ({
          kind: kind === "done" ? "bound" : kind === "unknown" ? "bind-unknown" : "not-bound",
          key,
          number,
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
  ): { readonly after: string; readonly record: Confirmed } | { readonly why: string } {
    const { resultOf, options } = this.#input;
    const result = resultOf(key);
    if (result?.incomplete) return { why: "the menu was created without its links" };
    if (action !== "bind" && (result === undefined || !made.has(result.outcome))) {
      return { why: action === "update" ? "the menu was not updated" : "the menu was not created" };
    }
    const record = options.session.state.keys.get(key)?.current;
    if (!record?.identified) return { why: `the id of ${key} is not known yet` };
    const destination = menuDestination(record.identified.id);
    return referencedMenu(after) !== undefined || after === destination
      ? { after: destination, record }
      : { why: `${key} has another id since the plan was made` };
  }

  /** Why a number is not sent: the lists have something else than the plan was compared with. */
  #changedSince(
    action: Change["action"],
    { id, before, reached, after }: Bind,
    payload: Payload,
    { live, numbers }: Listed,
  ): Pick<BindResult, "outcome" | "message"> | undefined {
    const left = (message: string) => ({ outcome: "not_attempted", message }) as const;
    const menu = menuIdIn(after) ?? "";
    if (!live.has(menu)) return left(`the service does not list menu ${menu} any more`);
    const seen = live.see(menu, payload);
    if (stays.has(action) && seen.kind === "listed" && seen.drift.length > 0) {
      return left("somebody changed the menu on the console");
    }
    const now = numbers.withId(id);
    if (now === undefined) return left("the service does not list the number any more");
    const { destination } = now;
    if (destination === after)
      return { outcome: "bound", message: "it already leads to this menu" };
    if (destination === before) return undefined;
    const leads = `${reachedWords(before, reached)} → ${this.#reachable(live).words(destination)}`;
    return left(`somebody changed what it leads to since the plan was made: ${leads}`);
  }

  #reachable(live: LiveMenus): Reachable {
    const { session, agents } = this.#input.options;
    return new Reachable(session.state, live, agents);
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
