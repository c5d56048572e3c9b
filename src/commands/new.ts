import { normalName } from "../compile/agents.ts";
import { compileProject } from "../compile/compile-project.ts";
import type { MenuNode } from "../compile/menu.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { keyHelp, schemaHead, writeNew } from "../import/places.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { varsIn } from "../compile/vars.ts";
import { field } from "../yaml/node.ts";
import { copyOf } from "../new/copy.ts";
import { shortMenu, startingPoint } from "../new/starting-point.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { nearestKeys } from "../project/menu-names.ts";
import { type Project, openProject } from "../project/open-project.ts";
import { menuKeyHelp } from "../schema/common.ts";
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../util/usage-error.ts";
import { showNew } from "../views/new.ts";
import { type ExitCode, command } from "../cli/command.ts";

export default command({
  takes: "KEY",
  arguments: { KEY: "Key of the new menu: its path under ivrs/ without .yaml" },
  minArguments: 1,
  maxArguments: 1,
  completes: "new key",
  about:
    "Write the file of another menu.\n\nThe menu is a short example with agents of agents.lock.json, or a copy of another menu. If _defaults.yaml in the folder gives menus their names, the new file has only the variables that it needs. `new` overwrites no file, and contacts no service.",
  flags: {
    from: {
      type: "string",
      value: "KEY",
      completes: "key",
      about: "Copy this menu with its comments and tests, and change its name",
    },
  },
  formats: ["text", "json"],
  examples: [
    ["ivrctl new night", "write ivrs/night.yaml"],
    ["ivrctl new shops/colaba --from front-desk", "copy ivrs/front-desk.yaml"],
  ],
  async run(context): Promise<ExitCode> {
    const [key = ""] = context.args;
    const help = key.endsWith(".yaml")
      ? "Use a key without .yaml, or a path under ivrs/."
      : keyHelp(key);
    if (help !== undefined) throw new UsageError(`\`${key}\` cannot be a menu key. ${help}`);
    const { root } = context;
    const file = `ivrs/${key}.yaml`;
    const found = new Diagnostics();
    const project = await openProject(context);
    for (const part of [project.found.files, project.found.config, project.found.environment]) {
      found.addAll(part, ({ file: own }) => !own.startsWith("ivrs/"));
    }
    const menus = project.menus.flatMap((source) => readMenus(source, new Diagnostics()));
    refuseTaken(key, menus, found);
    const text = found.hasErrors
      ? undefined
      : textOf(context, project, menus, { key, file }, found);
    const isWritten = text !== undefined && writeNew(root, file, text, found);
    await showNew({ key, file: isWritten ? file : null }, found.sorted(), context);
    return found.hasErrors ? 1 : 0;
  },
});

function refuseTaken(key: string, menus: readonly MenuNode[], found: Diagnostics): void {
  for (const menu of menus.filter((one) => one.key?.toLowerCase() === key.toLowerCase())) {
    found.add(
      "IVR213",
      menu.keyAt,
      `The menu key \`${menu.key}\` already exists.`,
      "Choose another menu key.",
    );
  }
}

interface NewMenu {
  readonly key: string;
  readonly file: string;
}

function textOf(
  {
    root,
    flags: { from },
  }: { readonly root: string; readonly flags: { readonly from: string | undefined } },
  project: Project,
  menus: readonly MenuNode[],
  { key, file }: NewMenu,
  found: Diagnostics,
): string | undefined {
  const name = freeName(key, menus);
  const head = schemaHead(root, file);
  const { environment } = project;
  const inherited = environment && new FolderDefaults(project.folders, environment).of(file);
  if (from !== undefined) {
    const other = menus.find((menu) => menu.key === from);
    if (other !== undefined) {
      const inheritedName = field(inherited?.defaults, "name");
      const [nameVariable] = inheritedName === undefined ? [] : varsIn(inheritedName);
      return copyOf(other, { key, name, nameVariable, head });
    }
    const keys = menus.flatMap((menu) => menu.key ?? []);
    found.addFile(
      "IVR806",
      "ivrs",
      `There is no menu with the key \`${from}\`.`,
      didYouMean(nearestKeys(from, keys)) ?? menuKeyHelp,
    );
    return undefined;
  }
  const agents = readSnapshot(root, environment?.name, found);
  if (environment === undefined || inherited === undefined || found.hasErrors) return undefined;
  const { defaults, vars } = inherited;
  if (defaults !== undefined && field(defaults, "name") !== undefined) {
    const unset = varsIn(defaults).filter((one) => !vars.some(({ values }) => values.has(one)));
    return shortMenu(name, unset, head);
  }
  const fits = (text: string) => {
    const source = new Source(file, text);
    const compiled = compileProject(project, { agents, menus: [source], allMenus: false });
    return compiled.diagnostics.sorted().every((one) => one.source !== source);
  };
  return startingPoint(name, { environment: { ...environment, defaults }, agents, head, fits });
}

/** A name for the menu that no other menu has, made from its key. */
function freeName(key: string, menus: readonly MenuNode[]): string {
  const taken = new Set(menus.flatMap(({ name }) => (name ? normalName(name.value) : [])));
  const words = (text: string) => {
    const spaced = text.replaceAll(/[^A-Za-z0-9]+/g, " ").trim();
    return spaced.charAt(0).toUpperCase() + spaced.slice(1);
  };
  const candidates = [words(key.replace(/^.*\//, "")), words(key), key];
  const free = candidates.find((name) => name !== "" && !taken.has(normalName(name)));
  if (free !== undefined) return free;
  for (let count = 2; ; count += 1) {
    if (!taken.has(normalName(`${key} ${count}`))) return `${key} ${count}`;
  }
}
