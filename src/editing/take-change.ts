import { importedFields } from "../import/menu-text.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Menu, withIds } from "../model/menu.ts";
import { changedFields, isSameMenu } from "../model/menu-diff.ts";
import { EditProblem } from "../references/edits.ts";
import { compileProject } from "../workspace/compile-project.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type MapNode, nodeAt } from "../yaml/node.ts";
import { type At, type Task, newError, placeIn } from "./at.ts";
import { inOrder } from "./key-edits.ts";
import { put, textAfter } from "./put.ts";

/** More rounds would change nothing: the second removes defaults that the first uncovers. */
const mostRounds = 3;

/**
 * The task to give a menu the content that it has on the service. Fields from defaults become fields of the
 * menu. `idOf` is the id of a menu of the project.
 */
export function takeTask(at: At, wanted: Menu, idOf: (key: string) => string | undefined): Task {
  const { project, key, menu } = at;
  const { file } = menu.source;
  const contentIn = ({ compiled }: Pick<LoadedProject, "compiled">) => {
    const found = [...compiled.values()].find((one) => one.key === key);
    return found && withIds(found.content, idOf);
  };
  const kept = withPurposes(wanted, contentIn(project));
  const way = () => {
    const place = () => menu.source.top();
    const imported = { key: undefined, menu: kept, at: place };
    const fields = importedFields(imported, at.references, new Diagnostics());
    const values = new Map(fields.map(({ path, value }) => [path.join("."), value]));
    let { text } = menu.source;
    for (let round = 0; round < mostRounds; round++) {
      const content = contentIn(compiledWith(text, at));
      const paths = content
        ? changedFields(content, wanted).map(({ path }) => path.split("."))
        : [];
      const places = paths.map((path) => path.slice(0, path[0] === "options" ? 2 : path.length));
      for (const path of new Map(places.map((one) => [one.join("."), one])).values()) {
        const value = values.get(path.join("."));
        // Without an entry of its own, the menu has the key from its defaults.
        const hidden = (root: MapNode) => (nodeAt(root, path) === undefined ? null : undefined);
        text = textAfter(text, placeIn(at), (root) => put(root, path, value ?? hidden(root)));
      }
    }
    return new Map([[file, text]]);
  };
  const purposes = new Set(wanted.options.map((option) => `options.${option.key}.for`));
  return {
    ways: [
      way,
      inOrder(
        at,
        way,
        wanted.options.map((option) => option.key),
      ),
    ],
    wanted: () => new Map(),
    free: () => (one, path) => one === key && !purposes.has(path),
    missing: (after) => {
      const content = contentIn(after);
      return content && isSameMenu(content, wanted)
        ? undefined
        : "ivrctl cannot write what the console has into this file.";
    },
  };
}

function compiledWith(text: string, { project, menu }: At) {
  const { opened, agents, diagnostics } = project;
  const { file } = menu.source;
  const menus = opened.menus.map((one) => (one.file === file ? new Source(file, text) : one));
  const compilation = compileProject(opened, { agents, menus, lint: false });
  const problems = compilation.diagnostics.sorted();
  const error = newError(diagnostics, problems);
  if (error) throw new EditProblem(error.message, error);
  return compilation;
}

/** A service does not know what a key is for, so the menu keeps that. */
function withPurposes(menu: Menu, before: Menu | undefined): Menu {
  const purposes = new Map(before?.options.map((option) => [option.key, option.for]));
  const options = menu.options.map((option) => {
    const purpose = purposes.get(option.key);
    return Object.assign({}, option, purpose !== undefined && { for: purpose });
  });
  return { ...menu, options };
}
