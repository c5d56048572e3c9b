import { type AgentReference, referenceFields } from "../project/agent-list.ts";
import { compileProject } from "../workspace/compile-project.ts";
import { canonicalKey } from "../project/options.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Menu, withIds } from "../model/menu.ts";
import { changedFields, isSameMenu } from "../model/menu-diff.ts";
import type { Project } from "../workspace/open-project.ts";
import {
  type Edit,
  EditProblem,
  agentEdits,
  insertAfter,
  ownSpan,
  removal,
  textsAfter,
} from "../references/edits.ts";
import { type MapNode, entriesOf, textField } from "../yaml/node.ts";
import { importedFields } from "./menu-text.ts";
import { References } from "../references/shortest-reference.ts";
import { type Value, inline } from "../yaml/new-document.ts";
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
        { key: undefined, menu: wanted, at },
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
    for (const place of places) next = edited(next, { key, file }, place, values.get(place));
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

/** The text with one more value. Without a value, the field is removed. */
function edited(
  text: string,
  { key, file }: { readonly key: string; readonly file: string },
  place: string,
  value: Value | undefined,
): string {
  const source = new Source(file, text);
  const root = readMenus(source, new Diagnostics()).find((menu) => menu.key === key)?.root;
  if (root === undefined) throw new EditProblem(cannot, { file });
  return textsAfter(editsAt(root, place.split("."), value)).get(source) ?? text;
}

function editsAt(
  mapping: MapNode,
  [name = "", ...inner]: readonly string[],
  value: Value | undefined,
): Edit[] {
  const own = entriesOf(mapping).find(({ key }) => canonicalKey(key.text) === name);
  if (own === undefined) {
    const last = entriesOf(mapping).findLast(({ merged }) => !merged);
    if (last === undefined) throw new EditProblem(cannot, mapping);
    const nested = inner.reduceRight(
      (text, key) => `{ ${inline(key)}: ${text} }`,
      inline(value ?? null),
    );
    const written = /^\d+$/.test(name) ? name : inline(name);
    return [insertAfter(last, mapping, [`${written}: ${nested}`])];
  }
  if (inner.length > 0) {
    if (own.value.kind === "map") return editsAt(own.value, inner, value);
    throw new EditProblem(cannot, own.key);
  }
  const { end } = ownSpan(own, mapping);
  if (value === undefined) return [removal(own, mapping, [own])];
  const reference = agentReference(value);
  if (reference && own.value.kind === "map") return agentEdits(own.value, reference);
  const purpose = textField(own.value, "for");
  const kept =
    purpose === undefined || typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.assign({}, value, { for: purpose });
  const { source, start } = own.value;
  return [{ at: source.span(start, end), text: inline(kept) }];
}

function agentReference(value: Value): AgentReference | undefined {
  if (typeof value === "string") return { agent: value };
  if (typeof value !== "object" || value === null) return undefined;
  const isAgent = ([name, text]: readonly [string, unknown]) =>
    typeof text === "string" && referenceFields.some((one) => one === name);
  const fields = Object.entries(value);
  return fields.every(isAgent) ? Object.fromEntries(fields) : undefined;
}
