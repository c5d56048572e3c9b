import { Diagnostics } from "../diagnostics/diagnostic.ts";
import {
  type ValueOrigin,
  type Placed,
  type Source,
  type Span,
  fileAndLine,
} from "../diagnostics/source.ts";
import { hasVariable, variablesIn } from "./environment-variables.ts";
import { extensionPattern, varName } from "../schema/field-types.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { listed } from "../util/many.ts";
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

/** The names of variables that a text is written with. With escapes in the text, some may be missing. */
export function variablesWritten({ source, start, end }: Span): Placed<string>[] {
  return [...source.text.slice(start, end).matchAll(template)].flatMap(
    ({ 0: written, 1: name, index }) => {
      if (name === undefined) return [];
      const from = start + index + written.indexOf(name);
      return { value: name, at: source.span(from, from + name.length) };
    },
  );
}

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

/** A menu that uses variables. */
export interface VarUser {
  readonly vars: Vars;
  /** The names of all variables in its texts. */
  readonly usedVars: ReadonlySet<string>;
}

/** Warns about the variables of some layers that no menu uses. The layers of these menus are all that set any. */
export function reportUnused(
  layers: readonly VarLayer[],
  menus: readonly VarUser[],
  diagnostics: Diagnostics,
): void {
  const all = new Set(menus.flatMap(({ vars }) => vars.layers));
  const defined = new Set([...all].flatMap(({ values }) => Array.from(values.keys())));
  const usedIn = new Map(layers.map((layer) => [layer, new Set<string>()]));
  for (const { vars, usedVars } of menus) {
    for (const layer of vars.layers) for (const name of usedVars) usedIn.get(layer)?.add(name);
  }
  for (const [{ values }, used] of usedIn) {
    for (const [name, { key }] of values) {
      if (used.has(name)) continue;
      const meant = nearest(name, used).filter((other) => !values.has(other));
      // If nothing sets the similar name, it is misspelled. That is one error, not a warning in each menu.
      if (meant.some((other) => !defined.has(other))) continue;
      diagnostics.add(
        "IVR219",
        key,
        `No text uses the variable \`${name}\`.`,
        didYouMean(meant) ?? `Remove it, or write \`{{${name}}}\` in a text.`,
      );
    }
  }
}

/** What the replacement of variables in one tree finds out. */
interface Findings {
  readonly diagnostics: Diagnostics;
  /** The names of all variables in its texts, also of those that are not set. */
  readonly used: Set<string>;
  /** The variables that were replaced. One without a text has been reported. */
  readonly filled: Map<string, Filled | undefined>;
  /** The variables whose texts are being replaced. Each is in the text of the one before. */
  readonly open: Ranked[];
  /** How many characters may still replace variables. */
  left: number;
}

/** A text with its variables replaced. */
interface Filled {
  readonly text: string;
  /** The variables in it, and those in their texts, by name. */
  readonly origins: ReadonlyMap<string, Ranked>;
}

/** A place that a text comes from, with the layer that it is in. */
interface Ranked extends ValueOrigin {
  readonly rank: number;
}

/** The variables that a menu can use. The text of a variable can use all of them, too. */
export class Vars {
  /** The most specific layer first. */
  readonly layers: readonly VarLayer[];
  /** Whether all layers are known. If not, a variable that is not set is not reported. */
  readonly complete: boolean;

  constructor(layers: readonly VarLayer[], complete: boolean) {
    this.layers = layers;
    this.complete = complete;
  }

  get names(): readonly string[] {
    return [...new Set(this.layers.flatMap(({ values }) => [...values.keys()]))];
  }

  /** The variable of the most specific layer that sets it. */
  find(name: string): (Variable & { readonly rank: number }) | undefined {
    const rank = this.layers.findIndex(({ values }) => values.has(name));
    const variable = this.layers[rank]?.values.get(name);
    return variable && { ...variable, rank };
  }

