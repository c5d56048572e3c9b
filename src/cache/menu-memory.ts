import type { Agent, Agents } from "../compile/agents.ts";
import { type SettledMenu, readAgain, readTestsAgain, settle } from "../compile/draft.ts";
import type { Basis, Memory } from "../compile/memory.ts";
import { once } from "../compile/once.ts";
import { Judge } from "../compile/rules/judge.ts";
import { bareRules } from "../compile/rules/settings.ts";
import { type SeenMenu, drawnOf } from "../compile/seen.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { textName } from "./basis.ts";
import { MenuRecords, readMenu, writeMenu } from "./menu-record.ts";
import { type Pack, jsonIn } from "./pack.ts";
import { PieceBlocks } from "./piece-blocks.ts";
import { readSeen, writeSeen } from "./seen-record.ts";
import { type Sources, Tape } from "./tape.ts";

interface Surroundings extends Omit<Basis, "agents"> {
  readonly agents: Agents | undefined;
}

/** What the pieces of a pack say of menus. What does not fit is as good as not there. */
export class MenuMemory implements Memory {
  readonly #pieces: Pack["pieces"];
  readonly #surroundings: Surroundings;
  readonly #new = new PieceBlocks();
  /** The texts of this run: pieces of others are dropped when there is something to write. */
  readonly #names = new Map<Source, string>();

  constructor(pieces: Pack["pieces"], surroundings: Surroundings) {
    this.#pieces = pieces;
    this.#surroundings = surroundings;
  }

  recall(source: Source): readonly SettledMenu[] | undefined {
    const piece = this.#pieces.get(this.#name(source));
    const records = piece && MenuRecords.safeParse(jsonIn(piece));
    if (records?.success !== true) return undefined;
    const menus = records.data.flatMap((record, ordinal): SettledMenu[] => {
      const recorded = readMenu(record, this.#sources(source));
      if (recorded === undefined) return [];
      const { hasTests, ...menu } = recorded;
      const seen = once(() => this.#seen(source, ordinal));
      const tests = hasTests ? readTestsAgain(source, ordinal) : undefined;
      return [Object.assign(menu, { source, reading: nothing, ordinal, seen, tests })];
    });
    return menus.length === records.data.length ? menus : undefined;
  }

  keep(source: Source, menus: readonly SettledMenu[]): void {
    // A file without a menu is at fault, and nothing but its menus could say so.
    if (menus.length === 0) return;
    const sources = this.#sources(source);
    const records = menus.flatMap(
      (menu) => writeMenu(menu, drawnOf(menu.seen()) !== undefined, sources) ?? [],
    );
    if (records.length < menus.length) return;
    const { agents } = this.#surroundings;
    const indexOf = (agent: Agent) => agents?.positionOf(agent);
    const seen = menus.flatMap((menu) => writeSeen(menu.seen(), sources, indexOf) ?? []);
    if (seen.length < menus.length) return;
    this.#new.add(this.#name(source), records);
    for (const [ordinal, tape] of seen.entries())
      this.#new.add(this.#seenName(source, ordinal), tape);
  }

  recallNote(source: Source, name: string): (() => unknown) | undefined {
    const piece = this.#pieces.get(this.#noteName(source, name));
    return piece && (() => jsonIn(piece));
  }

  keepNote(source: Source, name: string, value: unknown): void {
    this.#new.add(this.#noteName(source, name), value);
  }

  /** All pieces that are good for the texts of this run, if any of them is new. */
  news(): Pack["pieces"] | undefined {
    if (this.#new.isEmpty) return undefined;
    const texts = new Set(this.#names.values());
    const kept = [...this.#pieces].filter(([name]) => texts.has(name.split(" ", 1)[0] ?? ""));
    return new Map([...kept, ...this.#new.entries()]);
  }

  #seen(source: Source, ordinal: number): SeenMenu {
    const { environment, agents } = this.#surroundings;
    const piece = this.#pieces.get(this.#seenName(source, ordinal));
    const tape = piece && Tape.safeParse(jsonIn(piece));
    const seen =
      tape?.success === true
        ? readSeen(tape.data, this.#sources(source), environment, agents)
        : undefined;
    return seen ?? this.#seenAnew(source, ordinal);
  }

  #seenAnew(source: Source, ordinal: number): SeenMenu {
    const { environment, agents } = this.#surroundings;
    const judge = new Judge(bareRules(), { agents, notes: false });
    const surroundings = { environment, agents, judge, testsWanted: false };
    return settle(readAgain(source, ordinal), surroundings).seen();
  }

  #sources(source: Source): Sources {
    return { own: source, config: this.#surroundings.config.source };
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
