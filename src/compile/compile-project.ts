import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Config, readConfig } from "../project/config.ts";
import { type Environment, chooseEnvironment } from "../project/environment.ts";
import type { Variables } from "../project/variables.ts";
import { Linter } from "../rules/linter.ts";
import { type Plugins, bareRules, readRules } from "../rules/settings.ts";
import { readAgentList } from "./agent-list.ts";
import type { Agents } from "./agents.ts";
import { encode } from "./encode.ts";
import type { CompiledMenu, MenuNode, ResolvedMenu } from "./menu.ts";
import { checkIdentities, readMenus } from "./read-menus.ts";
import { resolveMenu } from "./resolve-menu.ts";

/** The texts of a project, wherever they come from. */
interface ProjectTexts {
  readonly config: Source | undefined;
  readonly menus: readonly Source[];
  /** A list or its text; undefined where there is none: agents are then not checked. */
  readonly agents: Agents | Source | undefined;
  /** The environment asked for; else IVRCTL_ENV or the configuration says. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  /** Undefined if the menus are not linted. */
  readonly rules: RulesWanted | undefined;
}

export interface RulesWanted {
  readonly plugins: Plugins;
  /** Whether notes are wanted among the findings. */
  readonly notes: boolean;
  /** Whether there are no menus but these: one may have been unreadable. */
  readonly allMenus: boolean;
}

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly ResolvedMenu[];
  /** Those of the menus with nothing wrong, in the same order. */
  readonly compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  readonly diagnostics: Diagnostics;
}

export interface CompiledProject extends Compilation {
  /** Undefined where it cannot be read. */
  readonly config: Config | undefined;
  /** Undefined where the configuration does not lead to one. */
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  /** For menus that are compiled later, and for changes. */
  readonly linter: Linter;
}

/** Compiles texts to payloads: reads no file, and reports every problem of every text. */
export function compileProject(texts: ProjectTexts): CompiledProject {
  const diagnostics = new Diagnostics();
  const config = texts.config && readConfig(texts.config, diagnostics);
  const environment =
    config && chooseEnvironment(config, texts.environment, texts.variables, diagnostics);
  const compiled = compileWith({ ...texts, config, environment });
  diagnostics.addAll(compiled.diagnostics);
  return { ...compiled, diagnostics };
}

interface Opened extends Omit<ProjectTexts, "config" | "environment"> {
  readonly config: Config | undefined;
  readonly environment: Environment | undefined;
}

/** Compiles with a configuration that has been read, and whose problems have been reported. */
export function compileWith(opened: Opened): CompiledProject {
  const { config, environment, menus, variables, rules } = opened;
  const diagnostics = new Diagnostics();
  // A configuration that cannot be read may switch rules off.
  const settings =
    rules && config ? readRules(config, variables, rules.plugins, diagnostics) : bareRules();
  const agents =
    opened.agents instanceof Source ? readAgentList(opened.agents, diagnostics) : opened.agents;
  const linter = new Linter(settings, { agents, notes: rules?.notes === true });
  const compilation = compileMenus({ sources: menus, environment, agents, linter });
  diagnostics.addAll(compilation.diagnostics);
  if (rules && config) {
    if (environment && rules.allMenus) {
      const { aliases, defaults } = environment;
      linter.aliases({ aliases, defaults, menus: compilation.menus }, diagnostics);
    } else linter.markUnchecked(config.source);
    linter.ignoreComments(menus, config.source, diagnostics);
  }
  return { ...compilation, config, environment, agents, diagnostics, linter };
}

interface Input {
  readonly sources: readonly Source[];
  /** Without one, aliases and fields that may come from its defaults are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked, and nothing can be sent. */
  readonly agents: Agents | undefined;
  /** Without one, only the rules apply without which nothing could be sent. */
  readonly linter?: Linter;
}

/** Compiles the files of menus: read, resolve, lint, encode. */
export function compileMenus(input: Input): Compilation {
  const { sources, environment, agents } = input;
  const linter = input.linter ?? new Linter(bareRules(), { agents, notes: false });
  const diagnostics = new Diagnostics();
  const results: Result[] = [];
  for (const source of sources) {
    const found = new Diagnostics();
    const nodes = readMenus(source, found);
    if (found.hasErrors) linter.markUnchecked(source);
    diagnostics.addAll(found);
    for (const node of nodes) {
      results.push(compileMenu(node, { environment, agents, linter }, diagnostics));
    }
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

interface Result {
  readonly menu: ResolvedMenu;
  readonly compiled: CompiledMenu | undefined;
}

function compileMenu(
  node: MenuNode,
  { environment, agents, linter }: Omit<Required<Input>, "sources">,
  diagnostics: Diagnostics,
): Result {
  const found = new Diagnostics();
  const menu = resolveMenu(node, environment, agents, found);
  const isWhole = environment !== undefined && !found.hasErrors;
  linter.menu(menu, found);
  if (isWhole) linter.customRules(menu, found);
  else linter.markUnchecked(menu.source);
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
