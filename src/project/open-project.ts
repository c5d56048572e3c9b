import { type Config, readConfig } from "./config.ts";
import { type Environment, chooseEnvironment } from "./environment.ts";
import { type MenuFiles, noFiles, readConfigFile, readMenuFiles } from "./files.ts";
import type { Plugins } from "../rules/settings.ts";
import type { Variables } from "./variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { loadPlugins } from "./plugins.ts";

/** The folder of a project, and the options that the user gave. */
export interface ProjectPlace {
  readonly root: string;
  readonly globals: { readonly config: string | undefined; readonly env: string | undefined };
  readonly variables: Variables;
}

/** ivrctl.yaml and the environment in it, as far as they can be read. */
export interface Configuration {
  readonly root: string;
  readonly variables: Variables;
  readonly source: Source | undefined;
  readonly config: Config | undefined;
  readonly environment: Environment | undefined;
  /** The problems found so far, by their place. */
  readonly found: {
    readonly files: Diagnostics;
    readonly config: Diagnostics;
    /** More problems are added when a setting of the environment is used for the first time. */
    readonly environment: Diagnostics;
  };
}

/** A project with the texts of its files, as far as they can be read. */
export interface Project extends Configuration, MenuFiles {
  readonly plugins: Plugins;
  readonly found: Configuration["found"] & { readonly plugins: Diagnostics };
}

/** Reads ivrctl.yaml and chooses the environment: `environment`, or the one that the user named. */
export function openConfiguration(
  { root, globals, variables }: ProjectPlace,
  environment = globals.env,
): Configuration {
  const found = {
    files: new Diagnostics(),
    config: new Diagnostics(),
    environment: new Diagnostics(),
  };
  const source = readConfigFile(root, globals.config, found.files);
  const config = source && readConfig(source, found.config);
  const chosen = config && chooseEnvironment(config, environment, variables, found.environment);
  return { root, variables, source, config, environment: chosen, found };
}

interface OpenOptions {
  /** Used instead of the environment that the user named. */
  readonly environment?: string | undefined;
  /** Whether to read the test files. Default: false. */
  readonly tests?: boolean;
}

/** Opens a project: configuration, environment, menus, tests and plugins. Reads each file once. */
export async function openProject(
  place: ProjectPlace,
  options: OpenOptions = {},
): Promise<Project> {
  const configuration = openConfiguration(place, options.environment);
  const { root, source, config, found } = configuration;
  const files =
    source === undefined
      ? noFiles
      : readMenuFiles(root, found.files, { tests: options.tests === true });
  const plugins = new Diagnostics();
  return {
    ...configuration,
    ...files,
    plugins: await loadPlugins(root, config, plugins),
    found: { ...found, plugins },
  };
}
