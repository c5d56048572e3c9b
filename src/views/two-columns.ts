import { wrap } from "./wrap.ts";

/** Less room than this for the second column, and it goes below the first. */
const narrowest = 24;

/** Words on the left, what they mean on the right, broken there; below where that is too narrow. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(...rows.map(([word]) => word.length));
  const indent = " ".repeat(left + 4);
  const beside = width - indent.length >= narrowest;
  return rows
    .map(([word, meaning]) =>
      beside
        ? `  ${word.padEnd(left)}  ${wrap(meaning, indent, width).trimStart()}\n`
        : `  ${word}\n${wrap(meaning, "      ", width)}\n`,
    )
    .join("");
}
