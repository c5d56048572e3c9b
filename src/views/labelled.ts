import { wrap } from "./wrap.ts";

/** A label with what hangs behind it. */
export type Line = readonly [label: string, text: string];

/** Wider labels are not aligned with the others. */
const maxLabel = 28;

/** Labels in one column, what belongs to them in the next, broken there and indented. */
export function labelled(lines: readonly Line[], columns: number): string[] {
  const widest = lines.reduce((width, [label]) => Math.max(width, label.length), 0);
  const width = Math.min(widest, maxLabel) + 1;
  return lines.map(([label, text]) => {
    const lead = label === "" ? "" : `${label}:`;
    const used = Math.max(lead.length - width, 0);
    const indent = " ".repeat(4 + width + 1);
    return `    ${lead.padEnd(width)} ${wrap(text, indent, columns, used).trimStart()}`;
  });
}
