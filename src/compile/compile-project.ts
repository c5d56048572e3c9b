import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Agents } from "./agents.ts";
import { type Compilation, compileMenus } from "./compile-menus.ts";
import { type Config, readConfig } from "../project/config.ts";
import { type Environment, chooseEnvironment } from "../project/environment.ts";
import type { Variables } from "../project/variables.ts";
import { readAgentList } from "./agent-list.ts";
import { Linter } from "../rules/linter.ts";
import { type Plugins, bareRules, readRules } from "../rules/settings.ts";

/** The texts of a project, wherever they come from. */
export interface ProjectTexts {
  readonly config: Source | undefined;
  readonly menus: readonly Source[];
  /** A list or its text; undefined where there is none: agents are then not checked. */
  readonly agents: Agents | Source | undefined;
  /** The environment asked for; else IVRCTL_ENV or the configuration says. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  /** Undefined where the menus are not to be linted. */
  readonly rules: RulesWanted | undefined;
}

export interface RulesWanted {
  readonly plugins: Plugins;
  /** Whether findings that are mere notes are wanted. */
  readonly notes: boolean;
  /** Whether there are no menus but these: one may have been unreadable. */
  readonly allMenus: boolean;
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

/** From texts to payloads: pure, and with every problem of every file. */
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

/** The same with a configuration that has been read already; its own problems are left out. */
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
