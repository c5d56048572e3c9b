import { isSameTarget } from "../../model/menu.ts";
import type { StateEvent } from "../../schema/state.ts";
import { many } from "../../util/many.ts";
import { clockTime } from "../../util/time.ts";
import { outcomeEvent } from "../state/records.ts";
import type { StateView } from "../state/view.ts";
import type { DestinationWords } from "./names.ts";
import { phoneDigits } from "../../util/phone.ts";
import type { PhoneNumber, UnreadableRecord } from "../service/lists.ts";

/** The phone numbers that the service listed at one time. */
export class LiveNumbers {
  readonly at: string;
  readonly numbers: readonly PhoneNumber[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly #byDigits: ReadonlyMap<string, ReadonlySet<PhoneNumber>>;

  constructor(
    numbers: readonly PhoneNumber[],
    unreadable: readonly UnreadableRecord[],
    at: string,
  ) {
    this.at = at;
    this.numbers = numbers;
    this.unreadable = unreadable;
    // A list may write a number with or without the `+`, and with spaces.
    const byDigits = new Map<string, Set<PhoneNumber>>();
    for (const record of numbers) {
      for (const digits of [record.number, record.alias ?? record.number].map(phoneDigits)) {
        byDigits.set(digits, (byDigits.get(digits) ?? new Set()).add(record));
      }
    }
    this.#byDigits = byDigits;
  }

  get count(): number {
    return this.numbers.length + this.unreadable.length;
  }

  /** The records of a number: none if the account does not have it. Several contradict each other. */
  find(number: string): readonly PhoneNumber[] {
    return [...(this.#byDigits.get(phoneDigits(number)) ?? [])];
  }

  withId(id: string): PhoneNumber | undefined {
    return this.numbers.find((one) => one.id === id);
  }
}

/** A number of the list in the form that files have. */
export function asInFiles({ number }: Pick<PhoneNumber, "number">): string {
  return `+${phoneDigits(number)}`;
}

/** A bind is repeatable, so a different destination only means that the next plan shows the number again. */
export function bindOutcomes(
  { records }: StateView,
  numbers: LiveNumbers,
  reached: DestinationWords,
): StateEvent[] {
  const listed = `${many(numbers.count, "phone number")} listed at ${clockTime(numbers.at)}`;
  return [...records.values()].flatMap(({ pending: bind }): StateEvent[] => {
    if (bind?.action !== "bind") return [];
    const listedNumber = numbers.withId(bind.id);
    if (listedNumber === undefined) return [];
    const as = isSameTarget(listedNumber.destination, bind.after) ? "done" : "not-done";
    const evidence = `it points to ${reached(listedNumber.destination)}; ${listed}`;
    return [outcomeEvent(bind, { how: "list", as, evidence })];
  });
}
