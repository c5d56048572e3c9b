import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { at } from "./node.ts";
import { readYaml } from "./read-yaml.ts";

/** Above this a text is not read a second time to say where a fault is. */
const maxLocated = 2_000_000;

/** JSON is YAML, so the reader of menus can tell where in the file a value stands. */
export function locator(source: Source): (path: readonly PropertyKey[]) => Span {
  const root =
    source.text.length > maxLocated ? undefined : readYaml(source, new Diagnostics())[0]?.root;
  return (path) => (root && at(root, path)) ?? source.top();
}

/** Where a text that is not JSON stops being it. */
export function jsonFault(source: Source, error: unknown): Span {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  // Without a position the text ended too soon.
  const end = source.text.trimEnd().length;
  const start = position === undefined ? Math.max(end - 1, 0) : Math.min(Number(position), end);
  return source.span(start, Math.min(start + 1, source.text.length));
}
