import { groupBy } from "../util/group-by.ts";
import { visible } from "../util/visible.ts";
import { type Box, type Picture, markInk, palette } from "./picture.ts";
import { describeTrigger } from "../model/trigger.ts";

/**
 * A picture as a Mermaid flowchart. Names are only in labels, with characters that mean something
 * there as numeric codes, so that no name can end a label.
 */
export function mermaid({ menus, places, paths }: Picture): string[] {
  // A menu of a flow lists the paths that go to no other menu.
  const endings = groupBy(
    paths.filter(({ to }) => to === undefined),
    ({ from }) => from,
  );
  const listed = menus.map(({ lines, mark }, at): Box => {
    const ending = endings.get(at) ?? [];
    const words = ending.map((path) => `${describeTrigger(path)} → ${path.reaches ?? ""}`);
    return {
      lines: [...lines, ...words],
      mark: mark ?? ending.find((path) => path.mark !== undefined)?.mark,
    };
  });
  const boxes: readonly Box[] = [...listed, ...places];
  const drawn = new Set<number>();
  const end = (at: number): string => {
    if (at < menus.length || drawn.has(at)) return `n${at}`;
    drawn.add(at);
    const { lines = [], menu } = boxes[at] ?? {};
    return menu === undefined ? `n${at}(["${labelOf(lines)}"])` : `n${at}("${labelOf(lines)}")`;
  };
  const styles = Object.entries(palette).flatMap(([mark, { fill, stroke, line }]) => {
    const ids = boxes.flatMap((box, at) => (box.mark === mark ? `n${at}` : []));
    return ids.length === 0
      ? []
      : [
          `classDef ${mark} fill:${fill},stroke:${stroke},color:${markInk},${line}`,
          `class ${ids.join(",")} ${mark}`,
        ];
  });
  return [
    "flowchart LR",
    ...listed.map(({ lines }, at) => `n${at}("${labelOf(lines)}")`),
    ...paths.flatMap((path) => {
      if (path.to === undefined) return [];
      const arrow = path.mark === "removed" ? "-.->" : path.mark === "changed" ? "==>" : "-->";
      return `n${path.from} ${arrow}|"${labelOf([describeTrigger(path)])}"| ${end(path.to)}`;
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
 * Escapes what Mermaid, or the Markdown and HTML in its labels, would not show as it is: everything but
 * letters, digits and `(),?!'/`, and other signs only where they mean nothing. An icon (`fa:fa-car`) and
 * Mermaid's own marker characters also need an invisible joiner.
 */
function escaped(text: string): string {
  return visible(text).replace(
    /[!-/:-@[-`{-~]|[\uFB02\u00B6]/g,
    (sign, at: number, whole: string) => {
      if (sign > "~") return `${sign}${joiner}`;
      const [before, after] = [whole.slice(0, at), whole[at + 1] ?? " "];
      if (isPlain(sign, before, after)) return sign;
      return `#${sign.charCodeAt(0)};${sign === ":" ? joiner : ""}`;
    },
  );
}

/** Whether a sign means nothing here. At the start of a label, `-` and `1.` would begin a list. */
function isPlain(sign: string, before: string, after: string): boolean {
  if ("(),?!'/".includes(sign)) return true;
  if (sign === "-") return before !== "";
  if (sign === "_") return /[\p{L}\p{N}]$/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  // Otherwise part of an icon, an address or a numbered list.
  if (sign === ":" || sign === ".") return !/[\p{L}\p{N}/]/u.test(after) && !/^\d*$/.test(before);
  return false;
}

const joiner = "#8288;";
