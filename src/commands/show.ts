import { effectiveMenu } from "../compile/resolve-menu.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { reportNoKey } from "../project/menu-names.ts";
import { openProject } from "../project/open-project.ts";
import { menuJson, menuText } from "../views/show.ts";
import { type Context, command } from "../cli/command.ts";
import { readLive, revisionFiles, sourceFlags } from "../cli/menu-source.ts";
import type { ResultIn } from "../cli/result.ts";
import { Source } from "../diagnostics/source.ts";
import { fileOf } from "../import/places.ts";
import { menuWriter } from "../import/write-menu.ts";
import { listed } from "../util/many.ts";
import type { MapNode } from "../yaml/node.ts";

export default command({
  arguments: { "<KEY>": "Menu key, or the path of its file" },
  about:
    "Print a menu as it is after defaults and variables.\n\nThe menu is valid YAML: every field that it gets from _defaults.yaml or ivrctl.yaml is written out, and variables are replaced. Uses neither the service nor the agent list, unless --from live asks for the menu that the service has.",
  flags: {
    ...sourceFlags,
    origin: {
      conflicts: "from",
      about: "Print the file and line that each value comes from",
    },
  },
  formats: ["text", "json"],
  examples: [
    ["ivrctl show front-desk", "the menu with its defaults"],
    ["ivrctl show shops/thane --from live", "what the service has now"],
    ["ivrctl show shops/thane --origin", "where each value comes from"],
  ],
  async run(context) {
    const [key = ""] = context.args;
    const { from } = context.flags;
    if (from === "live") return showLive(context, key);
    const elsewhere = new Diagnostics();
    const files = from === undefined ? undefined : await revisionFiles(context, from, elsewhere);
    if (elsewhere.hasErrors) return notFound(elsewhere);
    const project = await openProject({ ...context, ...(files && { files }) });
    const { environment } = project;
    const found = new Diagnostics();
    for (const part of [project.found.files, project.found.config, project.found.environment]) {
      found.addAll(part, ({ file }) => !file.startsWith("ivrs/"));
    }
    const nodes = project.menus.flatMap((source) => readMenus(source, new Diagnostics()));
    const node = nodes.find((menu) => menu.key === key);
    if (node === undefined) {
      const keys = nodes.flatMap((menu) => menu.key ?? []);
      reportNoKey(key, keys, found);
    }
    const inherited = new FolderDefaults(project.folders, environment);
    const menuProblems = new Diagnostics();
    const menu = node && effectiveMenu(node, inherited.of(node.source.file), menuProblems);
    if (node !== undefined) {
      const { file } = node.source;
      readMenus(node.source, menuProblems);
      menuProblems.affect(menuProblems, [{ name: key, file }]);
      inherited.report([{ name: key, file }], menuProblems);
      found.addAll(menuProblems, (problem) => problem.severity === "error");
    }
    const problems = found
      .sorted()
      .filter(({ file, affects }) => !file.endsWith("/_defaults.yaml") || affects !== undefined);
    const shown = {
      key,
      file: node?.source.file ?? null,
      menu: menu?.root,
      origins: context.flags.origin,
    };
    return {
      exit: problems.length > 0 || menu === undefined ? 1 : 0,
      text: (page) => menuText(shown, page),
      diagnostics: problems,
      formatsHaveDiagnostics: true,
      formats: { json: () => menuJson(shown) },
    };
  },
});

/** The result without the files of a revision. */
function notFound(found: Diagnostics): ResultIn<"json"> {
  const diagnostics = found.sorted();
  return { exit: 1, diagnostics, formats: { json: () => ({}) } };
}

/** A menu of the service, as a file would have it without any defaults. */
async function showLive(
  context: Context<typeof sourceFlags>,
  key: string,
): Promise<ResultIn<"json">> {
  const found = new Diagnostics();
  const live = await readLive(context, { paths: [], agentsRequired: false, advice: "none" }, found);
  const menu = live?.menus.find((one) => one.key === key);
  const keys = live?.menus.flatMap((one) => one.key ?? []) ?? [];
  if (live && menu === undefined) {
    reportNoKey(key, keys, found, `The service has ${listed(keys)}.`);
  }
  let root: MapNode | undefined;
  if (live && menu?.imported) {
    const { environment, agents } = live;
    const target = { environment: { ...environment, defaults: undefined }, agents, folders: [] };
    const write = menuWriter(target, [menu.imported]);
    const text = write(menu.imported, { file: fileOf(key), isOrdered: false }, found)?.text;
    const source = new Source(fileOf(key), text ?? "");
    root = readMenus(source, new Diagnostics())[0]?.root;
  }
  const shown = { key, file: null, menu: root, origins: false };
  return {
    exit: root === undefined ? 1 : 0,
    text: (page) => menuText(shown, page),
    diagnostics: found.sorted(),
    formatsHaveDiagnostics: true,
    formats: { json: () => menuJson(shown) },
  };
}
