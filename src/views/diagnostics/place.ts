import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

/** Where it is, as editors jump to it, and no more than is known; an address has no lines. */
export function placeOf({
  file,
  line,
  column,
  precision,
}: Pick<Diagnostic, "file" | "line" | "column" | "precision">): string {
  if (isAddress.test(file) || precision === "file") return file;
  return precision === "line" ? `${file}:${line}` : `${file}:${line}:${column}`;
}

const isAddress = /^[a-z][a-z0-9]*:\/\//;
