import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { readMenus } from "../compile/read-menus.ts";
import { formattedMenu, menuWriter } from "../import/write-menu.ts";
import { EditProblem } from "../references/edits.ts";
import { rootsIn } from "../references/occurrences.ts";
import type { Intent } from "../schema/intent.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { textField } from "../yaml/node.ts";
import type { At, Task } from "./at.ts";

/** A new menu has the settings of another one, as far as the defaults do not give them. */
export async function newMenuTask(
  project: LoadedProject,
  { key, like, name, option }: Intent & { do: "menu" },
): Promise<Task> {
  const file = `ivrs/${key}.yaml`;
  const model = [...project.compiled.values(), ...project.blocked.values()].find(
    (menu) => menu.key === like,
  );
  const { environment, agents } = project;
  if (project.opened.files.has(file))
    throw new EditProblem(`There is already a file ${file}.`, { file });
  if (model === undefined || environment === undefined) {
    throw new EditProblem(`The menu \`${like}\` has errors, so it cannot be copied.`, { file });
  }
  const { numbers: _, ...content } = model.content;
  const { for: purpose, ...to } = option;
  const options = [{ ...to, ...(purpose !== undefined && { for: purpose }) }];
  const menu = { ...content, name, description: name, options };
  const problems = new Diagnostics();
  const write = menuWriter({ environment, agents, folders: project.opened.folders }, []);
  const at = () => new Source(file, "").top();
  const text = write({ key: undefined, menu, at }, { file, isOrdered: false }, problems);
  if (text === undefined) {
    const message = problems.sorted()[0]?.message ?? "This menu cannot be written.";
    throw new EditProblem(message, { file });
  }
  const formatted = await formattedMenu(text);
  return {
    ways: [() => new Map([[file, formatted.text]])],
    wanted: () => new Map(),
    free: () => (one) => one === key,
    missing: (after) =>
      after.menus.some((one) => one.key === key) ? undefined : "The menu would not be there.",
  };
}

/** Deletes a menu and its tests. A link to it from elsewhere is an error, so it is refused. */
export function deleteTask({ project, menu, key }: At): Task {
  const { source } = menu;
  const tests = project.opened.tests.filter((test) =>
    rootsIn(test).every((root) => (textField(root, "menu") ?? testedBy(test)) === key),
  );
  const way = () =>
    new Map<string, string | undefined>([
      [source.file, withoutMenu(source, key)],
      ...tests.map(({ file }): [string, undefined] => [file, undefined]),
    ]);
  return { ways: [way], wanted: () => new Map([[key, undefined]]) };
}

function testedBy({ file }: Source): string {
  return file.replace(/^ivrs\//, "").replace(/\.test\.yaml$/, "");
}

/** The text of a file without a menu. Undefined if nothing is left. */
function withoutMenu(source: Source, key: string): string | undefined {
  const menus = readMenus(source, new Diagnostics());
  const index = menus.findIndex((menu) => menu.key === key);
  if (menus.length < 2 || index === -1) return undefined;
  const starts = menus.map(({ top }) => {
    const marks = [...source.text.slice(0, top.start).matchAll(/^---[^\n]*\n/gm)];
    return marks.at(-1)?.index ?? 0;
  });
  const [from = 0, to] = [starts[index], starts[index + 1]];
  return source.text.slice(0, from) + (to === undefined ? "" : source.text.slice(to));
}
