import { keyPlace } from "../../call/describe-call.ts";
import { type Payload, menuDestination } from "../../schema/wire.ts";
import {
  type ContentDestination,
  type LiveMenu,
  type ReadSettings,
  destinationIn,
  liveDestination,
  webhookKeys,
  liveSettings,
} from "../service/live-menu.ts";
import type { UnreadableRecord, PhoneNumber } from "../service/service.ts";
import { type Facts, isSame, payloadFacts, factsOfListed } from "./digest.ts";
import { groupBy } from "../../util/group-by.ts";
import { phoneDigits } from "../../util/phone.ts";
import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../../project/agents-lock.ts";
import type { Environment } from "../../project/environment.ts";
import { suggest } from "../../util/suggest.ts";
import { listAgents } from "../service/list-agents.ts";
import {
  type Connection,
  type Endpoint,
  type ServiceWatcher,
  openEndpoint,
} from "../service/connect.ts";
import type { StateView } from "../state/state.ts";
import type { Host } from "../../util/host.ts";

/**
 * What the service shows of a menu or a phone number on record. `unread` if it cannot list this, and
 * `unreadable` if ivrctl does not understand its record in the list, or does not know which one it is.
 */
export type Observed =
  | { readonly kind: "unread" | "absent" | "unreadable"; readonly problem?: string }
  | {
      readonly kind: "seen";
      readonly facts: Facts;
      readonly id: string;
      /** The keys with a webhook that somebody set on the console. An update removes it. */
      readonly webhooks: readonly string[];
    };

