import * as z from "zod/mini";
import { PayloadSchema } from "../schema/payload.ts";
import type { SandboxPayload } from "./check-payload.ts";

/** A menu that the sandbox has created. */
export interface SandboxRecord {
  /** From 1, in the order of their creation. It is the id of the menu. */
  readonly number: number;
  readonly at: string;
  readonly payload: SandboxPayload;
  /** The webhooks that somebody set on the console, by option. */
  readonly webhooks?: Readonly<Record<string, string>>;
}

/** What is known of a phone number after somebody changed it. */
export type Binding = z.infer<typeof Binding>;

const Binding = z.strictObject({
  destination: z.string(),
  name: z.exactOptional(z.string()),
  description: z.exactOptional(z.string()),
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
]);
export type AccountEvent = z.infer<typeof AccountEvent>;

type WithoutTime<T> = T extends unknown ? Omit<T, "at"> : never;
export type Change = WithoutTime<AccountEvent>;

/** The menus and the changed phone numbers of the account. */
export class Account {
  readonly events: AccountEvent[] = [];
  readonly bindings = new Map<string, Binding>();
  /** The menus, oldest first. Always the same array. */
  readonly menus: SandboxRecord[] = [];
  readonly #menus = new Map<number, SandboxRecord>();
  #created = 0;

  menu(id: string): SandboxRecord | undefined {
    const found = this.#menus.get(Number(id));
    return found !== undefined && String(found.number) === id ? found : undefined;
  }

  apply(event: AccountEvent): void {
    this.events.push(event);
    if ("update" in event) this.#change(event.update, { payload: event.payload });
    else if ("payload" in event) {
      this.#created += 1;
      const { at, payload } = event;
      const record = { number: this.#created, at, payload };
      this.#menus.set(record.number, record);
      this.menus.push(record);
    } else if ("delete" in event) this.#delete(event.delete);
    else if ("webhook" in event) {
      const { menu, option, id } = event.webhook;
      const webhooks = { ...this.#menus.get(menu)?.webhooks, [option]: id };
      this.#change(menu, { webhooks });
    } else
      this.bindings.set(event.number, { ...this.bindings.get(event.number), ...event.binding });
  }

  /** A new payload removes the webhooks, because it cannot contain them. */
  #change(
    number: number,
    change: Pick<SandboxRecord, "webhooks"> | Pick<SandboxRecord, "payload">,
  ) {
    const found = this.#menus.get(number);
    if (found === undefined) return;
    const { webhooks: _, ...rest } = found;
    const changed = { ...rest, ...change };
    this.#menus.set(number, changed);
    this.menus[this.menus.indexOf(found)] = changed;
  }

  #delete(number: number): void {
    const found = this.#menus.get(number);
    if (found === undefined) return;
    this.#menus.delete(number);
    this.menus.splice(this.menus.indexOf(found), 1);
  }
}
