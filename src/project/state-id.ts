import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import {
  type MapNode,
  type Node,
  entriesOf,
  entry,
  field,
  isNull,
  textField,
} from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/**
 * Returns the text of ivrctl.yaml with the id of the state of an environment. Everything else stays as
 * it is written. Undefined if the place for it is not a mapping of that environment alone.
 */
export function withStateId(source: Source, environment: string, id: string): string | undefined {
  const environments = environmentsIn(source);
  const chosen = field(environments, environment);
  if (chosen?.kind !== "map") return undefined;
  const text = changed(source.text, chosen, id);
  const after = text === undefined ? undefined : environmentsIn(new Source(source.file, text));
  const isRight = entriesOf(environments).every(({ key: { text: name }, value }) => {
    const now = stateIdIn(field(after, name));
    return now === (name === environment ? id : stateIdIn(value));
  });
  return isRight ? text : undefined;
}

function environmentsIn(source: Source): Node | undefined {
  return field(readYaml(source, new Diagnostics())[0]?.root, "environments");
}

function stateIdIn(environment: Node | undefined): string | undefined {
  return textField(field(environment, "state"), "id");
}

function changed(text: string, environment: MapNode, id: string): string | undefined {
  const state = entry(environment, "state");
  if (state === undefined) return withLast(text, environment, `state: { id: ${id} }`);
  if (isNull(state.value)) {
    const after = text.indexOf(":", state.key.end) + 1;
    return `${text.slice(0, after)} { id: ${id} }${text.slice(after)}`;
  }
  if (state.value.kind !== "map") return undefined;
  const old = field(state.value, "id");
  return old === undefined
    ? withFirst(text, state.value, `id: ${id}`)
    : text.slice(0, old.start) + id + text.slice(old.end);
}

function withFirst(text: string, { start, entries }: MapNode, line: string): string {
  if (text[start] === "{") return inBraces(text, start, line);
  const at = entries[0]?.key.start ?? start;
  return `${text.slice(0, at)}${line}${newline(text)}${indentAt(text, at)}${text.slice(at)}`;
}

function withLast(text: string, { start, end, entries }: MapNode, line: string): string {
  if (text[start] === "{") return inBraces(text, start, line);
  const indent = indentAt(text, entries[0]?.key.start ?? start);
  const last = text.slice(0, end).trimEnd().length;
  const at = last + text.slice(last).search(/\r?\n|$/);
  return `${text.slice(0, at)}${newline(text)}${indent}${line}${text.slice(at)}`;
}

function inBraces(text: string, start: number, field: string): string {
  const rest = text.slice(start + 1);
  const more = /^\s*\}/.test(rest) ? " " : ",";
  return `${text.slice(0, start + 1)} ${field}${more}${/^\s/.test(rest) || more === " " ? "" : " "}${rest}`;
}

function newline(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function indentAt(text: string, at: number): string {
  return " ".repeat(at - (text.lastIndexOf("\n", at - 1) + 1));
}
