const gap = 2;

/** As wide as `room` at the most: the widest columns give way. */
export async function table(
  head: readonly string[],
  body: readonly (readonly string[])[],
  room: number,
): Promise<string> {
  const { default: widthOf } = await import("string-width");
  const rows = [head, ...body];
  const widest = head.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[column] ?? "")), 0),
  );
  const widths = narrowed(widest, room - gap * (widest.length - 1));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => fit(cell, widths[column] ?? 0, widthOf)).join(" ".repeat(gap));
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

const narrowest = 8;

function narrowed(widest: readonly number[], room: number): number[] {
  const needed = widest.reduce((sum, width) => sum + width, 0);
  const limit = Math.max(...widest) - 1;
  if (needed <= room || limit < narrowest) return [...widest];
  return narrowed(
    widest.map((width) => Math.min(width, limit)),
    room,
  );
}

function fit(text: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= width) return text + " ".repeat(width - widthOf(text));
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…${" ".repeat(width - 1 - widthOf(kept))}`;
}
