import { destinationsIn, menuIdIn } from "../../schema/wire.ts";
import type { Payload } from "../../schema/wire.ts";
import { phoneText } from "../../util/phone.ts";
import type { UnreadableRecord } from "../service/service.ts";
import type { StateView } from "../state/state.ts";
import type { LiveMenus } from "./live.ts";
import type { LiveNumbers } from "./live-numbers.ts";

/** Something that leads callers to a menu, or that may do so. */
export interface Leader {
  /** The id of a menu. It does not count if that menu is deleted too. */
  readonly id?: string;
  /** In words: `+91 22 4123 4567`, `menu “Front desk” (id 7926)`. */
  readonly words: string;
  /** A phone number that was bound to the menu, although the list shows something else. */
  readonly bound?: string;
}

/** What leads callers to the menus of a service: phone numbers, and other menus. */
export class Leaders {
  readonly #byTarget = new Map<string, Leader[]>();
  /** What ivrctl does not understand, so that it may lead to any menu. */
  readonly #anywhere: Leader[] = [];

  /** `updated` has the payloads of menus that lead elsewhere by the time it matters, by id. */
  constructor(
    live: LiveMenus,
    numbers: LiveNumbers,
    updated: ReadonlyMap<string, Payload> = new Map(),
  ) {
    for (const menu of live.menus) {
      const { id, name } = menu;
      const payload = updated.get(id);
      const targets = payload === undefined ? live.menusLedTo(menu) : targetsIn(payload);
      this.#add(targets, { id, words: `menu “${name}” (id ${id})` });
    }
    for (const { number, destination } of numbers.numbers) {
      const target = destination === null ? undefined : live.menuIn(destination);
      if (target !== undefined) this.#add([target], { words: phoneText(number) });
    }
    for (const record of live.unreadable) this.#addUnreadable(record, "menus");
    for (const record of numbers.unreadable) this.#addUnreadable(record, "phone numbers");
  }

  /** Adds a menu that is created, or whose outcome is unknown. */
  addMenu(payload: Payload, leader: Leader): void {
    this.#add(targetsIn(payload), leader);
  }

  /** Adds a phone number that may lead to a menu, although the list does not show it. */
  addNumber(destination: string, leader: Omit<Leader, "id">): void {
    const target = menuIdIn(destination);
    if (target !== undefined) this.#add([target], leader);
  }

  /** What leads to a menu. Menus that are deleted, and the menu itself, do not count. */
  to(id: string, deleted: ReadonlySet<string>): Leader[] {
    return [...(this.#byTarget.get(id) ?? []), ...this.#anywhere].filter(
      (leader) => leader.id === undefined || (leader.id !== id && !deleted.has(leader.id)),
    );
  }

  #add(targets: readonly string[], leader: Leader): void {
    for (const target of new Set(targets)) {
      const own = this.#byTarget.get(target);
      if (own === undefined) this.#byTarget.set(target, [leader]);
      else own.push(leader);
    }
  }

  #addUnreadable({ id, name, problem }: UnreadableRecord, what: string): void {
    const which = name === null ? `record ${id ?? "without an id"}` : `“${name}”`;
    const words = `perhaps ${which} in the list of ${what}, which ivrctl does not understand (${problem})`;
    this.#anywhere.push({ ...(id !== null && what === "menus" ? { id } : {}), words });
  }
}

interface Uncertain {
  readonly state: StateView;
  readonly numbers: LiveNumbers;
  /** The phone numbers that are bound to other menus before. */
  readonly rebound?: ReadonlySet<string>;
}

/** Adds what may lead to the menus that are deleted, although the lists do not show it. */
export function addUncertain(
  leaders: Leaders,
  { state, numbers, rebound = new Set() }: Uncertain,
): void {
  for (const { number, after } of state.binds.values()) {
    leaders.addNumber(after, { words: `${phoneText(number)}, whose outcome is unknown` });
  }
  for (const [key, { current, pending }] of state.keys) {
    if (pending === null) continue;
    const words = `${key}, whose outcome is unknown`;
    const id = pending.action === "delete" ? current?.identified?.id : undefined;
    leaders.addMenu(pending.payload, id === undefined ? { words } : { words, id });
  }
  // A list that shows something new cannot be one from before the bind.
  for (const { number, id, to, former } of state.bound.values()) {
    const shown = numbers.withId(id)?.destination;
    if (shown === undefined || shown === to.at(-1) || rebound.has(number)) continue;
    if (![...to, ...former].includes(shown)) continue;
    const words = `perhaps ${phoneText(number)}, which was bound to it, although the list does not show that`;
    for (const destination of to) {
      if (destination !== shown) leaders.addNumber(destination, { words, bound: number });
    }
  }
}

function targetsIn(payload: Payload): string[] {
  return destinationsIn(payload).flatMap((destination) => menuIdIn(destination) ?? []);
}
