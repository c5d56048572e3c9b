import { visible } from "../util/visible.ts";
import { triggerWords } from "../call/words.ts";
import { type Box, type Picture, markInk, marks, palette } from "./picture.ts";

/**
 * A picture as a Mermaid flowchart. Names are only in labels, with special characters as numeric
 * codes, so that no name can end a label.
 */
export function mermaid({ menus, places, paths }: Picture): string[] {
  const boxes: readonly Box[] = [...menus, ...places];
  const drawn = new Set<number>();
  const end = (at: number): string => {
    if (at < menus.length || drawn.has(at)) return `n${at}`;
    drawn.add(at);
    return `n${at}["${labelOf(boxes[at]?.lines ?? [])}"]`;
  };
  const styles = marks.flatMap((mark) => {
    const ids = boxes.flatMap((box, at) => (box.mark === mark ? `n${at}` : []));
    const { fill, stroke, line } = palette[mark];
    return ids.length === 0
      ? []
      : [
          `classDef ${mark} fill:${fill},stroke:${stroke},color:${markInk},${line}`,
          `class ${ids.join(",")} ${mark}`,
        ];
  });
  return [
    "flowchart LR",
    ...menus.map(({ lines }, at) => `n${at}("${labelOf(lines)}")`),
    ...paths.map((path) => {
      const arrow = path.mark === "removed" ? "-.->" : "-->";
      return `n${path.from} ${arrow}|"${labelOf([triggerWords(path)])}"| ${end(path.to)}`;
    }),
    ...styles,
  ];
}

/** Whether GitHub and GitLab draw it. They refuse more than 500 paths or 50,000 characters. */
export function isDrawable(lines: readonly string[]): boolean {
  return lines.length <= 400 && lines.join("\n").length <= 40_000;
}

function labelOf(lines: readonly string[]): string {
  return lines.map(escaped).join("<br/>");
}

/**
 * Escapes everything except letters, digits, spaces and characters beyond ASCII. Mermaid also looks
 * for icons (`fa:fa-car`) and for its own marker characters. An invisible joiner prevents that.
 */
function escaped(text: string): string {
  return visible(text).replace(
    /[!-/:-@[-`{-~]|[\uFB02\u00B6]/g,
    (sign, at: number, whole: string) => {
      if (sign > "~") return `${sign}${joiner}`;
      const number = `#${sign.charCodeAt(0)};`;
      return sign === ":" && /\S/.test(whole[at + 1] ?? "") ? number + joiner : number;
    },
  );
}

const joiner = "#8288;";
