import type { Buffers } from "./buffers.ts";
import { type Config, readConfig } from "./config.ts";
import { type Environment, chooseEnvironment } from "./environment.ts";
import { type MenuFiles, noFiles, readConfigFile, readMenuFiles } from "./files.ts";
import { type Plugins, noPlugins } from "../rules/settings.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { loadPlugins } from "./plugins.ts";
import type { Host } from "../util/host.ts";
import type { Variables } from "./variables.ts";

/** The folder of a project, and the options that the user gave. */
export interface ProjectPlace {
  readonly root: string;
  readonly globals: { readonly env: string | undefined };
  readonly host: Host;
  /** The texts of an editor, which replace files. */
  readonly buffers?: Buffers;
}

/** ivrctl.yaml and the environment in it, as far as they can be read. */
export interface Configuration {
  readonly root: string;
  readonly host: Host;
  readonly buffers?: Buffers | undefined;
  readonly source: Source | undefined;
  readonly config: Config | undefined;
  readonly environment: Environment | undefined;
  /** The problems found so far, by their place. */
  readonly found: {
    readonly files: Diagnostics;
    readonly config: Diagnostics;
    readonly environment: Diagnostics;
  };
}

/** A project with the texts of its files, as far as they can be read. */
export interface Project extends Configuration, MenuFiles {
  readonly plugins: Plugins;
  /** The branch with these files, if they are not those of the checkout. */
  readonly branch?: string;
  readonly found: Configuration["found"] & { readonly plugins: Diagnostics };
}

/** Reads ivrctl.yaml and chooses the environment: `environment`, or the one that the user named. */
export function openConfiguration(
  place: ProjectPlace,
  environment = place.globals.env,
): Configuration {
  const files = new Diagnostics();
  const source = readConfigFile(place.root, files, place.buffers);
  return configurationOf(source, place, environment, files);
}

/** Reads the text of ivrctl.yaml and chooses the environment. `files` are the problems so far. */
function configurationOf(
  source: Source | undefined,
  { root, host, buffers }: ProjectPlace,
  environment: string | undefined,
  files: Diagnostics,
): Configuration {
  const found = { files, config: new Diagnostics(), environment: new Diagnostics() };
  const config = source && readConfig(source, found.config);
  return {
    root,
    host,
    buffers,
    source,
    config,
    environment: config && chooseEnvironment(config, environment, host.env, found.environment),
    found,
  };
}

/** A project whose files were read elsewhere, for example from a revision. Its plugins are not loaded. */
export function projectOf(
  {
    config,
    ...files
  }: Pick<MenuFiles, "menus" | "folders"> & { readonly config: Source | undefined },
  place: ProjectPlace,
  environment: string,
  problems: Diagnostics,
): Project {
  const configuration = configurationOf(config, place, environment, problems);
  const found = { ...configuration.found, plugins: new Diagnostics() };
  return { ...configuration, ...noFiles, ...files, plugins: noPlugins, found };
}

/** The texts of a project without a folder, as a program has them. */
interface ProjectTexts extends Pick<MenuFiles, "menus" | "folders"> {
  readonly config: Source;
  /** If undefined, IVRCTL_ENV or the configuration decides. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  readonly plugins: Plugins;
}

/** Opens the texts of a project. */
export function openTexts(texts: ProjectTexts) {
  const { menus, folders, plugins } = texts;
  const found = {
    files: new Diagnostics(),
    config: new Diagnostics(),
    environment: new Diagnostics(),
    plugins: new Diagnostics(),
  };
  const config = readConfig(texts.config, found.config);
  const environment =
    config && chooseEnvironment(config, texts.environment, texts.variables, found.environment);
  return { config, environment, menus, folders, plugins, found };
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
  const { root, host, source, config, found, buffers } = configuration;
  const files =
    source === undefined
      ? noFiles
      : readMenuFiles(root, found.files, { tests: options.tests === true, buffers });
  const problems = new Diagnostics();
  const plugins = await loadPlugins(root, config, host.clock, problems);
  return { ...configuration, ...files, plugins, found: { ...found, plugins: problems } };
}
