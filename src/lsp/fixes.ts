import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { canonicalKey } from "../compile/options.ts";
import {
  type MapNode,
  type Node,
  type ScalarNode,
  entriesOf,
  field,
  itemsOf,
  sameTrees,
} from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/** The correction of a place in a file that has only one correct form. */
export interface Fix {
  readonly at: Span;
  readonly before: string;
  readonly after: string;
}

interface Fixed {
  readonly text: string;
  /** In the order of the file. */
  readonly fixes: readonly Fix[];
}

/**
 * The text of a file with its corrections, and all other characters unchanged. Undefined if there
 * is nothing to correct, or if the result might have other values.
 */
export function fixed(source: Source, kind: "menu" | "config"): Fixed | undefined {
  const documents = readYaml(source, new Diagnostics());
  // A value that YAML aliases repeat is corrected once, at its anchor.
  const byStart = new Map<number, Fix>();
  for (const { root } of documents) {
    if (root?.kind !== "map") continue;
    const replacements = kind === "menu" ? inMenu(root) : inConfig(root);
    for (const { node, after } of replacements) {
      const at = source.span(node.start, node.end);
      const before = source.text.slice(at.start, at.end);
      if (before !== after) byStart.set(at.start, { at, before, after });
    }
  }
  const fixes = [...byStart.values()].sort((a, b) => a.at.start - b.at.start);
  if (fixes.length === 0) return undefined;
  const text = edited(source.text, fixes);
  const again = readYaml(new Source(source.file, text), new Diagnostics());
  const same =
    documents.length === again.length &&
    documents.every(({ root, broken }, index) => {
      const other = again[index];
      return broken === other?.broken && sameTrees(root, other.root, sameScalars);
    });
  return same ? { text, fixes } : undefined;
}

function edited(text: string, fixes: readonly Fix[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, after } of fixes) {
    parts.push(text.slice(from, at.start), after);
    from = at.end;
  }
  return parts.join("") + text.slice(from);
}

/** Compares the texts of two scalars, with or without quotes. */
function sameScalars(before: ScalarNode, after: ScalarNode, isKey: boolean): boolean {
  return isKey
    ? canonicalKey(before.text) === canonicalKey(after.text)
    : before.text === after.text;
}

interface Replacement {
  readonly node: Node;
  readonly after: string;
}

function inConfig(root: MapNode): Replacement[] {
  const defaults = field(root, "defaults");
  const layers = [root, ...entriesOf(field(root, "environments")).map(({ value }) => value)];
  const aliases = layers.flatMap((layer) =>
    ["recordings", "sms_templates"].flatMap((name) => entriesOf(field(layer, name))),
  );
  return [
    ...(defaults === undefined ? [] : inMenu(defaults)),
    ...quoted(aliases.map(({ value }) => idIn(value))),
  ];
}

function inMenu(menu: Node): Replacement[] {
  const [invalid, timeout] = [field(menu, "invalid"), field(menu, "timeout")];
  const options = entriesOf(field(menu, "options")).map(({ value }) => value);
  const tests = itemsOf(field(menu, "tests"));
  const references = [
    ...options,
    field(invalid, "destination"),
    field(timeout, "destination"),
    ...tests.map((test) => field(test, "reaches")),
  ];
  return [
    ...optionKeys(menu),
    ...quoted([
      field(menu, "id"),
      ...references.flatMap((node) => ["intercom", "eid", "id"].map((mark) => field(node, mark))),
      ...options.map((option) => idIn(field(option, "sms"))),
      idIn(field(menu, "recording")),
      idIn(field(invalid, "recording")),
      idIn(field(timeout, "retry_recording")),
      idIn(field(timeout, "recording")),
      idIn(field(field(menu, "extra"), "recording_invalid")),
      ...tests.flatMap((test) => itemsOf(field(test, "hears")).map(idIn)),
    ]),
  ];
}

/** The option keys that are sent in another spelling, or that YAML reads as an alias. */
function optionKeys(menu: Node): Replacement[] {
  const entries = entriesOf(field(menu, "options"));
  const names = entries.map(({ key }) => canonicalKey(key.text));
  return entries.flatMap(({ key }, index) => {
    const name = names[index] ?? "";
    const isCanonical = name === key.text && !(key.plain && name === "*");
    // If two options have the same key, the user must choose.
    return isCanonical || names.indexOf(name) !== names.lastIndexOf(name)
      ? []
      : [{ node: key, after: `"${name}"` }];
  });
}

/** Ids that other YAML parsers read as numbers or dates. */
const numberLike = /^[-+.]?[0-9][0-9A-Fa-fxob_+.:-]*$/;

function quoted(ids: readonly (Node | undefined)[]): Replacement[] {
  return ids.flatMap((node) =>
    node?.kind === "scalar" && node.plain && numberLike.test(node.text)
      ? [{ node, after: `"${node.text}"` }]
      : [],
  );
}

/** The node itself or, if it is a mapping, its `id`. */
function idIn(node: Node | undefined): Node | undefined {
  return node?.kind === "map" ? field(node, "id") : node;
}
