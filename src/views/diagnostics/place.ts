import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

/** Where it is, as editors jump to it; a store of the state has an address and no lines. */
export function placeOf({
  file,
  line,
  column,
}: Pick<Diagnostic, "file" | "line" | "column">): string {
  return isAddress.test(file) ? file : `${file}:${line}:${column}`;
}

const isAddress = /^[a-z][a-z0-9]*:\/\//;
