import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Agents } from "./agents.ts";
import { type Compilation, compileMenus } from "./compile.ts";
import { type Config, readConfig } from "./config.ts";
import { type Environment, chooseEnvironment } from "./environment.ts";
import type { Variables } from "./variables.ts";
import { readAgentList } from "./read/agent-list.ts";
import { Judge } from "./rules/judge.ts";
import { type Plugins, bareRules, readRules } from "./rules/settings.ts";

/** The texts of a project, wherever they come from. */
export interface ProjectTexts {
  readonly config: Source | undefined;
  readonly menus: readonly Source[];
  /** A list or its text; undefined where there is none: agents are then not checked. */
  readonly agents: Agents | Source | undefined;
  /** The environment asked for; else IVRCTL_ENV or the configuration says. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  /** Undefined where the menus are not to be judged. */
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
  /** For what is compiled, or found out, later. */
  readonly judge: Judge;
}

/** From texts to payloads: pure, and with every problem of every file. */
export function compileProject(texts: ProjectTexts): CompiledProject {
  const diagnostics = new Diagnostics();
  const config = texts.config && readConfig(texts.config, diagnostics);
  const environment =
    config && chooseEnvironment(config, texts.environment, texts.variables, diagnostics);
  const { rules } = texts;
  // Of a configuration that cannot be read nobody knows what it switches off.
  const settings =
    rules && config ? readRules(config, texts.variables, rules.plugins, diagnostics) : bareRules();
  const agents = agentsOf(texts, diagnostics);
  const judge = new Judge(settings, { agents, notes: rules?.notes === true });
  const compilation = compileMenus({ sources: texts.menus, environment, agents, judge });
  diagnostics.addAll(compilation.diagnostics);
  if (rules && config) {
    if (environment && rules.allMenus) judge.aliases(environment, diagnostics);
    else judge.passOver(config.source);
    judge.settle(texts.menus, config.source, diagnostics);
  }
  const { menus, compiled } = compilation;
  return { config, environment, agents, menus, compiled, diagnostics, judge };
}

function agentsOf({ agents }: ProjectTexts, diagnostics: Diagnostics): Agents | undefined {
  return agents instanceof Source ? readAgentList(agents, diagnostics) : agents;
}
