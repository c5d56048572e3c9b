import { isAbout } from "../diagnostics/groups.ts";
import { type AffectedMenu, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Config } from "../project/config-file.ts";
import type { Environment } from "../project/environment.ts";
import type { Project } from "./open-project.ts";
import { explaining } from "../yaml/mistakes/syntax-mistakes.ts";
import { Linter } from "../rules/linter.ts";
import { noRules, readRules } from "../rules/rule-settings.ts";
import type { Agents } from "../project/agent-list.ts";
import { type CompiledMenu, type ResolvedMenu } from "../compile/compiled-menu.ts";
import { menuToSend } from "../compile/menu-to-send.ts";
import { menuFlow } from "../compile/flow.ts";
import { type FolderDefaults, type Inherited, folderDefaults } from "../compile/folder-defaults.ts";
import { lossFacts, lossFix, lossWords } from "../compile/lost-agents.ts";
import { linkChecker } from "../compile/links.ts";
import { checkIdentities, checkNumbers, readMenus } from "../compile/read-menus.ts";
import { resolveMenu } from "../compile/resolve-menu.ts";
import { reportUnused } from "../project/vars.ts";
import { keyFromPath } from "../project/files.ts";
import { withListedNames } from "../project/listed-names.ts";

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly ResolvedMenu[];
  /** The menus without errors, in the same order. */
  readonly compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  /** The menus whose only errors are agents who get no calls. */
  readonly blocked: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  /** The menus that other environments have. */
  readonly absent: readonly ResolvedMenu[];
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

/** What is compiled: an open project, or the texts of one. */
interface Opened extends Pick<
  Project,
  "config" | "environment" | "menus" | "folders" | "plugins" | "found"
> {}

interface CompileOptions {
  /** Without a list, references to agents are not checked. */
  readonly agents: Agents | undefined;
  /** Whether to run the rules that can be turned off. Default: true. */
  readonly lint?: boolean;
  /** Whether to report notes. */
  readonly notes?: boolean;
  /** Whether these are all menus of the project. */
  readonly allMenus?: boolean;
  /** The menus of the project in a different order. */
  readonly menus?: readonly Source[];
}

/** Compiles a project. The diagnostics include those of opening it. */
export function compileProject(project: Opened, options: CompileOptions): CompiledProject {
  const { config, folders, plugins, found: problems } = project;
  const { agents, lint = true, notes = false, menus = project.menus } = options;
  const environment = project.environment && withListedNames(project.environment, agents);
  const diagnostics = new Diagnostics();
  for (const part of Object.values(problems)) diagnostics.addAll(part);
  // A configuration that cannot be read may turn rules off.
  const settings = lint && config ? readRules(config, plugins, diagnostics) : noRules;
  const linter = new Linter(settings, { agents, environment: environment?.name, notes });
  const inherited = folderDefaults(folders, environment);
  const compilation = compileMenus({
    sources: menus,
    inherited,
    environment,
    agents,
    linter,
  });
  diagnostics.addAll(compilation.diagnostics);
  if (lint && config) {
    const { allMenus = true } = options;
    if (environment && allMenus && !problems.files.hasErrors) {
      const byKey = new Map(
        compilation.menus.flatMap((menu) => (menu.key === undefined ? [] : [[menu.key, menu]])),
      );
      const whole = { menus: byKey, flow: menuFlow(compilation.menus) };
      if (compilation.allValid) linter.run("project", whole, diagnostics);
      const isWhole = compilation.complete && compilation.absent.length === 0;
      if (isWhole) inherited.reportUnused(compilation.menus, diagnostics);
    }
    linter.ignoreComments([...menus, config.source, ...folders], diagnostics);
  }
  return { ...compilation, config, environment, agents, inherited, diagnostics, linter };
}

interface MenuInput {
  readonly sources: readonly Source[];
  readonly inherited: FolderDefaults;
  /** Without an environment, aliases and fields that may come from its defaults are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked, and nothing can be sent. */
  readonly agents: Agents | undefined;
  /** The keys of other menus that these menus may link to. */
  readonly otherKeys?: readonly string[];
  readonly linter?: Linter;
}

/** Compiles the files of menus: read, resolve, lint, encode. */
export function compileMenus(input: MenuInput): Compilation {
  const { sources, inherited, otherKeys = [] } = input;
  const diagnostics = new Diagnostics();
  const files = sources.map((source) => resolveFile(source, input));
  for (const { found: problems } of files) diagnostics.addAll(problems);
  const resolved = files.flatMap(({ menus }) => menus);
  const all = resolved.map(({ menu }) => menu);
  const absent = all.filter(({ isPresent }) => !isPresent);
  // The menus of a file that cannot be read are unknown, so the key of the file counts as known.
  const unread = files.flatMap(({ isRead, file }) => (isRead ? [] : keyFromPath(file)));
  const checkLinks = linkChecker(
    all.filter(({ isPresent }) => isPresent),
    [...otherKeys, ...unread],
    absent,
  );
  const results = resolved
    .filter(({ menu }) => menu.isPresent)
    .map(({ menu, isValid }) => {
      const problems = new Diagnostics();
      checkLinks(menu, problems);
      const result = finishOnce(menu, isValid, input, problems);
      diagnostics.addAll(problems);
      diagnostics.affect(problems, [affected(menu)]);
      return result;
    });
  checkIdentities(all, diagnostics);
  checkNumbers(all, diagnostics);
  const ownVars = all.flatMap(({ vars }) => (vars.complete ? vars.layers.slice(0, 1) : []));
  reportUnused(ownVars, all, diagnostics);
  inherited.report(all.map(affected), diagnostics);
  results.sort((a, b) => compareTexts(affected(a.menu).name, affected(b.menu).name));
  const compiledIf = (wanted: boolean) =>
    new Map(
      results.flatMap(({ menu, compiled, isBlocked }) =>
        compiled === undefined || isBlocked !== wanted ? [] : [[menu, compiled]],
      ),
    );
  return {
    menus: results.map(({ menu }) => menu),
    compiled: compiledIf(false),
    blocked: compiledIf(true),
    absent,
    diagnostics,
    complete: unread.length === 0,
    allValid: unread.length === 0 && results.every(({ isComplete }) => isComplete),
  };
}

