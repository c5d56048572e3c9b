import type { Span } from "../diagnostics/source.ts";
import { inline, quoted } from "../yaml/new-document.ts";
import { extensionPattern } from "../schema/field-types.ts";
import { menuFieldNames } from "../schema/menu.ts";
import {
  type MapEntry,
  type MapNode,
  type Node,
  type ScalarNode,
  isNull,
  mapEntries,
  toPlain,
} from "../yaml/node.ts";
import { valueJson } from "./menu-json.ts";
import { type Page, visible } from "./terminal.ts";

interface ShownMenu {
  readonly key: string;
  /** Null if there is no such menu. */
  readonly file: string | null;
  readonly menu: MapNode | undefined;
  /** Whether to show where each value comes from. */
  readonly origins: boolean;
}

/** A menu as JSON: as its file has it, but the options are a list, which keeps their order. */
export function shownMenuJson({ key, file, menu, origins }: ShownMenu): object {
  const ordered = menu && mapEntries(inSchemaOrder(menu), optionList);
  const content = ordered && {
    menu: nodeJson(ordered),
    ...(origins && { origins: placesIn(ordered) }),
  };
  return { key, file, ...content };
}

/** `1: Asha Rao` as `{ key: 1, agent: Asha Rao }`. */
function optionList({ key: { text }, value: options }: MapEntry): Node {
  if (text !== "options" || options.kind !== "map") return options;
  const items = options.entries.map(({ key, value }): MapNode => {
    const named = (name: string, of: Node) => ({
      key: { ...key, text: name },
      value: of,
      merged: false,
    });
    const fields = value.kind === "map" ? value.entries : [named("agent", value)];
    return { ...options, entries: [named("key", key), ...fields] };
  });
  return { ...options, kind: "list", items };
}

function nodeJson(node: Node, path: readonly string[] = []): unknown {
  switch (node.kind) {
    case "scalar":
      return valueJson(path.join("."), toPlain(node));
    case "list":
      return node.items.map((item) => nodeJson(item, [...path, "*"]));
    case "map":
      return Object.fromEntries(
        node.entries.map(({ key, value }) => [key.text, nodeJson(value, [...path, key.text])]),
      );
  }
}

/** A menu as YAML. Empty if there is none. */
export function shownMenuText({ menu, origins }: ShownMenu, { path }: Page): string {
  if (menu === undefined) return "";
  const lines = menuLines(inSchemaOrder(menu), origins ? path : undefined);
  return lines.map((line) => `${line}\n`).join("");
}

/** The lines of a menu or a part of it. With `pathOf`, each value has a comment with its places. */
export function menuLines(menu: MapNode, pathOf?: (file: string) => string): string[] {
  const lines = mapLines(menu, "");
  const width = Math.min(Math.max(...lines.map(({ text }) => text.length)), maxAligned);
  return lines.map(({ text, value }) => {
    if (pathOf === undefined || value === undefined) return visible(text);
    const places = originsOf(value).map(({ file, line }) => `${pathOf(file)}:${line}`);
    return visible(`${text.padEnd(width)}  # ${places.join(", ")}`);
  });
}

/** Comments are aligned up to this column. */
const maxAligned = 60;

/** The fields in the order of the schema. Fields that ivrctl ignores are left out. */
export function inSchemaOrder(menu: MapNode): MapNode {
  const place = (name: string) => menuFieldNames.indexOf(name);
  const entries = menu.entries
    .filter(
      ({ key, value }) => key.text !== "vars" && !extensionPattern.test(key.text) && !isNull(value),
    )
    .sort((a, b) => place(a.key.text) - place(b.key.text));
  return { ...menu, entries };
}

interface Line {
  readonly text: string;
  readonly value?: ScalarNode;
}

function mapLines(map: MapNode, indent: string): Line[] {
  return map.entries.flatMap(({ key, value }) => {
    const name = /^[A-Za-z0-9_][\w.-]*$/.test(key.text) ? key.text : quoted(key.text);
    return below(`${indent}${name}:`, value, indent);
  });
}

/** A value after its key or dash, on the same line or below it. */
function below(head: string, value: Node, indent: string): Line[] {
  if (value.kind === "scalar") return [{ text: `${head} ${textOf(value)}`, value }];
  const children =
    value.kind === "map"
      ? mapLines(value, `${indent}  `)
      : value.items.flatMap((item) => itemLines(item, `${indent}  `));
  return children.length === 0
    ? [{ text: `${head} ${value.kind === "map" ? "{}" : "[]"}` }]
    : [{ text: head }, ...children];
}

function itemLines(item: Node, indent: string): Line[] {
  if (item.kind !== "map") return below(`${indent}-`, item, indent);
  const [first, ...others] = mapLines(item, `${indent}  `);
  return first === undefined
    ? [{ text: `${indent}- {}` }]
    : [{ ...first, text: `${indent}- ${first.text.trimStart()}` }, ...others];
}

function textOf(node: ScalarNode): string {
  // A value with a variable that is not set is shown as written.
  if (node.unusable === "variable") return quoted(node.text);
  return node.plain && /^(?:[0-9]+|true|false)$/.test(node.text) ? node.text : inline(node.text);
}

/** The places of a value: that of its text, then those of its variables. */
function originsOf(value: ScalarNode) {
  const spans: readonly Span[] = value.via?.map(({ at }) => at) ?? [value];
  return spans.map(({ source, start }) => {
    const { line, column } = source.position(start);
    return { file: source.file, line, column };
  });
}

/** Every value by its path, with its places. */
function placesIn(node: Node, path: readonly (string | number)[] = []): object[] {
  if (node.kind === "scalar") return [{ path, places: originsOf(node) }];
  return node.kind === "list"
    ? node.items.flatMap((item, at) => placesIn(item, [...path, at]))
    : node.entries.flatMap(({ key, value }) => placesIn(value, [...path, key.text]));
}
