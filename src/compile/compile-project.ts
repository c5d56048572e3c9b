import { type AffectedMenu, Diagnostics } from "../diagnostics/diagnostic.ts";
import { Readings } from "../project/readings.ts";
import { Source } from "../diagnostics/source.ts";
import { type Config, readConfig } from "../project/config.ts";
import { type Environment, chooseEnvironment } from "../project/environment.ts";
import type { Project } from "../project/open-project.ts";
import type { Variables } from "../project/variables.ts";
import { explaining } from "../yaml/mistakes/explain.ts";
import { Linter } from "../rules/linter.ts";
import { type Plugins, type RuleSettings, mandatoryRules, readRules } from "../rules/settings.ts";
import { Memo } from "../util/memo.ts";
import { readAgentList } from "./agent-list.ts";
import type { Agents } from "./agents.ts";
import { encode } from "./encode.ts";
import { flowOf } from "./flow.ts";
import { FolderDefaults, type Inherited } from "./folder-defaults.ts";
import { MenuKeys } from "./links.ts";
import type { CompiledMenu, Identity, ResolvedMenu } from "./menu.ts";
import { checkIdentities, checkNumbers, readMenus } from "./read-menus.ts";
import { resolveMenu } from "./resolve-menu.ts";

/** The texts of a project that was not opened from disk. */
interface ProjectTexts {
  readonly config: Source | undefined;
  readonly menus: readonly Source[];
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
  /** The agent list or its text. Without a list, references to agents are not checked. */
  readonly agents: Agents | Source | undefined;
  /** If undefined, IVRCTL_ENV or the configuration decides. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  /** Undefined if the menus are not linted. */
  readonly rules: LintOptions | undefined;
}

interface LintOptions {
  readonly plugins: Plugins;
  /** Whether to report notes. */
  readonly notes: boolean;
  /** Whether these are all menus of the project. False if one of them could not be read. */
  readonly allMenus: boolean;
}

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly ResolvedMenu[];
  /** The menus without errors, in the same order. */
  readonly compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  readonly diagnostics: Diagnostics;
  /** Whether every file could be read. */
  readonly complete: boolean;
  /** Whether every menu is valid, apart from what rules report. */
  readonly allValid: boolean;
}

export interface CompiledProject extends Compilation {
  /** Undefined if it cannot be read. */
  readonly config: Config | undefined;
  /** Undefined if none can be chosen. */
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  /** What the menus inherit from their folders. */
  readonly inherited: FolderDefaults;
  /** The linter, which also checks menus that are compiled later, and changes. */
  readonly linter: Linter;
}

interface CompileOptions extends Partial<Omit<LintOptions, "plugins">> {
  /** Without a list, references to agents are not checked. */
  readonly agents: Agents | Source | undefined;
  /** The menus of the project in another order. */
  readonly menus?: readonly Source[];
  readonly onCompiled?: OnCompiled | undefined;
}

/** Called after each file of menus with the number of files so far. */
export type OnCompiled = (done: number, total: number) => void;

/** Compiles an open project. The diagnostics include those of opening it. */
export function compileProject(project: Project, options: CompileOptions): CompiledProject {
  const { found, plugins } = project;
  const { agents, menus = project.menus, notes = false, allMenus = true, onCompiled } = options;
  const rules = { plugins, notes, allMenus: allMenus && !found.files.hasErrors };
  const compiled = compileConfigured({
    ...project,
    variables: project.host.env,
    menus,
    agents,
    rules,
    onCompiled,
  });
  const diagnostics = new Diagnostics();
  for (const part of [found.files, found.config, found.environment, found.plugins]) {
    diagnostics.addAll(part);
  }
  diagnostics.addAll(compiled.diagnostics);
  return { ...compiled, diagnostics };
}

/** Compiles the texts of a project, for example from an old revision. */
export function compileTexts(texts: ProjectTexts): CompiledProject {
  const diagnostics = new Diagnostics();
  const config = texts.config && readConfig(texts.config, diagnostics);
  const environment =
    config && chooseEnvironment(config, texts.environment, texts.variables, diagnostics);
  const compiled = compileConfigured({ ...texts, config, environment });
  diagnostics.addAll(compiled.diagnostics);
  return { ...compiled, diagnostics };
}

interface ConfiguredTexts extends Omit<ProjectTexts, "config" | "environment"> {
  readonly config: Config | undefined;
  readonly environment: Environment | undefined;
  readonly onCompiled?: OnCompiled | undefined;
}

/** Compiles menus with a configuration that has been read. Problems of the configuration are not reported again. */
export function compileConfigured(texts: ConfiguredTexts): CompiledProject {
  const { config, environment, menus, folders, variables, rules, onCompiled } = texts;
  const diagnostics = new Diagnostics();
  // A configuration that cannot be read may turn rules off, so only mandatory rules apply.
  const settings =
    rules && config
      ? ruleSettings.of(config, [variables, rules.plugins], diagnostics, (found) =>
          readRules(config, variables, rules.plugins, found),
        )
      : mandatoryRules();
  const agents =
    texts.agents instanceof Source
      ? readAgentList(texts.agents, environment?.name, diagnostics)
      : texts.agents;
  const linter = new Linter(settings, {
    agents,
    environment: environment?.name,
    notes: rules?.notes === true,
  });
  const inherited = new FolderDefaults(folders, environment);
  const compilation = compileMenus({
    sources: menus,
    inherited,
    environment,
    agents,
    linter,
    onCompiled,
  });
  diagnostics.addAll(compilation.diagnostics);
  if (rules && config) {
    if (environment && rules.allMenus) {
      const { aliases, defaults } = environment;
      const byKey = new Map(
        compilation.menus.flatMap((menu) => (menu.key === undefined ? [] : [[menu.key, menu]])),
      );
      const project = { menus: byKey, flow: flowOf(compilation.menus), aliases, defaults };
      if (compilation.allValid) linter.project(project, diagnostics);
      if (compilation.complete) inherited.reportUnused(compilation.menus, diagnostics);
    }
    linter.ignoreComments([...menus, config.source, ...folders], diagnostics);
  }
  return { ...compilation, config, environment, agents, inherited, diagnostics, linter };
}

