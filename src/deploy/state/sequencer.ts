import { EntrySchema, type StateEvent } from "../../schema/state.ts";
import { type Linked, chainHash, link } from "./entries.ts";
import { Contradiction } from "./records.ts";
import type { State } from "./state.ts";
import type { Claim } from "./store.ts";

/**
 * Turns the events of a session into entries: numbered, with time, run and author, and
 * linked to the entries before them. Its own state includes the entries that wait to be
 * written, so it refuses a contradiction before it is written.
 */
export class Sequencer {
  readonly #environment: string;
  readonly #claim: Pick<Claim, "id" | "by">;
  readonly #now: () => Date;
  readonly #ahead: State;
  /** Sets of field names that have passed validation. */
  readonly #validated = new Set<string>();
  #failure: { readonly error: unknown } | undefined;

  /** Continues from this state without changing it. */
  constructor(state: State, environment: string, claim: Pick<Claim, "id" | "by">, now: () => Date) {
    this.#environment = environment;
    this.#claim = claim;
    this.#now = now;
    this.#ahead = state.copy();
  }

  /** Turns events into the next entries. After it has thrown once, it always throws the same error. */
  next(events: readonly StateEvent[]): readonly Linked[] {
    return this.#orFailForever(() => events.map((event) => this.#next(event)));
  }

  /** Checks entries from another store: they have to continue this history. */
  follow(entries: readonly Linked[]): readonly Linked[] {
    return this.#orFailForever(() => entries.map((linked) => this.#follow(linked)));
  }

  #orFailForever<T>(act: () => T): T {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return act();
    } catch (error) {
      // The first events of this call may be in `#ahead` already, but they are never written.
      this.#failure = { error };
      throw error;
    }
  }

  #follow(linked: Linked): Linked {
    const { entry, text, head } = linked;
    this.#refuseOtherEnvironment(entry.event);
    if (chainHash(this.#ahead.head, text) !== head) {
      throw new Contradiction(`event ${entry.seq} belongs to a different history`);
    }
    this.#ahead.take(entry, head);
    return linked;
  }

  #refuseOtherEnvironment(event: StateEvent): void {
    if (event.kind === "begun" && event.environment !== this.#environment) {
      throw new Contradiction(
        `the event belongs to ${event.environment}, not to ${this.#environment}`,
      );
    }
  }

  #next(event: StateEvent): Linked {
    this.#refuseOtherEnvironment(event);
    const { id: run, by } = this.#claim;
    const at = this.#now().toISOString();
    const linked = link(this.#ahead.head, { seq: this.#ahead.serial + 1, at, run, by, event });
    this.#refuseUnreadable(linked);
    this.#ahead.take(linked.entry, linked.head);
    return linked;
  }

  /**
   * Refuses an event that could not be read back, because an event cannot be removed later.
   * The types guarantee everything except additional fields, so it is enough to validate one
   * event with each set of fields. Validating every event would slow down a large apply.
   */
  #refuseUnreadable({ entry, text }: Linked): void {
    const fields = fieldsOf(entry.event);
    if (this.#validated.has(fields)) return;
    EntrySchema.parse(JSON.parse(text));
    this.#validated.add(fields);
  }
}

function fieldsOf(event: StateEvent): string {
  const inner = "payload" in event ? Object.keys(event.payload) : [];
  return [event.kind, ...Object.keys(event), ...inner].join(" ");
}
