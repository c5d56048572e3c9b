import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Payload } from "../schema/wire.ts";
import type { Agents } from "./agents.ts";
import type { Validity } from "./validate-node.ts";
import { type SettledMenu, type Surroundings, readMenus, settle } from "./draft.ts";
import { encode } from "./encode.ts";
import type { Environment } from "./environment.ts";
import { type Identity, checkIdentities, identityOf } from "./identity.ts";
import { type BoundMenu, type DrawnMenu, isBound } from "./menu.ts";
import type { ListNode } from "./read/node.ts";
import { Judge } from "./rules/judge.ts";
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
  readonly drawn: DrawnMenu | undefined;
  /** The keys that it gives options, sound or not. */
  readonly optionKeys: readonly string[];
  /** The tests that stand in it; their shape is sound where it is `drawn`. */
  readonly tests: ListNode | undefined;
  /** The schema's, of all that stands in it. */
  readonly validity: Validity;
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
}

export function compileMenus(input: Input): Compilation {
  const { sources, environment, agents } = input;
  const judge = input.judge ?? new Judge(bareRules(), { agents, notes: false });
  const surroundings = { environment, agents, judge };
  const diagnostics = new Diagnostics();
  const identities: Identity[] = [];
  const menus: CompiledMenu[] = [];
  for (const source of sources) {
    const own = new Diagnostics();
    const drafts = readMenus(source, own);
    if (own.hasErrors) judge.passOver(source);
    diagnostics.addAll(own);
    for (const draft of drafts) {
      const settled = settle(draft, surroundings);
      identities.push(identityOf(settled));
      menus.push(compileMenu(settled, surroundings, diagnostics));
    }
  }
  checkIdentities(identities, diagnostics);
  menus.sort((a, b) => compareKeys(a.key ?? a.source.file, b.key ?? b.source.file));
  return { menus, diagnostics };
}

function compileMenu(
  settled: SettledMenu,
  { environment, judge }: Surroundings,
  diagnostics: Diagnostics,
): CompiledMenu {
  const { key, source, top, seen, found } = settled;
  if (settled.whole) judge.house({ ...seen, key, top }, found);
  else judge.passOver(source);
  diagnostics.addAll(found);
  const walkable = environment !== undefined && !found.sorted().some(preventsCalls);
  const drawn = drawnOf(seen);
  return {
    key,
    source,
    top,
    name: settled.name?.value,
    nameAt: settled.nameAt,
    movedFrom: settled.movedFrom?.value,
    movedFromAt: settled.movedFromAt,
    onChange: settled.onChange,
    owner: settled.owner,
    drawn: walkable ? drawn : undefined,
    result:
      drawn === undefined || !isBound(drawn) || environment === undefined || found.hasErrors
        ? undefined
        : { bound: drawn, payload: encode(drawn, environment.wire) },
    optionKeys: settled.optionKeys,
    tests: settled.tests,
    validity: settled.validity,
  };
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
