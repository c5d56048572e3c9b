import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { FolderDefaultsSchema as FolderSchema, neverInFolder } from "../schema/menu.ts";
import { explaining } from "../yaml/mistakes/syntax-mistakes.ts";
import type { MapNode } from "../yaml/node.ts";
import { readMapping } from "../yaml/read-yaml.ts";
import { decode } from "../yaml/decode.ts";
import { withDefaults } from "./defaults.ts";
import { warnOfCommentedKeys, withDistinctOptions } from "../project/options.ts";
import {
  type VarLayer,
  type VarUser,
  readVars,
  reportUnused,
  withoutTemplates,
} from "../project/vars.ts";

/** What a menu inherits from its folders, the environment and the project. */
export interface Inherited {
  readonly defaults: MapNode | undefined;
  /** The most specific layer first. */
  readonly vars: readonly VarLayer[];
  readonly complete: boolean;
}

interface Folder {
  /** Undefined if the file cannot be read. */
  readonly root: MapNode | undefined;
  readonly vars: VarLayer;
  readonly problems: Diagnostics;
}

const lastDefaults = new WeakMap<
  Environment,
  { folders: readonly Source[]; defaults: FolderDefaults }
>();

/** What menus inherit. The same object for the same files and environment. */
export function folderDefaults(
  folders: readonly Source[],
  environment: Environment | undefined,
): FolderDefaults {
  const last = environment && lastDefaults.get(environment);
  const isSame = folders.every((source, at) => source === last?.folders[at]);
  if (last && isSame && folders.length === last.folders.length) return last.defaults;
  const defaults = new FolderDefaults(folders, environment);
  if (environment) lastDefaults.set(environment, { folders, defaults });
  return defaults;
}

/** The files `_defaults.yaml` of a project, on top of the defaults of the project. */
export class FolderDefaults {
  readonly #folders = new Map<string, Folder>();
  readonly #environment: Environment | undefined;
  readonly #inherited = new Map<string, Inherited>();

  constructor(sources: readonly Source[], environment: Environment | undefined) {
    this.#environment = environment;
    for (const source of sources) {
      this.#folders.set(folderOf(source.file), readFolder(source));
    }
  }

  /** What a menu in this file inherits. */
  of(file: string): Inherited {
    return this.#in(folderOf(file));
  }

  /** Reports the problems of the files, each with the menus that it affects. */
  report(menus: readonly { readonly name: string; readonly file: string }[], into: Diagnostics) {
    for (const [path, { problems }] of this.#folders) {
      into.addAll(problems);
      const below = menus.filter(({ file }) => file.startsWith(`${path}/`));
      // A problem that menus reported too affects exactly these menus.
      into.affect(problems, below, { onlyNew: true });
    }
  }

  /** Warns about variables that none of these menus uses. They must be all menus. */
  reportUnused(menus: readonly VarUser[], into: Diagnostics): void {
    const folders = [...this.#folders.values()];
    if (folders.some(({ root }) => root === undefined)) return;
    const layers = [...folders.map(({ vars }) => vars), ...this.#ofProject().vars];
    reportUnused(layers, menus, into);
  }

  #in(path: string): Inherited {
    const cached = this.#inherited.get(path);
    if (cached !== undefined) return cached;
    const above = path === "" ? this.#ofProject() : this.#in(folderOf(path));
    const inherited = add(this.#folders.get(path), above);
    this.#inherited.set(path, inherited);
    return inherited;
  }

  #ofProject(): Inherited {
    const environment = this.#environment;
    if (environment === undefined) return nothingInherited;
    const { defaults, environmentVars, projectVars } = environment;
    return { defaults, vars: [environmentVars, projectVars], complete: true };
  }
}

function add(folder: Folder | undefined, above: Inherited): Inherited {
  if (folder === undefined) return above;
  const { root, vars } = folder;
  const [environment = noVars, ...others] = above.vars;
  return {
    defaults: root ? withDefaults(root, above.defaults) : above.defaults,
    // A variable of the environment overrides those of folders.
    vars: [environment, vars, ...others],
    complete: above.complete && root !== undefined,
  };
}

const noVars: VarLayer = { source: undefined, values: new Map() };
const nothingInherited: Inherited = {
  defaults: undefined,
  vars: [noVars, noVars],
  complete: false,
};

function readFolder(source: Source): Folder {
  const problems = new Diagnostics();
  const read = explaining(source, problems, readRoot);
  // After a mistake in YAML, the values may not be what the user meant.
  const root = problems.sorted().some(isAboutYaml) ? undefined : read;
  const entries =
    root?.entries.filter(({ key: { text } }) => text !== "vars" && !neverInFolder.includes(text)) ??
    [];
  return { root: root && { ...root, entries }, vars: readVars(root, source), problems };
}

function isAboutYaml({ severity, code }: Diagnostic): boolean {
  return severity === "error" && /^IVR1(?!07)/.test(code);
}

const help = "Write fields of a menu, such as `timeout:` or `vars:`, or delete the file.";

function readRoot(source: Source, problems: Diagnostics): MapNode | undefined {
  const read = readMapping(source, "defaults", help, problems);
  if (read?.root === undefined) return undefined;
  const root = withDistinctOptions(read.root, problems);
  warnOfCommentedKeys(root, read.end, problems);
  decode({ complete: FolderSchema }, withoutTemplates(root), {
    diagnostics: problems,
    top: root.entries[0]?.key ?? source.top(),
  });
  return root;
}

/** The folder of a path; empty at the top. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