const ruleSettings = new Readings<Config, RuleSettings>();

interface MenuInput {
  readonly sources: readonly Source[];
  readonly inherited: FolderDefaults;
  /** Without an environment, aliases and fields that may come from its defaults are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked, and nothing can be sent. */
  readonly agents: Agents | undefined;
  /** Other menus that these menus may lead to. */
  readonly known?: readonly Identity[];
  /** Without a linter, only mandatory rules apply. A menu that breaks one cannot be sent. */
  readonly linter?: Linter;
  readonly onCompiled?: OnCompiled | undefined;
}

/** Compiles the files of menus: read, resolve, lint, encode. */
export function compileMenus(input: MenuInput): Compilation {
  const { sources, inherited, environment, agents, known = [], onCompiled } = input;
  const linter =
    input.linter ??
    new Linter(mandatoryRules(), { agents, environment: environment?.name, notes: false });
  const diagnostics = new Diagnostics();
  const resolved: Resolved[] = [];
  const unreadable: Source[] = [];
  for (const [at, source] of sources.entries()) {
    const { isReadable, menus, found } = resolveFile(source, input);
    diagnostics.addAll(found);
    if (!isReadable) unreadable.push(source);
    resolved.push(...menus);
    onCompiled?.(at + 1, sources.length);
  }
  const keys = new MenuKeys([...known, ...resolved.map(({ menu }) => menu)], unreadable);
  const results = resolved.map((one) =>
    compileMenu(one, { environment, linter, keys }, diagnostics),
  );
  const inFileOrder = results.map(({ menu }) => menu);
  checkIdentities(inFileOrder, diagnostics);
  checkNumbers(inFileOrder, diagnostics);
  inherited.report(inFileOrder.map(affected), diagnostics);
  results.sort((a, b) => compareTexts(sortKey(a.menu), sortKey(b.menu)));
  return {
    menus: results.map(({ menu }) => menu),
    compiled: new Map(
      results.flatMap(({ menu, compiled }) => (compiled === undefined ? [] : [[menu, compiled]])),
    ),
    diagnostics,
    complete: unreadable.length === 0,
    allValid: unreadable.length === 0 && results.every(({ isComplete }) => isComplete),
  };
}

interface Result {
  readonly menu: ResolvedMenu;
  readonly compiled: CompiledMenu | undefined;
  /** Whether the menu is valid, apart from what rules report. */
  readonly isComplete: boolean;
}

/** A menu, and whether it was resolved without errors. */
interface Resolved {
  readonly menu: ResolvedMenu;
  readonly isValid: boolean;
  readonly found: Diagnostics;
}

interface ResolvedFile {
  readonly isReadable: boolean;
  readonly menus: readonly Resolved[];
  readonly found: Diagnostics;
}

const resolvedFiles = new Memo<Source, ResolvedFile>();

/** Reads and resolves the menus of a file. */
function resolveFile(source: Source, input: MenuInput): ResolvedFile {
  const { environment, agents } = input;
  const inherited = input.inherited.of(source.file);
  return resolvedFiles.of(source, [inherited, environment, agents], () => {
    const found = new Diagnostics();
    const file = explaining(source, found, (text, own) =>
      resolveText(text, { inherited, environment, agents }, own),
    );
    for (const { found: own, menu } of file.menus) found.affect(own, [affected(menu)]);
    return { ...file, found };
  });
}

interface ResolveContext extends Pick<MenuInput, "environment" | "agents"> {
  readonly inherited: Inherited;
}

function resolveText(
  source: Source,
  { inherited, environment, agents }: ResolveContext,
  diagnostics: Diagnostics,
): Omit<ResolvedFile, "found"> {
  const read = new Diagnostics();
  const nodes = readMenus(source, read);
  diagnostics.addAll(read);
  const menus = nodes.map((node): Resolved => {
    const found = new Diagnostics();
    const menu = resolveMenu(node, inherited, environment, agents, found);
    diagnostics.addAll(found);
    return { menu, isValid: inherited.complete && !found.hasErrors, found };
  });
  return { isReadable: !read.hasErrors, menus };
}

interface CompileContext extends Pick<Required<MenuInput>, "environment" | "linter"> {
  readonly keys: MenuKeys;
}

function compileMenu(
  { menu, isValid }: Resolved,
  { environment, linter, keys }: CompileContext,
  diagnostics: Diagnostics,
): Result {
  const found = new Diagnostics();
  keys.check(menu, found);
  keys.explain(menu, diagnostics);
  const isComplete = environment !== undefined && isValid && !found.hasErrors;
  linter.menu(menu, found);
  if (isComplete) linter.customRules(menu, found);
  diagnostics.addAll(found);
  diagnostics.affect(found, [affected(menu)]);
  const payload = !isComplete || found.hasErrors ? undefined : encode(menu, environment.wire);
  const { key } = menu;
  const compiled =
    key === undefined || payload === undefined
      ? undefined
      : { key, name: payload.name, payload, menu };
  return { menu, compiled, isComplete };
}

function affected({ key, source }: ResolvedMenu): AffectedMenu {
  return { name: key ?? source.file, file: source.file };
}

function sortKey({ key, source }: ResolvedMenu): string {
  return key ?? source.file;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
