import type { Source } from "../diagnostics/source.ts";
import { type Config, readConfig } from "../project/config-file.ts";
import type { Configuration } from "../project/configuration.ts";
import { type Environment, chooseEnvironment } from "../project/environment.ts";
import {
  DiskFiles,
  type Files,
  type MenuFiles,
  configName,
  noFiles,
  readMenuFiles,
} from "../project/files.ts";
import { type Plugins, noPlugins } from "../rules/rule-settings.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { loadPlugins } from "../rules/load-plugins.ts";
import type { Host } from "../util/host.ts";
import type { Variables } from "../project/environment-variables.ts";

/** The folder of a project, and the options that the user gave. */
export interface ProjectPlace {
  readonly root: string;
  readonly globals: { readonly env: string | undefined };
  readonly host: Host;
  /** Default: the files on disk. */
  readonly files?: Files;
}

/** The project in a folder, as far as it can be read. */
export interface Project extends Configuration, MenuFiles {
  readonly plugins: Plugins;
  /** The branch with these files, if they are not those of the checkout. */
  readonly branch?: string;
  /** The commit of these files, if they are not those of the checkout. */
  readonly commit?: string;
}

/** What files alone give, wherever they are. */
type Opened<T extends Configuration> = Omit<T, "root" | "host">;

interface Opening {
  /** If undefined, IVRCTL_ENV or the configuration decides. */
  readonly environment: string | undefined;
  readonly variables: Variables;
  /** Whether to read the test files. Default: false. */
  readonly tests?: boolean;
}

/** Opens a project: configuration, environment, menus and tests. Reads each file once, and loads no plugins. */
export function openFiles(files: Files, opening: Opening): Opened<Project> {
  const opened = openConfig(files, opening);
  const tests = opening.tests === true;
  const menus = files.has(configName)
    ? readMenuFiles(files, opened.found.files, { tests })
    : noFiles;
  return { ...opened, ...menus, plugins: noPlugins };
}

function openConfig(files: Files, { environment, variables }: Opening): Opened<Configuration> {
  const problems = {
    files: new Diagnostics(),
    config: new Diagnostics(),
    environment: new Diagnostics(),
    plugins: new Diagnostics(),
  };
  const source = files.read(configName, "yamlFile", problems.files);
  // A file that cannot be decoded may contain secrets, so messages show nothing of it.
  if (source === undefined) for (const each of problems.files.sorted()) each.source?.hideAll();
  const read = source && readOnce(source, environment, variables);
  if (read) problems.config.addAll(read.problems.config);
  if (read) problems.environment.addAll(read.problems.environment);
  return { files, source, config: read?.config, environment: read?.chosen, found: problems };
}

interface ReadSettings {
  readonly config: Config | undefined;
  readonly chosen: Environment | undefined;
  readonly problems: { readonly config: Diagnostics; readonly environment: Diagnostics };
}

/** The settings in texts of an editor, so that everything made from them can be reused. */
const readSettings = new WeakMap<
  Source,
  WeakMap<Variables, Map<string | undefined, ReadSettings>>
>();

function readOnce(
  source: Source,
  environment: string | undefined,
  variables: Variables,
): ReadSettings {
  const ofText =
    readSettings.get(source) ?? new WeakMap<Variables, Map<string | undefined, ReadSettings>>();
  const byEnvironment = ofText.get(variables) ?? new Map<string | undefined, ReadSettings>();
  const last = byEnvironment.get(environment);
  if (last !== undefined) return last;
  const problems = { config: new Diagnostics(), environment: new Diagnostics() };
  const config = readConfig(source, problems.config);
  const chosen = config && chooseEnvironment(config, environment, variables, problems.environment);
  const read = { config, chosen, problems };
  if (source.isReused) {
    byEnvironment.set(environment, read).set(chosen?.name ?? environment, read);
    readSettings.set(source, ofText.set(variables, byEnvironment));
  }
  return read;
}

/** Reads ivrctl.yaml and chooses the environment. */
export function openConfiguration({ root, host, globals, files }: ProjectPlace): Configuration {
  const opening = { environment: globals.env, variables: host.env };
  return { root, host, ...openConfig(files ?? new DiskFiles(root), opening) };
}

/** Opens the project in a folder, with its plugins. `environment` replaces the one that the user named. */
export async function openProject(
  { root, host, globals, files = new DiskFiles(root) }: ProjectPlace,
  { environment = globals.env, tests }: Partial<Omit<Opening, "variables">> = {},
): Promise<Project> {
  const opened = openFiles(files, { environment, variables: host.env, tests: tests === true });
  const plugins = await loadPlugins(root, opened.config, opened.found.plugins);
  return { root, host, ...opened, plugins };
}
