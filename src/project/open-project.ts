import type { Buffers } from "./buffers.ts";
import { type Config, readConfig } from "./config.ts";
import { type Environment, chooseEnvironment } from "./environment.ts";
import { type MenuFiles, noFiles, readConfigFile, readMenuFiles } from "./files.ts";
import type { Plugins } from "../rules/settings.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Readings } from "./readings.ts";
import type { Source } from "../diagnostics/source.ts";
import { Memo } from "../util/memo.ts";
import { loadPlugins } from "./plugins.ts";
import type { Host } from "../util/host.ts";

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
    /** More problems are added when a setting of the environment is used for the first time. */
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
export function configurationOf(
  source: Source | undefined,
  { root, host, buffers }: ProjectPlace,
  environment: string | undefined,
  files: Diagnostics,
): Configuration {
  const found = { files, config: new Diagnostics() };
  const config =
    source && configs.of(source, [], found.config, (problems) => readConfig(source, problems));
  const choose = (): Chosen => {
    const problems = new Diagnostics();
    const value = config && chooseEnvironment(config, environment, host.env, problems);
    return { environment: value, found: problems };
  };
  const known = config ? environments.of(config, [environment, host.env], choose) : choose();
  // The menu that used a setting with a problem may have changed.
  const chosen = known.found.hasErrors ? choose() : known;
  return {
    root,
    host,
    buffers,
    source,
    config,
    environment: chosen.environment,
    found: { ...found, environment: chosen.found },
  };
}

interface Chosen {
  readonly environment: Environment | undefined;
  readonly found: Diagnostics;
}

const configs = new Readings<Source, Config | undefined>();
const environments = new Memo<Config, Chosen>();
const loadedPlugins = new Memo<
  Config,
  Promise<{ readonly plugins: Plugins; readonly problems: Diagnostics }>
>();

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
  const load = async () => {
    const problems = new Diagnostics();
    return { plugins: await loadPlugins(root, config, host.clock, problems), problems };
  };
  const loaded = await (config === undefined ? load() : loadedPlugins.of(config, [root], load));
  return {
    ...configuration,
    ...files,
    plugins: loaded.plugins,
    found: { ...found, plugins: loaded.problems },
  };
}
