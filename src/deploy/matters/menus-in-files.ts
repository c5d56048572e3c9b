import { compileProject } from "../../workspace/compile-project.ts";
import { menuLinks } from "../../compile/compiled-menu.ts";
import { DiskFiles } from "../../project/files.ts";
import { type Project, type ProjectPlace, openFiles } from "../../workspace/open-project.ts";
import type { FileMenu, MatterSources } from "./matters.ts";

/** The menus of the files and the operations of the environment, without asking the service. */
export function fileMenusAt({
  root,
  host,
  globals,
  files = new DiskFiles(root),
}: ProjectPlace): Pick<MatterSources, "files" | "operations"> {
  const opened = openFiles(files, { environment: globals.env, variables: host.env });
  return fileMenusOf({ root, host, ...opened });
}

/** The same for a project that is open. */
export function fileMenusOf(project: Project): Pick<MatterSources, "files" | "operations"> {
  if (project.config === undefined) return {};
  const { menus } = compileProject(project, { agents: undefined, allMenus: false });
  const files = menus.flatMap((menu): FileMenu[] =>
    menu.key === undefined
      ? []
      : [
          {
            key: menu.key,
            movedFrom: menu.movedFrom?.value,
            links: menuLinks(menu).map(({ value }) => value),
            numbers: menu.numbers.map(({ value }) => value),
          },
        ],
  );
  return { files, operations: project.environment?.operations };
}
