import type { PhoneNumber, UnreadableRecord } from "../service/service.ts";

/** The phone numbers that the service listed at one time. */
export class LiveNumbers {
  /** When the list was read. */
  readonly at: string;
  readonly numbers: readonly PhoneNumber[];
  readonly unreadable: readonly UnreadableRecord[];

  constructor(
    numbers: readonly PhoneNumber[],
    unreadable: readonly UnreadableRecord[],
    at: string,
  ) {
    this.at = at;
    this.numbers = numbers;
    this.unreadable = unreadable;
  }
}
