import { menuDestination } from "../../schema/wire.ts";
import { groupBy } from "../../util/group-by.ts";
import { phoneDigits } from "../../util/phone.ts";
import type { PhoneNumber, UnreadableRecord } from "../service/service.ts";

/** The phone numbers that the service listed at one time. */
export class LiveNumbers {
  /** When the list was read. */
  readonly at: string;
  readonly numbers: readonly PhoneNumber[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly #byId: ReadonlyMap<string, PhoneNumber>;
  readonly #byDigits: ReadonlyMap<string, readonly PhoneNumber[]>;
  readonly #byDestination: ReadonlyMap<string | null, readonly PhoneNumber[]>;

  constructor(
    numbers: readonly PhoneNumber[],
    unreadable: readonly UnreadableRecord[],
    at: string,
  ) {
    this.at = at;
    this.numbers = numbers;
    this.unreadable = unreadable;
    this.#byId = new Map(numbers.map((one) => [one.id, one]));
    // A list may write a number with or without the `+`, and with spaces.
    const forms = numbers.flatMap((one) =>
      [...new Set([one.number, one.alias ?? one.number].map(phoneDigits))].map((digits) => ({
        digits,
        one,
      })),
    );
    this.#byDigits = new Map(
      [...groupBy(forms, ({ digits }) => digits)].map(([digits, own]) => [
        digits,
        own.map(({ one }) => one),
      ]),
    );
    this.#byDestination = groupBy(numbers, ({ destination }) => destination);
  }

  get count(): number {
    return this.numbers.length + this.unreadable.length;
  }

  /** The records of a number: none if the account does not have it. Several contradict each other. */
  find(number: string): readonly PhoneNumber[] {
    return this.#byDigits.get(phoneDigits(number)) ?? [];
  }

  /** The record with this id of the service. */
  withId(id: string): PhoneNumber | undefined {
    return this.#byId.get(id);
  }

  /** The numbers that point to the menu with this id. */
  leadingTo(id: string): readonly PhoneNumber[] {
    return this.#byDestination.get(menuDestination(id)) ?? [];
  }
}

/** A number of the list in the form that files have. */
export function asInFiles({ number }: Pick<PhoneNumber, "number">): string {
  return `+${phoneDigits(number)}`;
}
