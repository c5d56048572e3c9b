import type * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { decode } from "../yaml/decode.ts";
import { type MapEntry, type Node, type ScalarNode, mapScalars } from "../yaml/node.ts";

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
      `The environment variable ${name} is not set.`,
      {
        words: "Set it before you run ivrctl, for example:",
        command: `export ${name}=…`,
      },
    );
    return "";
  });
  return unset ? undefined : text;
}

/** A section with each `${NAME}` replaced. A value whose variable is not set is reported, and unusable. */
function expandAll(section: Node, variables: Variables, diagnostics: Diagnostics): Node {
  return mapScalars(section, (scalar) => {
    const { unusable, ...rest } = scalar;
    if (unusable !== "setting") return scalar;
    const text = expand(scalar, variables, diagnostics);
    // The value of a variable is text, also if it is empty.
    return text === undefined
      ? { ...rest, unusable: "variable" }
      : { ...rest, text, plain: /^(?:true|false)$/i.test(text) };
  });
}

/** Decodes a section of an environment, with each `${NAME}` replaced. Undefined, and reported, if it is invalid. */
export function readSection<T>(
  schema: z.ZodMiniType<T>,
  { key, value }: MapEntry,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): T | undefined {
  const problems = new Diagnostics();
  const decoded = decode({ complete: schema }, expandAll(value, variables, problems), {
    diagnostics: problems,
    top: key,
    inside: ["environments", environment, key.text],
  });
  diagnostics.addAll(problems);
  return problems.hasErrors ? undefined : decoded?.value;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function hasVariable(text: string): boolean {
  return text.search(variable) !== -1;
}

/** The names of the variables in a text, in the order written. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].flatMap(([, name]) => name ?? []);
}
