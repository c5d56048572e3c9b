import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Origin, Source, Span } from "../diagnostics/source.ts";
import { extensionPattern, varName } from "../schema/field-types.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import {
  type MapNode,
  type Node,
  type ScalarNode,
  entriesOf,
  field,
  isNull,
  isUnusable,
  mapEntries,
  mapScalars,
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

function hasTemplate(text: string): boolean {
  return text.includes("{{");
}

/** The tree with its templates marked as unusable, because their texts are known in menus only. */
export function withoutTemplates(root: Node): Node {
  return mapScalars(root, (scalar) =>
    hasTemplate(scalar.text) ? { ...scalar, unusable: "variable" } : scalar,
  );
}

/** Reads the field `vars` of a mapping. The schema has reported invalid names and values. */
export function readVars(owner: Node | undefined, source: Source | undefined): VarLayer {
  const values = new Map<string, Variable>();
  for (const { key, value } of entriesOf(field(owner, "vars"))) {
    if (value.kind !== "scalar" || isNull(value) || !varName.test(key.text)) continue;
    values.set(key.text, { key, value });
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

/** What the replacement of variables finds out. */
interface Findings {
  readonly used: Set<string>;
  readonly diagnostics: Diagnostics;
}

/** A text with its variables replaced. */
interface Filled {
  readonly text: string;
  /** The variables in it, with their ranks. */
  readonly origins: readonly (Origin & { readonly rank: number })[];
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

  /** The values of these variables, as far as they are set. */
  valuesOf(names: Iterable<string>): ReadonlyMap<string, string> {
    return new Map(
      [...names].flatMap((name) => {
        const [found] = this.layers.flatMap(({ values }) => values.get(name) ?? []);
        return found === undefined ? [] : [[name, found.value.text]];
      }),
    );
  }

  /**
   * Replaces `{{name}}` in every value of a menu or test file, except in its key and variables. A value
   * with a variable that is not set is unusable. `used` has the names of all variables in the tree.
   */
  fill(tree: MapNode, diagnostics: Diagnostics) {
    const findings = { used: new Set<string>(), diagnostics };
    const filled = mapEntries(tree, ({ key, value }) => {
      if (literal.has(key.text) || extensionPattern.test(key.text)) return value;
      reportInKey(key, diagnostics);
      return mapScalars(
        value,
        (scalar) =>
          hasTemplate(scalar.text) && !isUnusable(scalar) ? this.#scalar(scalar, findings) : scalar,
        (inner) => reportInKey(inner, diagnostics),
      );
    });
    return { tree: filled, used: findings.used };
  }

  /**
   * A text with its variables replaced. Its place is the more specific of the text and its variables:
   * a wrong value of one menu is reported in that menu, and a wrong text of a folder in the folder.
   */
  #scalar(node: ScalarNode, findings: Findings): ScalarNode {
    const filled = this.#fill(node, this.layers.keys(), findings, undefined);
    const textOrigin = { variable: undefined, at: node, rank: this.#rankOf(node.source) };
    if (filled === undefined) return { ...node, plain: false, unusable: "variable" };
    const origins = [textOrigin, ...filled.origins];
    const { at } = origins.reduce(
      (best, origin) => (origin.rank < best.rank ? origin : best),
      textOrigin,
    );
    const { source, start, end } = at;
    return { ...node, source, start, end, text: filled.text, plain: false, via: origins };
  }

  /**
   * Replaces the variables of a text by those of some layers. Undefined, and reported, if one is not
   * set. The text may be that of a variable, whose name is `inside`.
   */
  #fill(
    node: ScalarNode,
    ranks: Iterable<number>,
    findings: Findings,
    inside: string | undefined,
  ): Filled | undefined {
    const allowed = [...ranks];
    const origins: Filled["origins"][number][] = [];
    let at = -1;
    let isComplete = true;
    const text = node.text.replace(template, (written: string, name: string | undefined) => {
      at += 1;
      if (written === "{{{{") return "{{";
      if (name !== undefined) findings.used.add(name);
      const rank = allowed.find((index) => this.layers[index]?.values.has(name ?? ""));
      const variable = rank === undefined ? undefined : this.layers[rank]?.values.get(name ?? "");
      if (rank === undefined || variable === undefined) {
        isComplete = false;
        this.#report(partOf(node, at, written), name, inside, findings.diagnostics);
        return written;
      }
      const inner = this.#fill(variable.value, this.#outside(rank), findings, name);
      if (inner === undefined) isComplete = false;
      origins.push({ variable: name, at: variable.value, rank }, ...(inner?.origins ?? []));
      return inner?.text ?? written;
    });
    return isComplete ? { text, origins } : undefined;
  }

  /** The layers whose variables a variable of a layer can use: the environment, and those further out. */
  #outside(rank: number): number[] {
    const [, environment = 1, ...others] = this.layers.keys();
    const outer = others.filter((other) => other > rank);
    // The variables of the environment apply to the whole project, so only those of the project are outside.
    return rank === environment
      ? outer.slice(-1)
      : rank === this.layers.length - 1
        ? []
        : [environment, ...outer];
  }

  #rankOf(source: Source): number {
    // A test file belongs to its menu.
    return Math.max(
      this.layers.findIndex((layer) => layer.source === source),
      0,
    );
  }

  #report(
    at: Span,
    name: string | undefined,
    inside: string | undefined,
    diagnostics: Diagnostics,
  ): void {
    if (name === undefined) {
      diagnostics.add(
        "IVR217",
        at,
        "`{{` must be followed by the name of a variable and `}}`.",
        "Write `{{name}}` with letters, digits, `_` and `-`. To write `{{` as text, write `{{{{`.",
      );
    } else if (!this.#complete) return;
    else if (inside !== undefined) {
      diagnostics.add(
        "IVR217",
        at,
        `The variable \`${inside}\` uses \`{{${name}}}\`, which no outer level sets.`,
        "Set it further out: in a folder above, in the environment or in the project. To write `{{` as text, write `{{{{`.",
      );
    } else {
      const { name: menu, file } = this.#menu;
      const [similar] = nearest(name, this.layers[0]?.values.keys() ?? []);
      const known = new Set(this.layers.flatMap(({ values }) => [...values.keys()]));
      diagnostics.add(
        "IVR217",
        at,
        `The menu \`${menu}\` has no variable \`${name}\`.`,
        similar !== undefined && at.source.file !== file
          ? `Rename the variable \`${similar}\` in ${file}, or correct the text.`
          : (meantAt(at, nearest(name, known)) ?? `Add \`vars: { ${name}: … }\` to ${file}.`),
      );
    }
  }
}

/** Fields of a menu in which `{{` has no meaning. */
const literal: ReadonlySet<string> = new Set(["id", "moved_from", "menu", "vars"]);

function reportInKey(key: ScalarNode, diagnostics: Diagnostics): void {
  if (!hasTemplate(key.text)) return;
  diagnostics.add(
    "IVR218",
    key,
    `The key \`${shorten(key.text)}\` contains a variable.`,
    "Write the key itself. Only values can contain variables.",
  );
}

/** The variables that may be meant by the one at a place. */
function meantAt(at: Span, names: readonly string[]): Hint | undefined {
  const hint = didYouMean(names);
  const isPart = at.source.text.startsWith("{{", at.start);
  return isPart
    ? hint && { ...hint, instead: names.map((name) => `{{${name}}}`), at }
    : hint?.words;
}

/** The place of a variable in a text. With escapes in the text, the whole text. */
function partOf(node: ScalarNode, at: number, written: string): Span {
  const raw = node.source.text.slice(node.start, node.end);
  const found = [...raw.matchAll(template)][at];
  return found?.[0] === written
    ? node.source.span(node.start + found.index, node.start + found.index + written.length)
    : node;
}
