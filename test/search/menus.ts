import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "./random.ts";

interface Menu {
  readonly name: string;
  readonly description: string;
  readonly options: readonly (readonly [key: string, leads: Leads])[];
  readonly wait: number;
  readonly numbers: readonly string[];
  /** Whether a change makes a new menu, although the service can update menus. */
  readonly isReplaced: boolean;
  readonly movedFrom?: string;
}

interface Settings {
  readonly links: boolean;
  readonly numbers: readonly string[];
  readonly replaced: number;
}

/** An agent as in the file, or the key of a menu. */
type Leads = string | { readonly menu: string };

const agents = [
  "Asha Rao",
  "{ agent: Ravi Kumar, team: Billing }",
  "{ agent: Ravi Kumar, team: Sales }",
  "Front Desk",
  '{ intercom: "1004" }',
  "अनिल देशपांडे",
] as const;

const folders = ["", "sales/", "support/night/"] as const;

/** The files under ivrs/, and random edits of them. */
export class Menus {
  readonly #root: string;
  readonly #random: Random;
  /** Whether options may go to menus. */
  readonly #links: boolean;
  /** The phone numbers of the account. */
  readonly #numbers: readonly string[];
  /** The share of the menus that a change replaces, although the service can update menus. */
  readonly #replaced: number;
  readonly #menus = new Map<string, Menu>();
  readonly #removed = new Map<string, Menu>();
  /** What the files contained earlier. */
  readonly #earlier = new Map<string, Menu[]>();
  #made = 0;

  constructor(root: string, random: Random, count: number, { links, numbers, replaced }: Settings) {
    this.#root = root;
    this.#random = random;
    this.#links = links;
    this.#numbers = numbers;
    this.#replaced = replaced;
    for (let at = 0; at < count; at += 1) this.#add();
    for (const number of numbers) this.#assign(number, random.pick(this.keys) ?? "");
  }