  /** The text of a variable with its variables replaced. If one is not set, the text as written. */
  textOf(name: string): string | undefined {
    const variable = this.find(name);
    return (
      variable && (this.#fill(variable.value, findingsIn(new Diagnostics())) ?? variable.value).text
    );
  }

  /** The texts of these variables as written, as far as they are set. A menu contains only those without others. */
  valuesOf(names: Iterable<string>): ReadonlyMap<string, string> {
    return new Map(
      [...names].flatMap((name) => {
        const variable = this.find(name);
        return variable === undefined ? [] : [[name, variable.value.text]];
      }),
    );
  }

  /**
   * Replaces `{{name}}` in every value of a menu or test file, except in its key and variables. A value
   * with a variable that is not set is unusable. `used` has the names of all variables in the tree.
   */
  fill(tree: MapNode, diagnostics: Diagnostics) {
    const findings = findingsIn(diagnostics);
    const filled = mapEntries(tree, ({ key, value }) => {
      if (literal.has(key.text) || extensionPattern.test(key.text)) return value;
      reportInKey(key, diagnostics);
      return mapScalars(
        value,
        (scalar) => {
          if (isUnusable(scalar)) return scalar;
          if (hasVariable(scalar.text)) return refuseEnvironment(scalar, diagnostics);
          return hasTemplate(scalar.text) ? this.#scalar(scalar, findings) : scalar;
        },
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
    const filled = this.#fill(node, findings);
    if (filled === undefined) return { ...node, plain: false, unusable: "variable" };
    const rank = this.#rankOf(node.source);
    const textOrigin = { variable: undefined, at: node, text: node.text, rank };
    const origins = [textOrigin, ...filled.origins.values()];
    const { at } = origins.reduce(
      (best, origin) => (origin.rank < best.rank ? origin : best),
      textOrigin,
    );
    const { source, start, end } = at;
    return { ...node, source, start, end, text: filled.text, plain: false, via: origins };
  }

  /** Replaces the variables of a text. Undefined, and reported, if one has no text. */
  #fill(node: ScalarNode, findings: Findings): Filled | undefined {
    const origins = new Map<string, Ranked>();
    const placeOf = placesIn(node);
    let at = -1;
    let isComplete = true;
    const text = node.text.replace(template, (written: string, name: string | undefined) => {
      at += 1;
      if (written === "{{{{") return "{{";
      // One report is enough for a text.
      if (name === undefined && !isComplete) return written;
      const index = at;
      const value = this.#use(name, () => placeOf(index, written), findings);
      if (value === undefined) isComplete = false;
      for (const [variable, origin] of value?.origins ?? []) origins.set(variable, origin);
      return value?.text ?? written;
    });
    return isComplete ? { text, origins } : undefined;
  }

  /** The text for a variable at a place. */
  #use(name: string | undefined, at: () => Span, findings: Findings): Filled | undefined {
    if (name === undefined) {
      findings.diagnostics.add(
        "IVR217",
        at(),
        "`{{` must be followed by the name of a variable and `}}`.",
        "Write `{{name}}` with letters, digits, `_` and `-`. To write `{{` as text, write `{{{{`.",
      );
      return undefined;
    }
    const value = this.#valueOf(name, at, findings);
    // The places of an empty text take up memory, too.
    const left = findings.left - (value ? value.text.length + value.origins.size : 0);
    if (left < 0 && findings.left >= 0) {
      const message = `More than ${shownLimit("replacedText")} of text would replace the variables of this menu.`;
      findings.diagnostics.add("IVR130", at(), message, "Use fewer variables, or shorter texts.");
    }
    findings.left = left;
    return left < 0 ? undefined : value;
  }

  #valueOf(name: string, at: () => Span, findings: Findings): Filled | undefined {
    const { used, filled, open, diagnostics } = findings;
    used.add(name);
    if (filled.has(name)) return filled.get(name);
    const variable = this.find(name);
    const first = open.findIndex(({ variable }) => variable === name);
    if (variable === undefined) {
      this.#reportUnset(name, at(), diagnostics);
      // One report is enough for all texts of a menu.
      filled.set(name, undefined);
    } else if (first !== -1) reportCircle(open.slice(first), diagnostics);
    else if (open.length === limits.depth) {
      const message = `Variables use each other more than ${limits.depth} levels deep.`;
      diagnostics.add("IVR130", at(), message, "Write the text itself here.");
      filled.set(name, undefined);
    } else {
      const { value, rank } = variable;
      const origin = { variable: name, at: value, text: value.text, rank };
      open.push(origin);
      const inner = isUnusable(variable.value) ? undefined : this.#fill(variable.value, findings);
      open.pop();
      const origins = new Map([[name, origin], ...(inner?.origins ?? [])]);
      filled.set(name, inner && { text: inner.text, origins });
    }
    return filled.get(name);
  }

  #rankOf(source: Source): number {
    // A test file belongs to its menu.
    return Math.max(
      this.layers.findIndex((layer) => layer.source === source),
      0,
    );
  }

