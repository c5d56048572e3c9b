import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { ScalarNode } from "../yaml/node.ts";

/** What `${NAME}` in the configuration is read from. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The text of a setting with its `${NAME}`s filled in; an unset one is told where it stands. */
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
      `Set it before running ivrctl, for example: export ${name}=…`,
    );
    return "";
  });
  return unset ? undefined : text;
}

/** What is said of a variable that is needed and not set. */
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
