import { type CompletionItem, CompletionItemKind, CompletionItemTag } from "vscode-languageserver";
import type { LoadedProject } from "../compile/load-project.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { References } from "../import/references.ts";
import { scalar } from "../import/yaml-text.ts";
import { rules } from "../rules/built-in/index.ts";
import { entryOf } from "../diagnostics/texts.ts";
import { type JsonSchema, annotations } from "../schema/json-schema.ts";
import { schemasAt } from "../schema/lookup.ts";
import { entriesOf } from "../yaml/node.ts";
import { type Found, type OpenFile, layersAt, locate, rootsOf } from "./place.ts";

/** A suggestion, and the part of the text that it replaces. */
export interface Suggestion extends CompletionItem {
  /** The text to insert. */
  readonly newText: string;
}

export interface Suggestions {
  readonly replaces: Span;
  readonly items: readonly Suggestion[];
}

/** What can be written at an offset. `recordedKeys` returns the menu keys on record. */
export async function suggest(
  file: OpenFile,
  offset: number,
  recordedKeys: () => Promise<readonly string[]>,
): Promise<Suggestions | undefined> {
  const { source } = file;
  const line = source.text.slice(source.text.lastIndexOf("\n", offset - 1) + 1, offset);
  const typed = (word: string) => source.span(offset - word.length, offset);
  const ignored = /#+[ \t]*ivrctl-ignore:[ \t]*(?:[^\s,]+[ \t]*,[ \t]*)*([\w/-]*)$/.exec(line);
  if (ignored !== null) return { replaces: typed(ignored[1] ?? ""), items: ruleNames(file) };
  const variable = /\{\{[ \t]*([\w-]*)$/.exec(line);
  if (variable !== null) {
    const names = layersAt(file, offset).flatMap(({ values }) => [...values]);
    const items = names.map(([name, { value }]) =>
      item(name, CompletionItemKind.Variable, { detail: value.text }),
    );
    return { replaces: typed(variable[1] ?? ""), items };
  }
  const found = unfinished(source, offset);
  if (found === undefined) return undefined;
  return {
    replaces: source.span(found.scalar.start, found.end),
    items: found.isKey
      ? keys(
          file,
          { ...found, path: found.path.slice(0, -1) },
          /^[ \t]*:/.test(source.text.slice(offset)),
        )
      : [
          ...(found.path.at(-1) === "moved_from"
            ? formerKeys(file, await recordedKeys())
            : values(file, found)),
          ...(mayBeKey(found) ? keys(file, found, false) : []),
        ],
  };
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
): (Found & { readonly end: number }) | undefined {
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  const closing = closingOf(before.slice(before.lastIndexOf("\n") + 1));
  for (const rest of [after, `:${after}`, closing, `:${closing}`]) {
    const roots = rootsOf(new Source(file, before + mark + rest));
    const found = locate(roots, (one) => one.text.includes(mark));
    if (found === undefined) continue;
    const isWhole = rest.endsWith(after);
    return { ...found, end: isWhole ? found.scalar.end - mark.length : offset };
  }
  return undefined;
}

/** The brackets that close those that are open at the end of a line. */
function closingOf(line: string): string {
  const open: string[] = [];
  for (const sign of line.replace(/"[^"]*"|'[^']*'/g, "")) {
    if (sign === "{" || sign === "[") open.unshift(sign === "{" ? "}" : "]");
    else if (sign === open[0]) open.shift();
  }
  const quote = /["'](?=[^"']*$)/.exec(line.replace(/"[^"]*"|'[^']*'/g, ""))?.[0] ?? "";
  return `${quote} ${open.join(" ")}`;
}

/** Whether a word may become the first key of a mapping: it is in a list, or on its own line. */
function mayBeKey({ scalar: { source, start }, path }: Found): boolean {
  const line = source.text.slice(source.text.lastIndexOf("\n", start - 1) + 1, start);
  return typeof path.at(-1) === "number" || line.trim() === "";
}

function keys({ subject }: OpenFile, { path, nodes }: Found, hasColon: boolean): Suggestion[] {
  const schemas = schemasAt(subject, path);
  const used = new Set(entriesOf(nodes[path.length]).map(({ key }) => key.text));
  const fields = schemas.flatMap(({ properties = {} }) => Object.keys(properties));
  const phoneKeys = path.at(-1) === "options" ? [..."1234567890*#"] : [];
  return [...new Set([...fields, ...phoneKeys])]
    .filter((name) => !used.has(name))
    .map((name, order) => {
      const inner = schemasAt(subject, [...path, name]);
      const isScalar = inner.some(({ type }) => type === "string" || type === "boolean");
      const written = /^[\w-]+$/.test(name) ? name : `"${name}"`;
      return {
        ...item(name, CompletionItemKind.Field, documented(inner)),
        sortText: String(order).padStart(3, "0"),
        newText: hasColon ? written : `${written}:${isScalar ? " " : ""}`,
      };
    });
}

function documented(schemas: readonly JsonSchema[]) {
  const { description } = annotations(schemas.find((one) => one.description) ?? {});
  return description === undefined ? {} : { documentation: description };
}

/** The keys on record that no menu has any more. */
function formerKeys({ project }: OpenFile, recorded: readonly string[]): Suggestion[] {
  const keys = new Set(project.menus.map(({ key }) => key));
  const former = recorded.filter((key) => !keys.has(key));
  return former.map((key) => item(key, CompletionItemKind.Reference));
}

function values({ project, subject }: OpenFile, found: Found): Suggestion[] {
  const { agents, environment } = project;
  const field = found.path.at(-1);
  if (field === "menu" || field === "in") {
    return project.menus.flatMap(({ key, name }) =>
      key === undefined
        ? []
        : item(key, CompletionItemKind.Reference, { detail: name?.value ?? "" }),
    );
  }
  const schemas = schemasAt(subject, found.path);
  const words = schemas.flatMap((schema) =>
    schema.type === "boolean" ? ["true", "false"] : (schema.enum ?? []),
  );
  const kinds = new Set(schemas.map(({ completes }) => completes));
  const named = (field: "team" | "department") =>
    agents?.values(field).map((name) => item(name, CompletionItemKind.Value)) ?? [];
  return [
    ...words.map((word) => ({
      ...item(String(word), CompletionItemKind.EnumMember),
      newText: String(word),
    })),
    ...(kinds.has("agent") ? agentsFor(project, field === "agent") : []),
    ...(kinds.has("team") ? named("team") : []),
    ...(kinds.has("department") ? named("department") : []),
    ...(kinds.has("recording")
      ? [...(environment?.recordings ?? [])].map(([alias, { says }]) =>
          item(alias, CompletionItemKind.Value, { detail: says?.value ?? "" }),
        )
      : []),
    ...(kinds.has("sms_template")
      ? [...(environment?.smsTemplates.keys() ?? [])].map((alias) =>
          item(alias, CompletionItemKind.Value),
        )
      : []),
  ];
}

/** The agents. If several have the same name, each gets the fields that distinguish it. */
function agentsFor({ agents, environment }: LoadedProject, isName: boolean): Suggestion[] {
  const list = agents?.list ?? [];
  const references = environment && new References(agents, environment);
  return list.map(({ name, eid, team, intercom, blocked }) => {
    const details = [
      team ?? [],
      intercom === null ? [] : `intercom ${intercom}`,
      blocked ? "blocked" : [],
    ];
    const isAmbiguous = !isName && (agents?.with("agent", name).length ?? 0) > 1;
    const reference = isAmbiguous && eid !== null ? references?.agent(eid).value : undefined;
    return {
      ...item(name, CompletionItemKind.Value, { detail: details.flat().join(", ") }),
      ...(reference === undefined ? {} : { newText: reference }),
      ...(blocked ? { tags: [CompletionItemTag.Deprecated], sortText: `~${name}` } : {}),
    };
  });
}

function ruleNames({ project }: OpenFile): Suggestion[] {
  const custom = project.opened.plugins.rules.map(({ name }) =>
    item(name, CompletionItemKind.Value),
  );
  const builtIn = rules.map(({ name, code }) =>
    item(name, CompletionItemKind.Value, { detail: entryOf(code).title }),
  );
  return [...builtIn, ...custom];
}

function item(
  label: string,
  kind: CompletionItemKind,
  more: Partial<CompletionItem> = {},
): Suggestion {
  return { label, kind, newText: scalar(label), ...more };
}
