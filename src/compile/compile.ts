import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Payload } from "../schema/wire.ts";
import type { Agents } from "./agents.ts";
import type { Judgement } from "./check.ts";
import { type SettledMenu, type Surroundings, readMenus, settle } from "./draft.ts";
import { encode } from "./encode.ts";
import type { Environment } from "./environment.ts";
import { type Identity, checkIdentities, identityOf } from "./identity.ts";
import type { Memory } from "./memory.ts";
import { type BoundMenu, type DrawnMenu, isBound } from "./menu.ts";
import { once } from "./once.ts";
import type { ListNode } from "./read/node.ts";
import { Judge } from "./rules/judge.ts";
import type { RuledMenu } from "./rules/rule.ts";
import { bareRules } from "./rules/settings.ts";
import { drawnOf } from "./seen.ts";

/** One menu of the project, as far as its files allow. */
export interface CompiledMenu {
  /** Undefined where the file gives no valid one. */
  readonly key: string | undefined;
  readonly source: Source;
  /** Where the menu's document begins. */
  readonly top: Span;
  readonly name: string | undefined;
  /** Where the name stands, or should. */
  readonly nameAt: Span;
  readonly movedFrom: string | undefined;
  readonly movedFromAt: Span;
  /** Undefined where the environment decides. */
  readonly onChange: "replace" | "refuse" | undefined;
  readonly owner: string | undefined;
  /** There only when nothing is wrong with the menu and an agent list was given. */
  readonly result: CompiledResult | undefined;
  /** There also when nothing is wrong but some of the agents: a call can be walked through it. */
  readonly drawn: (() => DrawnMenu) | undefined;
  /** The keys that it gives options, sound or not. */
  readonly optionKeys: readonly string[];
  /** The tests that stand in it; their shape is sound where it is `drawn`. */
  readonly tests: (() => ListNode) | undefined;
  /** The schema's, of all that stands in it. */
  readonly judgement: Judgement;
  /** Which of the menus in its file it is, from 0. */
  readonly ordinal: number;
}

export interface CompiledResult {
  readonly bound: BoundMenu;
  readonly payload: Payload;
}

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly CompiledMenu[];
  readonly diagnostics: Diagnostics;
}

interface Input {
  readonly sources: readonly Source[];
  /** Without one, what it decides is left alone: aliases, and fields that defaults may give. */
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  /** Without one, only what nothing could be sent without is asked. */
  readonly judge?: Judge;
  /** What is known of texts from earlier runs, with the same environment, agents and rules. */
  readonly memory?: Memory | undefined;
  /** Whether the tests that stand in them will be asked for; else they are read again if they are. */
  readonly testsWanted?: boolean | undefined;
}

export function compileMenus(input: Input): Compilation {
  const { sources, environment, agents, memory, testsWanted = false } = input;
  const judge = input.judge ?? new Judge(bareRules(), { agents, notes: false });
  const surroundings = { environment, agents, judge, testsWanted };
  const diagnostics = new Diagnostics();
  const identities: Identity[] = [];
  const menus: CompiledMenu[] = [];
  // File by file: of the tree of one nothing but a few places outlives it.
  for (const source of sources) {
    const known = memory?.recall(source);
    const settled = known ?? settleFile(source, surroundings, memory, diagnostics);
    for (const menu of settled) {
      identities.push(identityOf(menu));
      menus.push(compileMenu(menu, surroundings, diagnostics));
    }
  }
  checkIdentities(identities, diagnostics);
  menus.sort((a, b) => compareKeys(a.key ?? a.source.file, b.key ?? b.source.file));
  return { menus, diagnostics };
}

function settleFile(
  source: Source,
  surroundings: Surroundings,
  memory: Memory | undefined,
  diagnostics: Diagnostics,
): readonly SettledMenu[] {
  const own = new Diagnostics();
  const settled = readMenus(source, own).map((draft) => settle(draft, surroundings));
  if (own.hasErrors) surroundings.judge.passOver(source);
  diagnostics.addAll(own);
  if (own.isEmpty) memory?.keep(source, settled);
  return settled;
}

function compileMenu(
  settled: SettledMenu,
  { environment, judge }: Surroundings,
  diagnostics: Diagnostics,
): CompiledMenu {
  const { key, source, top, name, movedFrom, known } = settled;
  const found = new Diagnostics();
  found.addAll(settled.found);
  judge.takeIn(settled.judged);
  if (settled.whole) judge.house(ruling(settled), found);
  else judge.passOver(source);
  diagnostics.addAll(found);
  const failed = found.hasErrors;
  const walkable = environment !== undefined && !found.sorted().some(preventsCalls);
  const make = once(making(settled, environment, { walkable, failed }));
  // Of a new menu both are made at once: the wire's settings tell of faults when they are asked for.
  const isDrawn = known?.isDrawn ?? make().drawn !== undefined;
  return {
    key,
    source,
    top,
    name: name?.value,
    nameAt: settled.nameAt,
    movedFrom: movedFrom?.value,
    movedFromAt: settled.movedFromAt,
    onChange: settled.onChange,
    owner: settled.owner,
    drawn: isDrawn ? () => make().drawn ?? lost(key) : undefined,
    get result() {
      return make().result;
    },
    optionKeys: settled.optionKeys,
    tests: settled.tests,
    judgement: settled.judgement,
    ordinal: settled.ordinal,
  };
}

// A function holds on to all that the functions made beside it hold. These two are made apart, so
// that what was seen goes with them, and not with the menu.

function ruling(settled: SettledMenu): () => RuledMenu {
  const { key, top } = settled;
  return () => ({ ...settled.seen(), key, top });
}

function making(
  settled: SettledMenu,
  environment: Environment | undefined,
  { walkable, failed }: { readonly walkable: boolean; readonly failed: boolean },
) {
  return () => {
    const drawn = drawnOf(settled.seen());
    return {
      drawn: walkable ? drawn : undefined,
      result:
        drawn === undefined || !isBound(drawn) || environment === undefined || failed
          ? undefined
          : { bound: drawn, payload: encode(drawn, environment.wire) },
    };
  };
}

function lost(key: string | undefined): never {
  throw new Error(`The menu ${key ?? "?"} can no longer be drawn`);
}

/**
 * Whether nobody can say how a call would go. Where somebody named is not there,
 * or a rule does not like what it sees, a menu can be walked all the same.
 */
export function preventsCalls({ severity, code, rule }: Diagnostic): boolean {
  return severity === "error" && rule === undefined && !besideCalls.test(code);
}

/** Agents that are not there, or not the only ones; and how rules are set. */
const besideCalls = /^IVR(?:301|302|7)/;

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