  get keys(): readonly string[] {
    return [...this.#menus.keys()];
  }

  /** Makes one random edit. Returns a description. */
  edit(): string {
    const random = this.#random;
    const [a, b] = random.shuffle(this.keys);
    const what = random.choose({
      change: 4,
      changeAll: 3,
      revert: 5,
      reorder: 1,
      rename: 1,
      carry: 2,
      dropMoved: 1,
      remove: this.#menus.size < 4 ? 0.5 : this.#links ? 5 : 1.5,
      restore: 2,
      swapNames: 1,
      swapFiles: 1,
      add: this.#links || this.#menus.size < 4 ? 5 : 1.5,
      number: 2 * this.#numbers.length,
    });
    if (what === "add" || a === undefined) return `add ${this.#add()}`;
    const menu = this.#menus.get(a) as Menu;
    const other = b === undefined ? undefined : this.#menus.get(b);
    const key = this.#freeKey();
    switch (what) {
      case "change":
        this.#put(a, this.#changed(menu));
        return `change ${a}`;
      case "changeAll":
        for (const [each, was] of this.#menus) this.#put(each, { ...was, wait: was.wait + 10 });
        return "change every menu";
      case "revert": {
        const all = [...this.#earlier.keys()].filter((key) => this.#menus.has(key));
        const some = random.chance(0.4) ? all : random.shuffle(all).slice(0, 1);
        for (const each of some) this.#revert(each);
        return `put back an earlier content of ${some.join(", ")}`;
      }
      case "reorder":
        this.#put(a, { ...menu, options: random.shuffle(menu.options) });
        return `reorder ${a}`;
      case "rename":
        this.#rename(a, key, plain(menu));
        return `rename ${a} to ${key} without moved_from`;
      case "carry": {
        const changed = random.chance(0.4);
        this.#rename(a, key, { ...(changed ? this.#changed(menu) : menu), movedFrom: a });
        return `rename ${a} to ${key}${changed ? " and change it" : ""}`;
      }
      case "dropMoved":
        this.#put(a, plain(menu));
        return `take moved_from out of ${a}`;
      case "remove":
        return this.#remove(a, b);
      case "restore": {
        const back = random.pick([...this.#removed]);
        if (back === undefined) break;
        const [old, was] = back;
        this.#removed.delete(old);
        if (this.#clashes(old, was)) break;
        this.#put(old, random.chance(0.7) ? was : this.#changed(was));
        return `bring ${old} back`;
      }
      case "swapNames":
        if (b === undefined || other === undefined) break;
        this.#put(a, { ...menu, name: other.name });
        this.#put(b, { ...other, name: menu.name });
        return `swap the names of ${a} and ${b}`;
      case "swapFiles":
        if (b === undefined || other === undefined) break;
        this.#put(a, plain(other));
        this.#put(b, plain(menu));
        return `swap the contents of ${a} and ${b}`;
      case "number":
        return this.moveNumber(random.pick(this.#numbers) ?? "");
    }
    this.#put(a, this.#changed(menu));
    return `change ${a}`;
  }

  /** Makes an edit that needs each kind of request: changes, adds and removes a menu, and moves a number. */
  turnOver(): string {
    const [a, b, c] = this.#random.shuffle(this.keys);
    if (a === undefined || b === undefined || c === undefined) return `add ${this.#add()}`;
    this.#put(a, { ...(this.#menus.get(a) as Menu), wait: this.#random.between(1, 99) });
    const added = this.#add();
    const number = this.#random.pick(this.#numbers);
    if (number !== undefined) this.#assign(number, this.#random.pick([a, added]));
    return `change ${a}, add ${added}, move ${number ?? "nothing"}, ${this.#remove(b, c)}`;
  }

  /** Does what the plan proposes: adds or removes `moved_from`. */
  fix(key: string, movedFrom: string | undefined): string {
    const menu = this.#menus.get(key);
    if (menu === undefined) return "nothing";
    const useful = movedFrom !== undefined && menu.movedFrom !== movedFrom && movedFrom !== key;
    this.#put(key, useful ? { ...menu, movedFrom } : plain(menu));
    return useful ? `moved_from: ${movedFrom} in ${key}` : `no moved_from in ${key}`;
  }

  /** Points a phone number to another menu. */
  moveNumber(number: string): string {
    const to = this.#random.pick(this.keys) ?? "";
    this.#assign(number, to);
    return `let ${number} point to ${to}`;
  }

  /** Takes the phone numbers out of a menu. */
  withoutNumbers(key: string): string {
    const menu = this.#menus.get(key);
    if (menu !== undefined) this.#put(key, { ...menu, numbers: [] });
    return `no numbers in ${key}`;
  }

  /** The name of a menu without a record. */
  nameWithout(records: ReadonlyMap<string, unknown>): string | undefined {
    const key = this.#random.pick(this.keys.filter((one) => !records.has(one)));
    return this.#menus.get(key ?? "")?.name;
  }

  /** The menu that each phone number is to point to. */
  get bound(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#menus].flatMap(([key, { numbers }]) => numbers.map((number) => [number, key])),
    );
  }

  isReplaced(key: string): boolean {
    return this.#menus.get(key)?.isReplaced === true;
  }

  /** Lets a menu link only to agents. */
  unlink(key: string): string {
    const menu = this.#menus.get(key);
    if (menu === undefined) return "nothing";
    const options = menu.options.map(([option]) => [option, "Front Desk"] as const);
    this.#put(key, { ...menu, options });
    return `no links in ${key}`;
  }

  /** Changes one menu, renames one, renames and changes one, removes one, and adds two. */
  story(): void {
    const [a = "", b = "", c = "", d = ""] = this.keys;
    const take = (key: string) => {
      const menu = this.#menus.get(key) as Menu;
      this.#take(key);
      return menu;
    };
    this.#put(a, { ...take(a), wait: 99 });
    this.#put("renamed", { ...take(b), movedFrom: b });
    this.#put("carried", { ...take(c), wait: 99, movedFrom: c });
    const { numbers } = take(d);
    this.#put(a, { ...(this.#menus.get(a) as Menu), numbers });
    this.#add();
    this.#add();
  }

  #remove(key: string, heir: string | undefined): string {
    const menu = this.#menus.get(key) as Menu;
    this.#take(key);
    this.#removed.set(key, { ...menu, numbers: [] });
    if (heir !== undefined) for (const number of menu.numbers) this.#assign(number, heir);
    return `remove ${key}`;
  }

  #add(): string {
    const random = this.#random;
    const key = this.#freeKey();
    const keys = random.shuffle("0123456789".split("")).slice(0, random.between(1, 4));
    this.#put(key, {
      name: `Menu ${this.#made}`,
      description: `For the callers of ${key}`,
      options: keys.map((option) => [option, this.#leads()]),
      wait: random.between(1, 9),
      numbers: [],
      isReplaced: random.chance(this.#replaced),
    });
    return key;
  }

  /** Two menus cannot have the same number. */
  #assign(number: string, to: string): void {
    for (const [key, menu] of this.#menus) {
      const numbers = menu.numbers.filter((one) => one !== number);
      if (key === to) this.#put(key, { ...menu, numbers: [...numbers, number] });
      else if (numbers.length < menu.numbers.length) this.#put(key, { ...menu, numbers });
    }
  }

  #freeKey(): string {
    this.#made += 1;
    return `${this.#random.pick(folders)}m${String(this.#made).padStart(2, "0")}`;
  }

  #changed(menu: Menu): Menu {
    const random = this.#random;
    const [first, ...rest] = menu.options;
    switch (random.between(0, 2)) {
      case 0:
        return { ...menu, wait: (menu.wait % 9) + 1 };
      case 1:
        return { ...menu, description: `${menu.description.slice(0, 30)} ${random.between(1, 5)}` };
      default:
        return { ...menu, options: [[first?.[0] ?? "1", this.#leads()], ...rest] };
    }
  }

  #leads(): Leads {
    const random = this.#random;
    const to = this.#links && random.chance(0.4) ? random.pick(this.keys) : undefined;
    return to === undefined ? random.pick(agents) : { menu: to };
  }

  /** Puts an earlier content back. The name stays, because another menu may have the old one now. */
  #revert(key: string): void {
    const now = this.#menus.get(key);
    const earlier = this.#random.pick(this.#earlier.get(key) ?? []);
    if (now === undefined || earlier === undefined) return;
    const { description, options, wait } = earlier;
    this.#put(key, { ...now, description, options, wait });
  }

  #clashes(key: string, { name }: Menu): boolean {
    return this.#menus.has(key) || [...this.#menus.values()].some((menu) => menu.name === name);
  }

  #put(key: string, menu: Menu): void {
    const before = this.#menus.get(key);
    if (before !== undefined) this.#earlier.set(key, [...(this.#earlier.get(key) ?? []), before]);
    this.#menus.set(key, menu);
    this.#write(key);
    if (before === undefined) this.#writeLeaders(key);
  }

  #take(key: string): void {
    rmSync(join(this.#root, `ivrs/${key}.yaml`));
    this.#menus.delete(key);
    this.#writeLeaders(key);
  }

  /** Moves a file. The links to it follow. */
  #rename(from: string, to: string, menu: Menu): void {
    this.#take(from);
    this.#put(to, menu);
    for (const [key, existing] of this.#menus) {
      const options = existing.options.map(
        ([option, leads]) => [option, leadsTo(leads, from) ? { menu: to } : leads] as const,
      );
      if (existing.options.some(([, leads]) => leadsTo(leads, from)))
        this.#put(key, { ...existing, options });
    }
  }

  /** Writes the menus again that link to a key, because only links to menus that exist are valid. */
  #writeLeaders(to: string): void {
    for (const [key, { options }] of this.#menus) {
      if (options.some(([, leads]) => leadsTo(leads, to))) this.#write(key);
    }
  }

  #write(key: string): void {
    const menu = this.#menus.get(key) as Menu;
    const options = menu.options.map(([option, leads]) => {
      if (typeof leads === "string") return `  ${option}: ${leads}`;
      return `  ${option}: ${this.#menus.has(leads.menu) ? `{ menu: ${leads.menu} }` : "Front Desk"}`;
    });
    const path = join(this.#root, `ivrs/${key}.yaml`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, textOf(menu, options));
  }
}

function leadsTo(leads: Leads, key: string): boolean {
  return typeof leads !== "string" && leads.menu === key;
}

function plain({ movedFrom: _, ...menu }: Menu): Menu {
  return menu;
}

function textOf(
  { name, description, wait, numbers, isReplaced, movedFrom }: Menu,
  options: readonly string[],
): string {
  const lines = [
    `name: ${JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    ...(movedFrom === undefined ? [] : [`moved_from: ${movedFrom}`]),
    ...(numbers.length === 0 ? [] : [`numbers: ${JSON.stringify(numbers)}`]),
    ...(isReplaced ? ["on_change: replace"] : []),
    'recording: "19549"',
    "options:",
    ...options,
    'invalid: { retries: 2, recording: "19550", destination: Front Desk }',
    `timeout: { wait: ${wait}, retries: 1, retry_recording: "19551", recording: "19552", destination: Front Desk }`,
  ];
  return `${lines.join("\n")}\n`;
}
