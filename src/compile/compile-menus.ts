import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Agents } from "./agents.ts";
import { encode } from "./encode.ts";
import type { Environment } from "../project/environment.ts";

import type { CompiledMenu, MenuNode, ResolvedMenu } from "./menu.ts";
import { checkIdentities, readMenus } from "./read-menus.ts";
import { resolveMenu } from "./resolve-menu.ts";
import { Judge } from "../rules/judge.ts";
import { bareRules } from "../rules/settings.ts";

interface Input {
  readonly sources: readonly Source[];
  /** Without one, aliases and fields that may come from its defaults are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked, and nothing can be sent. */
  readonly agents: Agents | undefined;
  /** Without one, only the rules apply without which nothing could be sent. */
  readonly judge?: Judge;
}

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly ResolvedMenu[];
  /** Those of the menus with nothing wrong, in the same order. */
  readonly compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  readonly diagnostics: Diagnostics;
}

/** From the files of menus to payloads, with every problem of every file. */
export function compileMenus(input: Input): Compilation {
  const { sources, environment, agents } = input;
  const judge = input.judge ?? new Judge(bareRules(), { agents, notes: false });
  const surroundings = { environment, agents, judge };
  const diagnostics = new Diagnostics();
  const results: Result[] = [];
  for (const source of sources) {
    const found = new Diagnostics();
    const nodes = readMenus(source, found);
    if (found.hasErrors) judge.passOver(source);
    diagnostics.addAll(found);
    for (const node of nodes) results.push(compileMenu(node, surroundings, diagnostics));
  }
  const inFileOrder = results.map(({ menu }) => menu);
  checkIdentities(inFileOrder, diagnostics);
  results.sort((a, b) => compareTexts(sortKey(a.menu), sortKey(b.menu)));
  return {
    menus: results.map(({ menu }) => menu),
    compiled: new Map(
      results.flatMap(({ menu, compiled }) => (compiled === undefined ? [] : [[menu, compiled]])),
    ),
    diagnostics,
  };
}

interface Surroundings {
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  readonly judge: Judge;
}

interface Result {
  readonly menu: ResolvedMenu;
  readonly compiled: CompiledMenu | undefined;
}

function compileMenu(
  node: MenuNode,
  { environment, agents, judge }: Surroundings,
  diagnostics: Diagnostics,
): Result {
  const found = new Diagnostics();
  const menu = resolveMenu(node, environment, agents, found);
  const isWhole = environment !== undefined && !found.hasErrors;
  judge.menu(menu, found);
  if (isWhole) judge.house(menu, found);
  else judge.passOver(menu.source);
  diagnostics.addAll(found);
  const payload =
    environment === undefined || found.hasErrors ? undefined : encode(menu, environment.wire);
  const { key } = menu;
  const compiled =
    key === undefined || payload === undefined
      ? undefined
      : { key, name: payload.name, payload, menu };
  return { menu, compiled };
}

function sortKey({ key, source }: ResolvedMenu): string {
  return key ?? source.file;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
