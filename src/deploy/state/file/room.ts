import type { Entry, StateEvent } from "../../../schema/state.ts";

/**
 * How much of a disk is needed at the most to record what has begun: the intents that are
 * about to be recorded, and the outcome of each that is in flight.
 */
export class Room {
  readonly #lines = new Map<StateEvent, number>();
  #inFlight = 0;

  get bytes(): number {
    let bytes = this.#inFlight * outcomeRoom;
    for (const size of this.#lines.values()) bytes += size + outcomeRoom;
    return bytes;
  }

  /** These are to be recorded. Whether any of them is an intent, so that room is needed. */
  expect(events: readonly StateEvent[]): boolean {
    if (!events.some(isIntent)) return false;
    for (const event of events) {
      this.#lines.set(event, Buffer.byteLength(JSON.stringify(event)) + aroundEvent);
    }
    return true;
  }

  /** They are not to be recorded after all. */
  drop(events: readonly StateEvent[]): void {
    for (const event of events) this.#lines.delete(event);
  }

  /** They are being recorded. */
  take(entries: readonly Entry[]): void {
    for (const { event } of entries) {
      this.#lines.delete(event);
      if (isIntent(event)) this.#inFlight += 1;
      else if (isOutcome(event)) this.#inFlight = Math.max(0, this.#inFlight - 1);
    }
  }
}

/** A line with an outcome is shorter: what the service says is cut to 3 KiB (`HttpService`). */
const outcomeRoom = 4096;

/** What a line has beside its event. */
const aroundEvent = 1024;

function isIntent({ kind }: StateEvent): boolean {
  return kind === "intent";
}

function isOutcome({ kind }: StateEvent): boolean {
  return kind === "created" || kind === "failed" || kind === "not-processed" || kind === "unknown";
}
