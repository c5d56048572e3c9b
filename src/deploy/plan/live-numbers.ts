import type { Reached } from "./plan.ts";
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

  /** The numbers that lead to the menu with this id. */
  leadingTo(id: string): readonly PhoneNumber[] {
    return this.#byDestination.get(menuDestination(id)) ?? [];
  }
}

/** What callers of a number reach: `Asha Rao (extension 500101)`, `menu “Front desk” (7926)`. */
export function reachedWords(before: string | null, { name, key, isOld = false }: Reached): string {
  if (before === null) return "nothing";
  const at = before.indexOf("||");
  const [kind, id] = at === -1 ? ["", before] : [before.slice(0, at), before.slice(at + 2)];
  switch (kind) {
    case "ivr":
      if (isOld) return `the old menu of ${key} (${id})`;
      if (name === null) return `menu ${id}, which does not exist`;
      return key === undefined ? `menu “${name}” (${id})` : `menu ${key} (${id})`;
    case "extension":
    case "agent":
      return name === null ? `extension ${id}` : `${name} (extension ${id})`;
    case "hangup":
      return "the end of the call";
    case "":
      return before;
    default:
      return `${kind} ${id}`;
  }
}

/** The id of the agent that a destination of a phone number leads to; undefined for other kinds. */
export function agentIn(destination: string): string | undefined {
  return /^(?:extension|agent)\|\|(.+)$/s.exec(destination)?.[1];
}

/** A number of the list in the form that files have. */
export function asInFiles({ number }: Pick<PhoneNumber, "number">): string {
  return `+${phoneDigits(number)}`;
}
