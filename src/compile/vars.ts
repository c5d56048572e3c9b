import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Origin, Source, Span } from "../diagnostics/source.ts";
import { extensionPattern } from "../schema/common.ts";
import { varName } from "../schema/vars.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import {
  type Entry,
  type MapNode,
  type Node,
  type ScalarNode,
  entriesOf,
  field,
  isNull,
  isUnresolvedAlias,
} from "../yaml/node.ts";

/** The variables of one menu, folder, environment or project. */
export interface VarLayer {
  /** The file whose texts belong to this layer. Undefined for an environment, which has no texts. */
  readonly source: Source | undefined;
  readonly values: ReadonlyMap<string, Variable>;
}

interface Variable {
  readonly key: Span;
  readonly value: ScalarNode;
}

/** `{{{{`, `{{name}}`, or `{{` without a name. */
const template = /\{\{\{\{|\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}|\{\{/g;

export function hasTemplate(text: string): boolean {
  return text.includes("{{");
}

/** Reads the field `vars` of a mapping. The schema has reported invalid names and values. */
export function readVars(
  owner: Node | undefined,
  source: Source | undefined,
  diagnostics: Diagnostics,
): VarLayer {
  const values = new Map<string, Variable>();
  for (const { key, value } of entriesOf(field(owner, "vars"))) {
    if (value.kind !== "scalar" || isNull(value) || !varName.test(key.text)) continue;
    const uses = [...value.text.matchAll(template)].some(([written]) => written !== "{{{{");
    if (uses) {
      diagnostics.add(
        "IVR218",
        value,
        `The variable \`${key.text}\` uses another variable.`,
        "Write the text itself. To write `{{` as text, write `{{{{`.",
      );
    }
    const text = value.text.replaceAll("{{{{", "{{");
    values.set(key.text, { key, value: text === value.text ? value : { ...value, text } });
  }
  return { source, values };
}

/** Warns about the variables of a layer that are not used. */
export function reportUnused(
  { values }: VarLayer,
  used: ReadonlySet<string>,
  diagnostics: Diagnostics,
): void {
  for (const [name, { key }] of values) {
    if (used.has(name)) continue;
    diagnostics.add(
      "IVR219",
      key,
      `Nothing uses the variable \`${name}\`.`,
      didYouMean(nearest(name, used).filter((other) => !values.has(other))) ??
        `Remove it, or write \`{{${name}}}\` in a text.`,
    );
  }
}

interface Substitution<T extends Node> {
  readonly tree: T;
  /** The values with a variable that is not set. */
  readonly unset: ReadonlySet<Node>;
  /** The names of all variables in the tree. */
  readonly used: ReadonlySet<string>;
}

/** What the replacement of variables finds out. */
interface Findings {
  readonly unset: Set<Node>;
  readonly used: Set<string>;
  readonly diagnostics: Diagnostics;
}

/** The variables that a menu can use. */
export class Vars {
  /** The most specific layer first. */
  readonly layers: readonly VarLayer[];
  /** The menu, for messages: its key and its file. */
  readonly #menu: { readonly name: string; readonly file: string };
  /** Whether all layers are known. If not, a variable that is not set is not reported. */
  readonly #complete: boolean;

  constructor(
    layers: readonly VarLayer[],
    menu: { readonly name: string; readonly file: string },
    complete: boolean,
  ) {
    this.layers = layers;
    this.#menu = menu;
    this.#complete = complete;
  }

  /** Replaces `{{name}}` in every value of a menu or test file, except in its key and variables. */
  fill(tree: MapNode, diagnostics: Diagnostics): Substitution<MapNode> {
    const findings = { unset: new Set<Node>(), used: new Set<string>(), diagnostics };
    const entries = changed(tree.entries, (own) =>
      literal.has(own.key.text) || extensionPattern.test(own.key.text)
        ? own
        : this.#entry(own, findings),
    );
    const { unset, used } = findings;
    return { tree: entries === tree.entries ? tree : { ...tree, entries }, unset, used };
  }

  /** The most specific variable with a name. */
  find(name: string): { readonly variable: Variable; readonly rank: number } | undefined {
    for (const [rank, { values }] of this.layers.entries()) {
      const variable = values.get(name);
      if (variable !== undefined) return { variable, rank };
    }
    return undefined;
  }

  #entry(own: Entry, findings: Findings): Entry {
    if (hasTemplate(own.key.text)) {
      findings.diagnostics.add(
        "IVR218",
        own.key,
        `The key \`${shorten(own.key.text)}\` contains a variable.`,
        "Write the key itself. Only values can contain variables.",
      );
    }
    const value = this.#node(own.value, findings);
    return value === own.value ? own : { ...own, value };
  }

  #node(node: Node, findings: Findings): Node {
    if (node.kind === "scalar") {
      const isTemplate = hasTemplate(node.text) && !isUnresolvedAlias(node);
      return isTemplate ? this.#scalar(node, findings) : node;
    }
    if (node.kind === "list") {
      const items = changed(node.items, (item) => this.#node(item, findings));
      return items === node.items ? node : { ...node, items };
    }
    const entries = changed(node.entries, (own) => this.#entry(own, findings));
    return entries === node.entries ? node : { ...node, entries };
  }

  /**
   * A text with its variables replaced. Its place is the more specific of the text and its variables:
   * a wrong value of one menu is reported in that menu, and a wrong text of a folder in the folder.
   */
  #scalar(node: ScalarNode, { unset, used, diagnostics }: Findings): ScalarNode {
    let [place, rank, at]: [Span, number, number] = [node, this.#rankOf(node.source), -1];
    let failed = false;
    const origins: Origin[] = [{ variable: undefined, at: node }];
    const text = node.text.replace(template, (written: string, name: string | undefined) => {
      at += 1;
      if (written === "{{{{") return "{{";
      if (name !== undefined) used.add(name);
      const found = name === undefined ? undefined : this.find(name);
      if (found === undefined) {
        failed = true;
        this.#report(partOf(node, at, written), name, diagnostics);
        return written;
      }
      const { value } = found.variable;
      origins.push({ variable: name, at: value });
      if (found.rank < rank) [place, rank] = [value, found.rank];
      return value.text;
    });
    const { source, start, end } = place;
    const filled = { ...node, source, start, end, text, plain: false, via: origins };
    if (failed) unset.add(filled);
    return filled;
  }

  #rankOf(source: Source): number {
    // A test file belongs to its menu.
    return Math.max(
      this.layers.findIndex((layer) => layer.source === source),
      0,
    );
  }

  #report(at: Span, name: string | undefined, diagnostics: Diagnostics): void {
    if (name === undefined) {
      diagnostics.add(
        "IVR217",
        at,
        "`{{` must be followed by the name of a variable and `}}`.",
        "Write `{{name}}` with letters, digits, `_` and `-`. To write `{{` as text, write `{{{{`.",
      );
    } else if (this.#complete) {
      const { name: menu, file } = this.#menu;
      const [similar] = nearest(name, this.layers[0]?.values.keys() ?? []);
      const known = new Set(this.layers.flatMap(({ values }) => [...values.keys()]));
      diagnostics.add(
        "IVR217",
        at,
        `The menu \`${menu}\` has no variable \`${name}\`.`,
        similar !== undefined && at.source.file !== file
          ? `Rename the variable \`${similar}\` in ${file}, or correct the text.`
          : (didYouMean(nearest(name, known)) ?? `Add \`vars: { ${name}: … }\` to ${file}.`),
      );
    }
  }
}

/** Fields of a menu in which `{{` has no meaning. */
const literal: ReadonlySet<string> = new Set(["id", "moved_from", "menu", "vars"]);

/** The items with a change; the same array if nothing changes. */
function changed<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let result: T[] | undefined;
  for (const [at, item] of items.entries()) {
    const now = change(item);
    if (now !== item) result ??= items.slice(0, at);
    result?.push(now);
  }
  return result ?? items;
}

/** The place of a variable in a text. With escapes in the text, the whole text. */
function partOf(node: ScalarNode, at: number, written: string): Span {
  const raw = node.source.text.slice(node.start, node.end);
  const found = [...raw.matchAll(template)][at];
  return found?.[0] === written
    ? node.source.span(node.start + found.index, node.start + found.index + written.length)
    : node;
}
