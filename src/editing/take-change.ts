import { compileProject } from "../workspace/compile-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Menu, withIds } from "../model/menu.ts";
import { changedFields, isSameMenu } from "../model/menu-diff.ts";
import type { Project } from "../workspace/open-project.ts";
import { EditProblem } from "../references/edits.ts";
import { importedFields } from "../import/menu-text.ts";
import { References } from "../references/shortest-reference.ts";
import { put, textAfter } from "./put.ts";
import { type MapNode, nodeAt } from "../yaml/node.ts";
import type { Agents } from "../project/agent-list.ts";

interface Target {
  readonly project: Project;
  readonly agents: Agents;
  /** The id of a menu of the project. */
  readonly idOf: (key: string) => string | undefined;
}

/** More rounds would change nothing: the second removes defaults that the first uncovers. */
const mostRounds = 3;

/**
 * The text of a menu's file with the content that the menu has on the service. Fields from defaults
 * become fields of the menu. Throws an `EditProblem` if it cannot be written without changing others.
 */
export function takeChange(
  { key, file, text }: { readonly key: string; readonly file: string; readonly text: string },
  wanted: Menu,
  { project, agents, idOf }: Target,
): string {
  const { environment } = project;
  const compile = (changed: string) => {
    const menus = project.menus.map((one) => (one.file === file ? new Source(file, changed) : one));
    return compileProject(project, { agents, menus, lint: false });
  };
  const contents = ({ compiled }: ReturnType<typeof compile>) =>
    new Map([...compiled.values()].map((menu) => [menu.key, withIds(menu.content, idOf)]));
  const before = contents(compile(text));
  const found = new Diagnostics();
  const source = new Source(file, text);
  const at = () => source.top();
  const fields = environment
    ? importedFields(
        { key: undefined, menu: withPurposes(wanted, before.get(key)), at },
        new References(agents, environment),
        found,
      )
    : [];
  const values = new Map(fields.map(({ path, value }) => [path.join("."), value]));
  let next = text;
  for (let round = 0; round < mostRounds; round++) {
    const now = compile(next);
    const content = contents(now).get(key);
    const error = now.diagnostics.sorted().find(({ severity }) => severity === "error");
    if (content === undefined) throw new EditProblem(error?.message ?? cannot, { file });
    const paths = changedFields(content, wanted).map(({ path }) => path.split("."));
    const places = new Set(
      paths.map((path) => path.slice(0, path[0] === "options" ? 2 : path.length).join(".")),
    );
    if (places.size === 0) break;
    for (const place of places) {
      const value = values.get(place);
      const path = place.split(".");
      // Without an entry of its own, the menu has the key from its defaults.
      const hidden = (root: MapNode) => (nodeAt(root, path) === undefined ? null : undefined);
      next = textAfter(next, { key, file }, (root) => put(root, path, value ?? hidden(root)));
    }
  }
  const after = contents(compile(next));
  const isDone = (one: string, menu: Menu | undefined, to: Menu | undefined) => {
    if (menu && to && isSameMenu(menu, to)) return;
    const message = one === key ? cannot : `With this edit, ${one} would change too.`;
    throw new EditProblem(message, { file });
  };
  for (const [one, menu] of before) isDone(one, after.get(one), one === key ? wanted : menu);
  return next;
}

const cannot = "ivrctl cannot write what the console has into this file.";

/** A service does not know what a key is for, so the menu keeps that. */
function withPurposes(menu: Menu, before: Menu | undefined): Menu {
  const purposes = new Map(before?.options.map((option) => [option.key, option.for]));
  const options = menu.options.map((option) => {
    const purpose = purposes.get(option.key);
    return Object.assign({}, option, purpose !== undefined && { for: purpose });
  });
  return { ...menu, options };
}
