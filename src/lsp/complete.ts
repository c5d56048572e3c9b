import { type CompletionItem, CompletionItemKind, CompletionItemTag } from "vscode-languageserver";
import { aboutAgent } from "../compile/agent-problems.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { codeEntry } from "../rules/explanations.ts";
import { References } from "../references/shortest-reference.ts";
import { inline } from "../yaml/new-document.ts";
import { betweenFields } from "../references/edits.ts";
import { rules } from "../rules/built-in/index.ts";
import type { Completion } from "../schema/field-types.ts";
import { schemasAt } from "../workspace/file-schemas.ts";
import { secrets } from "../util/secrets.ts";
import { visible } from "../util/visible.ts";
import { entriesOf, nodeAt } from "../yaml/node.ts";
import { rangeIn } from "./convert.ts";
import { type FoundScalar, type OpenFile, varsAt, locate } from "./place.ts";

const { EnumMember, Field, Reference, Value, Variable } = CompletionItemKind;

/** What can be written at an offset. */
export function completions(file: OpenFile, offset: number): CompletionItem[] | undefined {
  const suggestions = suggestionsAt(file, offset);
  if (suggestions === undefined) return undefined;
  const { replaces, items } = suggestions;
  const range = rangeIn(replaces);
  // Editors compare this with what is written, which may begin with a quote.
  const [quote = ""] = /^["']/.exec(file.source.text.slice(replaces.start, offset)) ?? [];
  return items.map(({ newText, ...item }) =>
    Object.assign(item, { filterText: quote + item.label, textEdit: { range, newText } }),
  );
}

/** A suggestion with the text to insert. */
interface Suggestion extends CompletionItem {
  readonly newText: string;
}

interface Suggestions {
  /** The part of the text that a suggestion replaces. */
  readonly replaces: Span;
  readonly items: readonly Suggestion[];
}

function suggestionsAt(file: OpenFile, offset: number): Suggestions | undefined {
  const { source } = file;
  const line = source.text.slice(source.text.lastIndexOf("\n", offset - 1) + 1, offset);
  const typed = (word = "") => source.span(offset - word.length, offset);
  const ignored = /#+[ \t]*ivrctl-ignore:[ \t]*(?:[^\s,]+[ \t]*,[ \t]*)*([\w/-]*)$/.exec(line);
  if (ignored !== null) return { replaces: typed(ignored[1]), items: ruleNames(file) };
  const variable = /\{\{[ \t]*([\w-]*)$/.exec(line);
  if (variable !== null) {
    const vars = varsAt(file, offset);
    const items = (vars?.names ?? []).map((name) =>
      item(name, Variable, { detail: vars?.find(name)?.value.text ?? "" }),
    );
    return { replaces: typed(variable[1]), items };
  }
  const place = unfinished(source, offset);
  if (place === undefined) return undefined;
  const replaces = source.span(place.scalar.start, place.end);
  if (place.isKey) {
    const hasColon = /^[ \t]*:/.test(source.text.slice(place.end));
    return { replaces, items: keys(file, { ...place, path: place.path.slice(0, -1) }, hasColon) };
  }
  const fields = mayBeKey(place) ? keys(file, place, false) : [];
  return { replaces, items: [...values(file, place), ...fields] };
}

/** A character that no menu contains. It marks the place of the cursor. */
const mark = "\uE000";

/**
 * The scalar at the cursor. The text is usually invalid while someone types, so this tries it with a
 * colon, which makes a word a key, and without everything after the cursor.
 */
function unfinished(
  { file, text }: Source,
  offset: number,
): (FoundScalar & { readonly end: number }) | undefined {
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  const closing = closingOf(before.slice(before.lastIndexOf("\n") + 1));
  for (const rest of [after, `:${after}`, closing, `:${closing}`]) {
    const place = locate(new Source(file, before + mark + rest), (scalar) =>
      scalar.text.includes(mark),
    );
    if (place === undefined) continue;
    const isWhole = rest.endsWith(after);
    return { ...place, end: isWhole ? place.scalar.end - mark.length : offset };
  }
  return undefined;
}

/** The quote and the brackets that close those that are open at the end of a line. */
function closingOf(line: string): string {
  const open: string[] = [];
  const unquoted = line.replaceAll(/"[^"]*"|'[^']*'/g, "");
  for (const sign of unquoted) {
    if (sign === "{" || sign === "[") open.unshift(sign === "{" ? "}" : "]");
    else if (sign === open[0]) open.shift();
  }
  const quote = /["'](?=[^"']*$)/.exec(unquoted)?.[0] ?? "";
  return `${quote} ${open.join(" ")}`;
}

/** Whether a word may become the first key of a mapping: it is in a list, or on its own line. */
function mayBeKey({ scalar: { source, start }, path }: FoundScalar): boolean {
  const line = source.text.slice(source.text.lastIndexOf("\n", start - 1) + 1, start);
  return typeof path.at(-1) === "number" || line.trim() === "";
}

/** The fields of a menu that people write first, in this order. */
const menuFields = ["name", "description", "recording", "options", "invalid", "timeout", "owner"];

function keys({ subject }: OpenFile, { path, root }: FoundScalar, hasColon: boolean): Suggestion[] {
  const used = new Set(entriesOf(nodeAt(root, path)).map(({ key }) => key.text));
  const fields = schemasAt(subject, path).flatMap((schema) => schema.fields);
  const phoneKeys = path.at(-1) === "options" ? "1234567890*#".split("") : [];
  const first = path.length === 0 ? menuFields.filter((name) => fields.includes(name)) : [];
  return [...new Set([...first, ...fields, ...phoneKeys])]
    .filter((name) => !used.has(name))
    .map((name, order) => {
      const schemas = schemasAt(subject, [...path, name]);
      const { description = "" } = schemas.find((schema) => schema.description) ?? {};
      const isScalar = schemas.some((schema) => schema.isScalar);
      const written = /^[\w-]+$/.test(name) ? name : `"${name}"`;
      return item(name, Field, {
        documentation: description,
        sortText: String(order).padStart(3, "0"),
        newText: hasColon ? written : `${written}:${isScalar ? " " : ""}`,
      });
    });
}

function values({ project, subject }: OpenFile, place: FoundScalar): Suggestion[] {
  const { path } = place;
  const { agents, environment } = project;
  const field = path.at(-1);
  if (field === "menu" || field === "in") {
    return project.menus.flatMap(({ key, name }) =>
      key === undefined ? [] : item(key, Reference, { detail: name?.value ?? "" }),
    );
  }
  const plain = (names: Iterable<string> = []) => Array.from(names, (name) => item(name, Value));
  const offers: Record<Completion, () => Suggestion[]> = {
    agent: () => agentsFor(project, field === "agent" ? place : undefined),
    team: () => plain(agents?.values("team")),
    department: () => plain(agents?.values("department")),
    recording: () =>
      Array.from(environment?.recordings ?? [], ([alias, { says }]) =>
        item(alias, Value, { detail: says?.value ?? "" }),
      ),
    sms_template: () => plain(environment?.smsTemplates.keys()),
    destination: () =>
      Array.from(environment?.destinations ?? [], ([alias, { kind, id }]) =>
        item(alias, Value, { detail: `${kind} ${id}` }),
      ),
  };
  return schemasAt(subject, path).flatMap(({ completes, words }) =>
    completes === undefined
      ? words.map((word) => item(word, EnumMember, { newText: word }))
      : offers[completes](),
  );
}

/**
 * The agents. If several have the same name, each shows and gets the fields that distinguish it. In the
 * field `agent`, which `named` is, these are more fields of the mapping.
 */
function agentsFor({ agents, environment }: LoadedProject, named?: FoundScalar): Suggestion[] {
  const references = environment && new References(agents, environment);
  const mapping = named && nodeAt(named.root, named.path.slice(0, -1));
  const written = new Set(entriesOf(mapping).map(({ key }) => key.text));
  return (agents?.list ?? []).map((agent) => {
    const { name, eid, blocked } = agent;
    const isAmbiguous = (agents?.with("agent", name).length ?? 0) > 1;
    const reference = isAmbiguous && eid !== null ? references?.agent(eid).value : undefined;
    const fields = typeof reference === "object" ? Object.entries(reference) : [];
    const rest = fields.filter(([field]) => field !== "agent");
    const text = ([field, value]: (typeof rest)[number]) => `${field}: ${inline(value)}`;
    const added = rest.filter(([field]) => !written.has(field)).map(text);
    return item(name, Value, {
      detail: aboutAgent(agent),
      // Many editors show the detail of the selected suggestion only.
      labelDetails: { description: visible(rest.map(text).join(", ")) },
      newText: mapping
        ? [inline(name), ...added].join(betweenFields(mapping))
        : inline(reference ?? name),
      ...(blocked ? { tags: [CompletionItemTag.Deprecated], sortText: `~${name}` } : {}),
    });
  });
}

function ruleNames({ project }: OpenFile): Suggestion[] {
  return [
    ...rules.map(({ name, code }) => item(name, Value, { detail: codeEntry(code).title })),
    ...project.opened.plugins.rules.map(({ name }) => item(name, Value)),
  ];
}

/** A suggestion. Names come from outside, so the editor shows them without control characters. */
function item(
  name: string,
  kind: CompletionItemKind,
  details: Partial<Suggestion> = {},
): Suggestion {
  const { detail = "", ...others } = details;
  const words = { label: visible(name), detail: secrets.mask(visible(detail)) };
  return { ...words, kind, newText: inline(name), ...others };
}
