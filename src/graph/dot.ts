import { visible } from "../util/visible.ts";
import { triggerWords } from "../call/words.ts";
import { type Box, type Mark, type Picture, markInk, palette } from "./picture.ts";

/** A picture for Graphviz. Names are only in quoted labels. */
export function dot({ menus, places, paths }: Picture): string[] {
  const node = ({ lines, mark }: Box, at: number, plain: string): string => {
    const look = mark === undefined ? plain : marked(mark);
    return `  n${at} [label=${labelOf(lines)}, ${look}]`;
  };
  return [
    "digraph ivrctl {",
    "  graph [rankdir=LR, ranksep=1.5]",
    '  node [shape=box, fontname="sans-serif"]',
    '  edge [fontname="sans-serif", fontsize=11]',
    ...menus.map((menu, at) => node(menu, at, 'style="rounded,bold"')),
    ...places.map((place, at) => node(place, menus.length + at, 'style="solid"')),
    ...paths.map((path) => {
      const style = path.mark === "removed" ? ", style=dashed" : "";
      const label = labelOf([triggerWords(path)]);
      return `  n${path.from} -> n${path.to} [label=${label}${style}]`;
    }),
    "}",
  ];
}

function marked(mark: Mark): string {
  const { fill, stroke } = palette[mark];
  return `style="filled,bold", fillcolor="${fill}", color="${stroke}", fontcolor="${markInk}"`;
}

/**
 * Returns a quoted label. Graphviz reads a label three times: as a quoted string, for its own
 * escapes (`\N`, `\l`), and for the entities of HTML.
 */
function labelOf(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    visible(line)
      .replaceAll("&", "&amp;")
      .replaceAll("\\", "\\\\")
      .replaceAll('"', String.raw`\"`),
  );
  return `"${escaped.join(String.raw`\n`)}"`;
}
