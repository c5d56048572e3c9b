import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { payloadDigest } from "../support/payload-facts.ts";
import {
  type AccountEvent,
  type AccountChange,
  AccountEvent as Event,
} from "../../src/sandbox/account.ts";
import { menuList } from "../../src/sandbox/list-answers.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Intent, Journal } from "./journal.ts";
import { type FaultRule, faultsBy } from "../support/faults.ts";
import { clock } from "../support/host.ts";

type Options = Pick<SandboxOptions, "token" | "operations" | "onRequest"> & {
  /** The file of the account. */
  readonly dataFile: string;
};

/** The account on the service: one file, and a sandbox for every set of faults. */
export class TestAccount {
  /** The phone numbers and menus that somebody bound or deleted on the console. */
  readonly touched = new Set<string>();
  readonly #options: Options;
  readonly #sandboxes: Sandbox[] = [];
  #calm: Sandbox | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The address of the service without faults. */
  async calm(): Promise<string> {
    this.#calm ??= await this.#start([], 0);
    return this.#calm.url;
  }

  /** The address of the service with these faults. */
  async faulty(seed: number, rules: readonly FaultRule[]): Promise<string> {
    return (await this.#start(rules, seed)).url;
  }

  async close(): Promise<void> {
    for (const sandbox of this.#sandboxes.splice(0)) await sandbox.close();
    this.#calm = undefined;
  }

  /** The menus and phone numbers that the service has now. */
  get records() {
    return this.#calm?.records ?? [];
  }

  get numbers() {
    return this.#calm?.numbers ?? [];
  }

  /** The first payload of every menu that was ever created, by its id. */
  made(): ReadonlyMap<string, Payload> {
    const made = new Map<string, Payload>();
    for (const event of this.#events()) {
      if ("payload" in event && !("update" in event))
        made.set(String(made.size + 1), event.payload);
    }
    return made;
  }

  /** How a list shows a menu, right after its create. */
  asCreated(id: string): object | undefined {
    const payload = this.made().get(id);
    if (payload === undefined) return undefined;
    const { ivrs } = menuList([{ number: Number(id), at: "", payload }]) as { ivrs: object[] };
    return ivrs[0];
  }

  /** Whether the console shows the menu of an intent: for an update, with the new content. */
  isShown({ of, digest, operation }: Intent, { known, accounted }: Journal): boolean {
    if (of !== undefined) {
      return this.records.some(
        ({ number, payload }) =>
          String(number) === of.id && (operation === "delete" || payloadDigest(payload) === digest),
      );
    }
    const claimed = new Set(known.map(({ id }) => id));
    const made = this.made();
    const free = this.records.filter(({ number }) => {
      const first = made.get(String(number));
      return first && payloadDigest(first) === digest && !claimed.has(String(number));
    });
    const alike = accounted.filter((menu) => menu.id === undefined && menu.digest === digest);
    return free.length >= alike.length;
  }

  /** Somebody changes the account without ivrctl. */
  change(change: AccountChange): void {
    if ("number" in change) this.touched.add(change.number);
    if ("delete" in change) this.touched.add(`ivr||${change.delete}`);
    const event = { at: new Date().toISOString(), ...change };
    appendFileSync(this.#options.dataFile, `${JSON.stringify(event)}\n`);
  }

  #events(): AccountEvent[] {
    const { dataFile } = this.#options;
    const text = existsSync(dataFile) ? readFileSync(dataFile, "utf8") : "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : Event.parse(JSON.parse(line))));
  }

  async #start(rules: readonly FaultRule[], seed: number): Promise<Sandbox> {
    const faults = faultsBy(rules, clock, seed);
    const sandbox = await startSandbox({ clock, ...this.#options, faults });
    this.#sandboxes.push(sandbox);
    return sandbox;
  }
}
