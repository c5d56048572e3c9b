import type { Agent, Agents } from "../compile/agents.ts";
import { type SettledMenu, readMenus, settle, testsIn } from "../compile/draft.ts";
import type { Basis, Memory } from "../compile/memory.ts";
import { once } from "../compile/once.ts";
import type { ListNode } from "../compile/read/node.ts";
import { Judge } from "../compile/rules/judge.ts";
import { bareRules } from "../compile/rules/settings.ts";
import { type SeenMenu, drawnOf } from "../compile/seen.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { textName } from "./basis.ts";
import { MenuRecords, readMenu, writeMenu } from "./menu-record.ts";
import { type Pack, jsonIn } from "./pack.ts";
import { Places } from "./places.ts";
import { SeenRecord, readSeen, writeSeen } from "./seen-record.ts";

interface Surroundings extends Omit<Basis, "agents"> {
  readonly agents: Agents | undefined;
}

/** What the pieces of a pack say of menus. What does not fit is as good as not there. */
export class MenuMemory implements Memory {
  readonly #pieces: Pack["pieces"];
  readonly #surroundings: Surroundings;
  readonly #new = new Map<string, Buffer>();
  /** The texts of this run: pieces of others are dropped when there is something to write. */
  readonly #names = new Map<Source, string>();
  readonly #indexOf: () => ReadonlyMap<Agent, number>;

  constructor(pieces: Pack["pieces"], surroundings: Surroundings) {
    this.#pieces = pieces;
    this.#surroundings = surroundings;
    this.#indexOf = once(
      () => new Map((surroundings.agents?.list ?? []).map((agent, index) => [agent, index])),
    );
  }

  recall(source: Source): readonly SettledMenu[] | undefined {
    const piece = this.#pieces.get(this.#name(source));
    const records = piece && MenuRecords.safeParse(jsonIn(piece));
    if (records?.success !== true) return undefined;
    const places = this.#places(source);
    return records.data.map((record, ordinal) => {
      const recorded = readMenu(record, places);
      const seen = once(() => this.#seen(source, ordinal));
      const tests = record.hasTests ? once(() => testsAnew(source, ordinal)) : undefined;
      return Object.assign(recorded, { source, reading: nothing, ordinal, seen, tests });
    });
  }

  keep(source: Source, menus: readonly SettledMenu[]): void {
    const places = this.#places(source);
    const records = menus.flatMap(
      (menu) => writeMenu(menu, drawnOf(menu.seen()) !== undefined, places) ?? [],
    );
    const indexOf = (agent: Agent) => this.#indexOf().get(agent);
    const seen = menus.flatMap((menu) => writeSeen(menu.seen(), places, indexOf) ?? []);
    if (places.hasStrange || records.length < menus.length || seen.length < menus.length) return;
    this.#add(this.#name(source), records);
    for (const [ordinal, record] of seen.entries())
      this.#add(this.#seenName(source, ordinal), record);
  }

  recallNote(source: Source, name: string): (() => unknown) | undefined {
    const piece = this.#pieces.get(this.#noteName(source, name));
    return piece && (() => jsonIn(piece));
  }

  keepNote(source: Source, name: string, value: unknown): void {
    this.#add(this.#noteName(source, name), value);
  }

  /** All pieces that are good for the texts of this run, if any of them is new. */
  news(): Pack["pieces"] | undefined {
    if (this.#new.size === 0) return undefined;
    const texts = new Set(this.#names.values());
    const kept = [...this.#pieces].filter(([name]) => texts.has(name.split(" ", 1)[0] ?? ""));
    return new Map([...kept, ...this.#new]);
  }

  #seen(source: Source, ordinal: number): SeenMenu {
    const piece = this.#pieces.get(this.#seenName(source, ordinal));
    const record = piece && SeenRecord.safeParse(jsonIn(piece));
    const seen =
      record?.success === true
        ? readSeen(record.data, this.#places(source), this.#surroundings)
        : undefined;
    return seen ?? this.#seenAnew(source, ordinal);
  }

  #seenAnew(source: Source, ordinal: number): SeenMenu {
    const { environment, agents } = this.#surroundings;
    const judge = new Judge(bareRules(), { agents, notes: false });
    const draft = draftAnew(source, ordinal);
    return settle(draft, { environment, agents, judge }).seen();
  }

  #places(source: Source): Places {
    return new Places(source, this.#surroundings.config.source);
  }

  #add(name: string, value: unknown): void {
    this.#new.set(name, Buffer.from(JSON.stringify(value)));
  }

  #name(source: Source): string {
    let name = this.#names.get(source);
    if (name === undefined) {
      name = textName(source);
      this.#names.set(source, name);
    }
    return name;
  }

  #seenName(source: Source, ordinal: number): string {
    return `${this.#name(source)} menu ${ordinal}`;
  }

  #noteName(source: Source, name: string): string {
    return `${this.#name(source)} note ${name}`;
  }
}

const nothing = new Diagnostics();

function testsAnew(source: Source, ordinal: number): ListNode {
  const tests = testsIn(draftAnew(source, ordinal));
  if (tests === undefined) throw new Error(`${source.file} has no tests, and had some`);
  return tests;
}

/** From the text itself, which is the one that was read then. */
function draftAnew(source: Source, ordinal: number) {
  const draft = readMenus(source, new Diagnostics())[ordinal];
  if (draft === undefined) throw new Error(`${source.file} has fewer menus than it had`);
  return draft;
}
