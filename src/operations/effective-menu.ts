import { effectiveMenu } from "../compile/resolve-menu.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { readMenus } from "../compile/read-menus.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { fileOf } from "../import/places.ts";
import { menuWriter } from "../import/write-menu.ts";
import { listed } from "../util/many.ts";
import { openProject } from "../workspace/open-project.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import type { MapNode } from "../yaml/node.ts";
import type { Caller } from "./caller.ts";
import { readLive, revisionFiles } from "./opened-source.ts";

/** A menu as a file without defaults and variables would have it. */
export interface EffectiveMenu {
  /** Null if it is not in a file. */
  readonly file: string | null;
  /** Undefined if there is none. */
  readonly menu: MapNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The menu with this key in the files, in a git revision or, from `live`, on the service. */
export async function findEffective(
  caller: Caller,
  key: string,
  from: string | undefined,
): Promise<EffectiveMenu> {
  if (from === "live") return onService(caller, key);
  const elsewhere = new Diagnostics();
  const files = from === undefined ? undefined : await revisionFiles(caller, from, elsewhere);
  if (elsewhere.hasErrors) {
    return { file: null, menu: undefined, diagnostics: elsewhere.sorted() };
  }
  const project = await openProject({ ...caller, ...(files && { files }) });
  const { environment } = project;
  const problems = new Diagnostics();
  for (const part of [project.found.files, project.found.config, project.found.environment]) {
    problems.addAll(part, ({ file }) => !file.startsWith("ivrs/"));
  }
  const nodes = project.menus.flatMap((source) => readMenus(source, new Diagnostics()));
  const node = nodes.find((menu) => menu.key === key);
  if (node === undefined) {
    const keys = nodes.flatMap((menu) => menu.key ?? []);
    reportNoKey(key, keys, problems);
  }
  const inherited = new FolderDefaults(project.folders, environment);
  const menuProblems = new Diagnostics();
  const menu = node && effectiveMenu(node, inherited.of(node.source.file), menuProblems);
  if (node !== undefined) {
    const { file } = node.source;
    readMenus(node.source, menuProblems);
    menuProblems.affect(menuProblems, [{ name: key, file }]);
    inherited.report([{ name: key, file }], menuProblems);
    problems.addAll(menuProblems, (problem) => problem.severity === "error");
  }
  const diagnostics = problems
    .sorted()
    .filter(({ file, affects }) => !file.endsWith("/_defaults.yaml") || affects !== undefined);
  return { file: node?.source.file ?? null, menu: menu?.root, diagnostics };
}

/** A menu of the service, as a file would have it without any defaults. */
async function onService(caller: Caller, key: string): Promise<EffectiveMenu> {
  const diagnostics = new Diagnostics();
  const live = await readLive(
    caller,
    { paths: [], agentsRequired: false, advice: "none" },
    diagnostics,
  );
  const menu = live?.menus.find((one) => one.key === key);
  const keys = live?.menus.flatMap((one) => one.key ?? []) ?? [];
  if (live && menu === undefined) {
    reportNoKey(key, keys, diagnostics, `The service has ${listed(keys)}.`);
  }
  let root: MapNode | undefined;
  if (live && menu?.imported) {
    const { environment, agents } = live;
    const target = { environment: { ...environment, defaults: undefined }, agents, folders: [] };
    const write = menuWriter(target, [menu.imported]);
    const text = write(menu.imported, { file: fileOf(key), isOrdered: false }, diagnostics)?.text;
    const source = new Source(fileOf(key), text ?? "");
    root = readMenus(source, new Diagnostics())[0]?.root;
  }
  return { file: null, menu: root, diagnostics: diagnostics.sorted() };
}
