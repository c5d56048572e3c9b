import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Node, ScalarNode } from "../yaml/node.ts";

/** The environment variables for `${NAME}` in the configuration. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Replaces each `${NAME}` in a setting. Undefined, and reported, if a variable is not set. */
export function expand(
  node: ScalarNode,
  variables: Variables,
  diagnostics: Diagnostics,
): string | undefined {
  if (!hasVariable(node.text)) return node.text;
  let unset = false;
  const text = node.text.replace(variable, (written, name: string) => {
    const value = variables[name];
    if (value !== undefined) return value;
    unset = true;
    const within = node.source.text.slice(node.start, node.end).indexOf(written);
    const start = node.start + Math.max(within, 0);
    const end = within < 0 ? node.end : start + written.length;
    diagnostics.add(
      "IVR403",
      node.source.span(start, end),
      unsetMessage(name),
      `Set it before you run ivrctl, for example: export ${name}=…`,
    );
    return "";
  });
  return unset ? undefined : text;
}

/** Reads settings and replaces their variables. Values that the schema refused are undefined. */
export class SettingReader {
  readonly variables: Variables;
  readonly #invalidNodes: ReadonlySet<Node>;
  readonly #diagnostics: Diagnostics;

  constructor(invalidNodes: ReadonlySet<Node>, variables: Variables, diagnostics: Diagnostics) {
    this.#invalidNodes = invalidNodes;
    this.variables = variables;
    this.#diagnostics = diagnostics;
  }

  text(node: Node | undefined): string | undefined {
    return this.#expand(node, this.#diagnostics);
  }

  /** The text of a setting that no payload needs. A variable that is not set is not reported. */
  optionalText(node: Node | undefined): string | undefined {
    return this.#expand(node, new Diagnostics());
  }

  /** Reads one of several words. Reports other words, because the schema cannot check variables. */
  word<W extends string>(node: Node | undefined, words: readonly W[]): W | undefined {
    const text = this.text(node);
    if (node === undefined || text === undefined) return undefined;
    const word = words.find((candidate) => candidate === text.toLowerCase());
    if (word === undefined) {
      this.#diagnostics.add(
        "IVR203",
        node,
        `The variable must be one of ${words.join(", ")}.`,
        "Set the variable to one of these words.",
      );
    }
    return word;
  }

  #expand(node: Node | undefined, diagnostics: Diagnostics): string | undefined {
    return node?.kind !== "scalar" || this.#invalidNodes.has(node)
      ? undefined
      : expand(node, this.variables, diagnostics);
  }
}

/** The message for a variable that is not set. */
export function unsetMessage(name: string): string {
  return `The environment variable ${name} is not set.`;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function hasVariable(text: string): boolean {
  return text.search(variable) !== -1;
}

/** The names of the variables in a text, in the order written. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].flatMap(([, name]) => name ?? []);
}
