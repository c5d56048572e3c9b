import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { at } from "./node.ts";
import { readYaml } from "./read-yaml.ts";

type ParsedJson =
  | { readonly success: true; readonly value: unknown }
  /** The span is where the text stops being JSON. */
  | { readonly success: false; readonly span: Span };

/** Parses JSON, or returns the place of the first error. */
export function parseJson(source: Source): ParsedJson {
  try {
    return { success: true, value: JSON.parse(source.text) };
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    // Without a position, the text is incomplete.
    const end = source.text.trimEnd().length;
    const start = position === undefined ? Math.max(end - 1, 0) : Math.min(Number(position), end);
    return { success: false, span: source.span(start, Math.min(start + 1, source.text.length)) };
  }
}

/** The maximum length of a text in which problems are located, because that takes time. */
const maxLocated = 2_000_000;

/** Returns a function that finds the place of a value in a JSON text. It uses the YAML reader, because JSON is YAML. */
export function locator(source: Source): (path: readonly PropertyKey[]) => Span {
  const root =
    source.text.length > maxLocated ? undefined : readYaml(source, new Diagnostics())[0]?.root;
  return (path) => (root && at(root, path)) ?? source.top();
}
