import { EntrySchema, type StateEvent } from "../../schema/state.ts";
import { type Linked, headOf, link } from "./chain.ts";
import { Contradiction, type State } from "./state.ts";
import type { Claim } from "./store.ts";

/**
 * Makes entries of a session's events before they are written: numbered, with
 * time, run and author, and linked to those before them. It is ahead of the
 * session's state by what waits to be written, so that a contradiction is told
 * before it is in the history. Every store has one for each session.
 */
export class Sequencer {
  readonly #environment: string;
  readonly #claim: Claim;
  readonly #now: () => Date;
  readonly #ahead: State;
  /** The fields of events that can be read. */
  readonly #known = new Set<string>();
  #misused: { readonly error: unknown } | undefined;

  /** Goes on from this state, and leaves it alone. */
  constructor(state: State, environment: string, claim: Claim, now: () => Date) {
    this.#environment = environment;
    this.#claim = claim;
    this.#now = now;
    this.#ahead = state.copy();
  }

  /** Once it has thrown, it throws the same for ever. */
  next(events: readonly StateEvent[]): readonly Linked[] {
    return this.#orNeverAgain(() => events.map((event) => this.#next(event)));
  }

  /** The same of entries that were made elsewhere: they have to go on from here. */
  follow(entries: readonly Linked[]): readonly Linked[] {
    return this.#orNeverAgain(() => entries.map((linked) => this.#follow(linked)));
  }

  #orNeverAgain<T>(act: () => T): T {
    if (this.#misused !== undefined) throw this.#misused.error;
    try {
      return act();
    } catch (error) {
      // Those of this call that did fit are ahead now of what will be written.
      this.#misused = { error };
      throw error;
    }
  }

  #follow(linked: Linked): Linked {
    const { entry, text, head } = linked;
    this.#refuseOthers(entry.event);
    if (headOf(this.#ahead.head, text) !== head) {
      throw new Contradiction(`event ${entry.seq} is of another history`);
    }
    this.#ahead.take(entry, head);
    return linked;
  }

  #refuseOthers(event: StateEvent): void {
    if (event.kind === "begun" && event.environment !== this.#environment) {
      throw new Contradiction(`${event.environment} is not ${this.#environment}`);
    }
  }

  #next(event: StateEvent): Linked {
    this.#refuseOthers(event);
    const { id: run, by } = this.#claim;
    const at = this.#now().toISOString();
    const linked = link(this.#ahead.head, { seq: this.#ahead.serial + 1, at, run, by, event });
    this.#refuseUnreadable(linked);
    this.#ahead.take(linked.entry, linked.head);
    return linked;
  }

  /**
   * What is written has to be readable: a line that is refused is refused for
   * ever. The types see to that, but for fields too many. So the schema is asked
   * once about events with the same fields, which is cheap, and not about each.
   */
  #refuseUnreadable({ entry, text }: Linked): void {
    const fields = fieldsOf(entry.event);
    if (this.#known.has(fields)) return;
    EntrySchema.parse(JSON.parse(text));
    this.#known.add(fields);
  }
}

function fieldsOf(event: StateEvent): string {
  const inner = "payload" in event ? Object.keys(event.payload) : [];
  return [event.kind, ...Object.keys(event), ...inner].join(" ");
}
