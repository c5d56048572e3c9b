import * as z from "zod/mini";
import type { Payload } from "../schema/fields.ts";
import { PayloadSchema } from "../schema/payload.ts";

export interface SandboxRecord {
  /** From 1, in the order of their creation. It is the id of the menu. */
  readonly number: number;
  readonly at: string;
  readonly payload: Payload;
  /** The webhooks that somebody set on the console, by option. */
  readonly webhooks?: Readonly<Record<string, string>>;
}

/** What is known of a phone number after somebody changed it. */
export const Binding = z.strictObject({
  destination: z.string(),
  name: z.exactOptional(z.string()),
  description: z.exactOptional(z.string()),
});

/** A recording that a request made. */
export const SandboxRecording = z.strictObject({
  audio_name: z.string(),
  type: z.string(),
  data: z.string(),
});

const at = z.string();
const menu = z.int();

/** A change of the account. The first kind is all that a service without more operations has. */
export const AccountEvent = z.union([
  z.strictObject({ at, payload: PayloadSchema }),
  z.strictObject({ at, update: menu, payload: PayloadSchema }),
  z.strictObject({ at, delete: menu }),
  z.strictObject({ at, webhook: z.strictObject({ menu, option: z.string(), id: z.string() }) }),
  z.strictObject({ at, number: z.string(), binding: Binding }),
  z.strictObject({ at, recording: SandboxRecording }),
]);
export type AccountEvent = z.infer<typeof AccountEvent>;

type WithoutTime<T> = T extends unknown ? Omit<T, "at"> : never;
export type AccountChange = WithoutTime<AccountEvent>;

const firstRecording = 30_001;

export interface MadeRecording extends z.infer<typeof SandboxRecording> {
  readonly id: string;
  readonly at: string;
}

/** The menus, the changed phone numbers and the recordings of the account. */
export class Account {
  readonly events: AccountEvent[] = [];
  readonly bindings = new Map<string, z.infer<typeof Binding>>();
  /** The menus, oldest first. Always the same array. */
  readonly menus: SandboxRecord[] = [];
  /** The recordings that requests made, oldest first. */
  readonly recordings: MadeRecording[] = [];
  #created = 0;

  menu(id: string): SandboxRecord | undefined {
    return this.menus.find(({ number }) => String(number) === id);
  }

  apply(event: AccountEvent): void {
    this.events.push(event);
    if ("update" in event) {
      // A new payload removes the webhooks, because it cannot contain them.
      const { at } = this.menu(String(event.update)) ?? event;
      this.#replace(event.update, { number: event.update, at, payload: event.payload });
    } else if ("payload" in event) {
      this.#created += 1;
      this.menus.push({ number: this.#created, at: event.at, payload: event.payload });
    } else if ("delete" in event) this.#replace(event.delete);
    else if ("webhook" in event) {
      const { menu, option, id } = event.webhook;
      const record = this.menu(String(menu));
      if (record === undefined) return;
      this.#replace(menu, { ...record, webhooks: { ...record.webhooks, [option]: id } });
    } else if ("recording" in event) {
      const id = String(firstRecording + this.recordings.length);
      this.recordings.push({ ...event.recording, id, at: event.at });
    } else
      this.bindings.set(event.number, { ...this.bindings.get(event.number), ...event.binding });
  }

  /** Replaces a menu, or removes it. */
  #replace(number: number, ...by: readonly SandboxRecord[]): void {
    const at = this.menus.findIndex((menu) => menu.number === number);
    if (at >= 0) this.menus.splice(at, 1, ...by);
  }
}
