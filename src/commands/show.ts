import { effectiveMenu } from "../compile/resolve-menu.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { reportNoKey } from "../project/menu-names.ts";
import { openProject } from "../project/open-project.ts";
import { menuJson, menuText } from "../views/show.ts";
import { command } from "../cli/command.ts";

export default command({
  arguments: { "<KEY>": "Menu key, or the path of its file" },
  about:
    "Print a menu as it is after defaults and variables.\n\nThe menu is valid YAML: every field that it gets from _defaults.yaml or ivrctl.yaml is written out, and variables are replaced. Uses neither the service nor the agent list.",
  flags: {
    origin: { about: "Print the file and line that each value comes from" },
  },
  formats: ["text", "json"],
  examples: [
    ["ivrctl show front-desk", "the menu with its defaults"],
    ["ivrctl show shops/thane --origin", "where each value comes from"],
  ],
  async run(context) {
    const [key = ""] = context.args;
    const project = await openProject(context);
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
      json: () => menuJson(shown),
    };
  },
});
