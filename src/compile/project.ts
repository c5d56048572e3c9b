import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Agents } from "./agents.ts";
import { type CompiledMenu, compileMenus } from "./compile.ts";
import { type Config, readConfig } from "./config.ts";
import { type Environment, chooseEnvironment } from "./environment.ts";
import type { Variables } from "./variables.ts";
import { readAgentList } from "./read/agent-list.ts";

/** The texts of a project, wherever they come from. */
export interface ProjectTexts {
  readonly config: Source | undefined;
  readonly menus: readonly Source[];
  /** A list or its text; undefined where there is none: agents are then not checked. */
  readonly agents: Agents | Source | undefined;
  /** The environment asked for; else IVRCTL_ENV or the configuration says. */
  readonly environment: string | undefined;
  readonly variables: Variables;
}

export interface CompiledProject {
  /** Undefined where it cannot be read. */
  readonly config: Config | undefined;
  /** Undefined where the configuration does not lead to one. */
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  readonly menus: readonly CompiledMenu[];
  readonly diagnostics: Diagnostics;
}

/** From texts to payloads: pure, and with every problem of every file. */
export function compileProject(texts: ProjectTexts): CompiledProject {
  const diagnostics = new Diagnostics();
  const config = texts.config && readConfig(texts.config, diagnostics);
  const environment =
    config && chooseEnvironment(config, texts.environment, texts.variables, diagnostics);
  const agents =
    texts.agents instanceof Source ? readAgentList(texts.agents, diagnostics) : texts.agents;
  const compiled = compileMenus({ sources: texts.menus, environment, agents });
  diagnostics.addAll(compiled.diagnostics);
  return { config, environment, agents, menus: compiled.menus, diagnostics };
}