  #reportUnset(name: string, at: Span, diagnostics: Diagnostics): void {
    if (!this.complete) return;
    const { names } = this;
    const similar = nearest(name, names);
    const own = this.layers[0]?.values.get(similar[0] ?? "");
    const others = `Set it under \`vars:\`, or use one of these variables: ${listed(names)}.`;
    diagnostics.add(
      "IVR217",
      at,
      `The variable \`${name}\` is not set.`,
      // If the text is not that of the menu, either of the two may be misspelled.
      own !== undefined && this.#rankOf(at.source) > 0
        ? `Did you mean \`${similar[0]}\`, which is set at ${fileAndLine(own.key)}?`
        : (meantAt(at, similar) ??
            (names.length === 0 ? `Add \`vars: { ${name}: … }\` to the menu.` : others)),
    );
  }
}

/** Reports a variable of the environment in a menu or test. */
function refuseEnvironment(scalar: ScalarNode, diagnostics: Diagnostics): ScalarNode {
  diagnostics.add(
    "IVR218",
    scalar,
    `\`\${${variablesIn(scalar.text)[0]}}\` is replaced only in ivrctl.yaml, under \`service:\` and \`state:\`.`,
    "Write the text itself, so that every machine gets the same menus, or set a variable under `vars:` and write `{{name}}`.",
  );
  return { ...scalar, unusable: "variable" };
}

function findingsIn(diagnostics: Diagnostics): Findings {
  return { diagnostics, used: new Set(), filled: new Map(), open: [], left: limits.replacedText };
}

/**
 * Reports variables that use each other. Texts may lead to any of them, so the place is always that of
 * the most specific one and, in one file, the last one.
 */
function reportCircle(circle: readonly Ranked[], diagnostics: Diagnostics): void {
  const [last] = circle.toSorted((a, b) => a.rank - b.rank || b.at.start - a.at.start);
  if (last === undefined) return;
  const start = circle.indexOf(last) + 1;
  const names = [...circle.slice(start), ...circle.slice(0, start)].map(({ variable }) => variable);
  diagnostics.add(
    "IVR218",
    last.at,
    `\`{{${names[0]}}}\` in the variable \`${last.variable}\` makes a circle: ${[...names, names[0]].join(" → ")}.`,
    "Remove it. If you mean an outer value of the same name, rename one of the two variables.",
  );
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

/** Finds the places of the variables in a text. With escapes in the text, each is the whole text. */
function placesIn(node: ScalarNode): (at: number, written: string) => Span {
  let parts: readonly RegExpExecArray[] | undefined;
  return (at, written) => {
    parts ??= [...node.source.text.slice(node.start, node.end).matchAll(template)];
    const part = parts[at];
    return part?.[0] === written
      ? node.source.span(node.start + part.index, node.start + part.index + written.length)
      : node;
  };
}