/** The menus that the service listed at one time. */
export class LiveMenus {
  /** When the list was read. */
  readonly at: string;
  /** How many menus it has. */
  readonly count: number;
  /** The menus that ivrctl understands, and the records that it does not. */
  readonly menus: readonly LiveMenu[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly #settings: ReadSettings;
  readonly #byId: ReadonlyMap<string, LiveMenu>;
  readonly #problems: ReadonlyMap<string | null, string>;
  readonly #byName: ReadonlyMap<string | null, readonly { readonly id: string | null }[]>;
  /** Whether a record without an id or name could be any menu. */
  readonly #hasNameless: boolean;

  constructor(
    menus: readonly LiveMenu[],
    unreadable: readonly UnreadableRecord[],
    settings: ReadSettings,
    at: string,
  ) {
    this.at = at;
    this.count = menus.length + unreadable.length;
    this.menus = menus;
    this.unreadable = unreadable;
    this.#settings = settings;
    this.#hasNameless = unreadable.some(({ id, name }) => id === null || name === null);
    this.#byId = new Map(menus.map((menu) => [menu.id, menu]));
    this.#problems = new Map(unreadable.map(({ id, problem }) => [id, problem]));
    this.#byName = groupBy([...menus, ...unreadable], ({ name }) => name);
  }

  /** The ids of all menus with this name. */
  named(name: string): readonly string[] {
    return (this.#byName.get(name) ?? []).flatMap(({ id }) => id ?? []);
  }

  /** Whether the list has a menu with this id. */
  has(id: string): boolean {
    return this.#byId.has(id) || this.#problems.has(id);
  }

  /** Whether a record in the list cannot be read so far that it may be any menu. */
  get isUncertain(): boolean {
    return this.#hasNameless;
  }

  /** What the list says about the menu with this id, whose payload was applied. */
  see(id: string, payload: Payload): Observed {
    const menu = this.#byId.get(id);
    if (menu === undefined) {
      const problem = this.#problems.get(id) ?? (this.#hasNameless ? missingIdOrName : undefined);
      return problem === undefined ? { kind: "absent" } : { kind: "unreadable", problem };
    }
    const facts = factsOfListed(menu, payload, this.#settings);
    return { kind: "seen", facts, id, webhooks: webhookKeys(menu) };
  }

  /**
   * Where a menu links to others, or may do so: the list can have unknown names for kinds. A place is
   * `key 2`, `invalid` or `timeout`.
   */
  linksOf(menu: LiveMenu): { readonly place: string; readonly id: string }[] {
    const { invalid_destination: invalid, timeout_destination: timeout } = menu.destinations;
    const all = [
      ...menu.options.map(({ key, destination }) => [keyPlace(key), destination] as const),
      ["invalid", invalid] as const,
      ["timeout", timeout] as const,
    ];
    return all.flatMap(([place, read]) => {
      const to = read && liveDestination(read, this.#settings);
      return to && mayBeMenu(to) ? { place, id: to.id } : [];
    });
  }

  /** The id of the menu that a destination such as `ivr||7926` links to, or may link to. */
  menuIn(destination: string): string | undefined {
    const read = destinationIn(destination, this.#settings);
    return mayBeMenu(read) ? read.id : undefined;
  }

  /** Whether the menu with this id has exactly this content, as far as the list shows it. */
  isSame(id: string, payload: Payload): boolean {
    const seen = this.see(id, payload);
    return seen.kind === "seen" && isSame(seen.facts, payloadFacts(payload));
  }
}

function mayBeMenu({ kind, isKindUncertain }: ContentDestination): boolean {
  return kind === "ivr" || isKindUncertain;
}

const missingIdOrName = "a record of the list has no id or no name";

/** The phone numbers that the service listed at one time. */
export class LiveNumbers {
  /** When the list was read. */
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
    for (const one of numbers) {
      for (const digits of [one.number, one.alias ?? one.number].map(phoneDigits)) {
        byDigits.set(digits, (byDigits.get(digits) ?? new Set()).add(one));
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

  /** The record with this id of the service. */
  withId(id: string): PhoneNumber | undefined {
    return this.numbers.find((one) => one.id === id);
  }

  /** The numbers that point to the menu with this id. */
  leadingTo(id: string): readonly PhoneNumber[] {
    return this.numbers.filter(({ destination }) => destination === menuDestination(id));
  }
}

/** A number of the list in the form that files have. */
export function asInFiles({ number }: Pick<PhoneNumber, "number">): string {
  return `+${phoneDigits(number)}`;
}

/** What the service lists. Without menus, it cannot list them. */
export interface Lists {
  readonly menus?: LiveMenus | undefined;
  readonly numbers?: LiveNumbers | undefined;
}

/** What the service has now. */
export interface Present {
  readonly agents: Agents;
  readonly lists: Lists;
}

interface Options {
  readonly root: string;
  readonly host: Host;
  readonly watcher: ServiceWatcher;
  readonly state: StateView | undefined;
  /** A file with agents that is used instead of the service's list. */
  readonly file?: string | undefined;
  readonly environment: Environment | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/** Connects to the service, and reads what it has. A file with agents needs no connection by itself. */
export async function lookAt(
  endpoint: Endpoint,
  { environment, file, ...options }: Options,
  diagnostics: Diagnostics,
): Promise<Present | undefined> {
  const given =
    file === undefined
      ? undefined
      : readAgentsFile(options.root, file, endpoint.environment, diagnostics);
  if (file !== undefined && given === undefined) return undefined;
  const lists = endpoint.operations.has("list") ? environment : undefined;
  if (given && lists === undefined) return { agents: given, lists: {} };
  const connection = await openEndpoint(endpoint, options, diagnostics);
  if (connection === undefined) return undefined;
  try {
    return await readPresent(connection, environment, given, diagnostics, options.signal);
  } finally {
    await connection.close();
  }
}

/**
 * Reads the agent list, unless it is given, and the menus and phone numbers, if the service can list
 * them. Reports a failure and returns undefined.
 */
export async function readPresent(
  connection: Connection,
  environment: Environment | undefined,
  given: Agents | undefined,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Present | undefined> {
  const { operations, place } = connection;
  const agents = given ?? (await listAgents(connection, diagnostics, signal));
  if (agents === undefined) return undefined;
  if (!operations.has("list") || environment === undefined) return { agents, lists: {} };
  const lists = await readLists(connection, environment, signal);
  if (typeof lists !== "string") return { agents, lists };
  diagnostics.add("IVR503", place, lists, {
    words: "To test the service, run:",
    argv: suggest("doctor", [], connection.environment),
  });
  return undefined;
}

/** Reads the menus of a service, and its phone numbers if it has them. Returns a sentence if that fails. */
export async function readLists(
  { service, operations, address, clock }: Omit<Connection, "close">,
  { wire }: Pick<Environment, "wire">,
  signal?: AbortSignal,
  withNumbers = true,
): Promise<Lists | string> {
  const now = () => clock.now().toISOString();
  const menusAt = now();
  const listed = await service.listMenus(signal);
  if (listed.kind !== "listed") {
    return `The list of the menus of ${address} is not available: ${listed.problem}.`;
  }
  const { items, unreadable } = listed;
  const menus = new LiveMenus(items, unreadable, liveSettings(wire), menusAt);
  if (!withNumbers || !operations.has("numbers")) return { menus };
  const numbersAt = now();
  const numbers = await service.listNumbers(signal);
  return numbers.kind === "listed"
    ? { menus, numbers: new LiveNumbers(numbers.items, numbers.unreadable, numbersAt) }
    : `The list of phone numbers of ${address} is not available: ${numbers.problem}.`;
}