type ResolvedFile = ReturnType<typeof resolveAgain>;

/**
 * What texts of an editor were with the same defaults, which are those of one environment, and the same agents.
 * Nearly all are the same again.
 */
const resolvedFiles = new WeakMap<
  Source,
  WeakMap<Inherited, Pick<MenuInput, "environment" | "agents"> & { resolved: ResolvedFile }>
>();

/** Reads and resolves the menus of a file. */
function resolveFile(source: Source, { inherited, environment, agents }: MenuInput): ResolvedFile {
  const above = inherited.of(source.file);
  const byDefaults: NonNullable<ReturnType<(typeof resolvedFiles)["get"]>> =
    resolvedFiles.get(source) ?? new WeakMap();
  const known = byDefaults.get(above);
  if (known && known.environment === environment && known.agents === agents) return known.resolved;
  const resolved = resolveAgain(source, above, environment, agents);
  if (source.isReused) {
    resolvedFiles.set(source, byDefaults.set(above, { environment, agents, resolved }));
  }
  return resolved;
}

function resolveAgain(
  source: Source,
  above: Inherited,
  environment: Environment | undefined,
  agents: Agents | undefined,
) {
  const { file } = source;
  const diagnostics = new Diagnostics();
  const { isRead, menus } = explaining(source, diagnostics, (text, all) => {
    const read = new Diagnostics();
    const nodes = readMenus(text, read);
    all.addAll(read);
    const resolved = nodes.map((node) => {
      const problems = new Diagnostics();
      const menu = resolveMenu(node, above, environment, agents, problems);
      all.addAll(problems);
      return { menu, isValid: above.complete && !problems.hasErrors, problems };
    });
    return { isRead: !read.hasErrors, menus: resolved };
  });
  for (const { problems, menu } of menus) diagnostics.affect(problems, [affected(menu)]);
  return { file, isRead, menus, found: diagnostics };
}

/** What menus in texts of an editor were with the same environment, agents and rules. */
const finishedMenus = new WeakMap<
  ResolvedMenu,
  { given: readonly unknown[]; result: ReturnType<typeof finishMenu>; found: Diagnostics }
>();

/** Finishes a menu whose links are checked, unless it was finished before. */
function finishOnce(
  menu: ResolvedMenu,
  isValid: boolean,
  input: MenuInput,
  problems: Diagnostics,
): ReturnType<typeof finishMenu> {
  if (problems.hasErrors) return finishMenu(menu, false, input, problems);
  const given = [isValid, input.environment, input.agents, ...(input.linter?.given ?? [])];
  const known = finishedMenus.get(menu);
  const isSame = known?.given.every((value, at) => value === given[at]) === true;
  const found = isSame ? known.found : new Diagnostics();
  const result = isSame ? known.result : finishMenu(menu, isValid, input, found);
  if (menu.source.isReused) finishedMenus.set(menu, { given, result, found });
  problems.addAll(found);
  return result;
}

/** Lints a menu and, if it has no errors, encodes it. */
function finishMenu(menu: ResolvedMenu, isValid: boolean, input: MenuInput, problems: Diagnostics) {
  const { environment, linter } = input;
  const isComplete = environment !== undefined && isValid;
  linter?.run("menu", menu, problems);
  if (isComplete) linter?.run("valid-menu", menu, problems);
  reportLost(menu, input, problems);
  const errors = problems.sorted().filter(({ severity }) => severity === "error");
  const isBlocked = errors.length > 0 && errors.every((one) => isAbout(one, "blocked agent"));
  const isSendable = isComplete && (errors.length === 0 || isBlocked);
  const content = isSendable && menu.call ? menuToSend(menu.call, environment.wire) : undefined;
  const { key } = menu;
  const compiled: CompiledMenu | undefined =
    key === undefined || content === undefined
      ? undefined
      : { key, name: content.name, content, menu };
  return { menu, compiled, isBlocked, isComplete };
}

/** Reports the agents whom a menu does not mean any more. */
function reportLost(
  menu: ResolvedMenu,
  { agents, environment }: MenuInput,
  problems: Diagnostics,
): void {
  for (const { value, at } of menu.destinations) {
    if (value?.kind !== "agent" || !value.isLost) continue;
    const lost = value.reference && agents?.lost(value.reference);
    const facts = lost && agents && lossFacts(lost, agents);
    if (facts === undefined) continue;
    const words = lossWords(facts);
    const message = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    problems.add("IVR314", at, message, lossFix(facts, environment?.name)[0]);
  }
}

function affected({ key, source }: ResolvedMenu): AffectedMenu {
  return { name: key ?? source.file, file: source.file };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
