import stringWidth from "string-width";
import { groupBy } from "../util/group-by.ts";
import { visible } from "../util/visible.ts";
import type { Box, Highlight, DrawnPath, Picture } from "./picture.ts";

/** A box with its texts. Positions in it are relative to its upper left corner. */
export interface PlacedBox {
  readonly look: "menu" | "path" | "else" | "place";
  readonly mark: Highlight | undefined;
  readonly texts: readonly Text[];
  readonly width: number;
  readonly height: number;
  left: number;
  top: number;
}

interface Text {
  readonly text: string;
  /** A phone key has a frame around it. */
  readonly style: "name" | "line" | "key";
  readonly x: number;
  /** The position of the baseline. */
  readonly y: number;
  readonly width: number;
}

export const fontSizes = { name: 15, line: 13, key: 13 } as const;
export const capHeight = 20;

const gap = 8;
const menuGap = 20;
const channel = 64;

/**
 * Places all boxes in columns: the menus where calls begin, their paths, then what these go to, and
 * so on. Paths keep their order, in which callers hear the keys. In a flow, a path has a line only to a
 * menu in the next column, because other lines would hide the flow. `targets` has the box that the line of each
 * path goes to.
 */
export function layOut(picture: Picture) {
  const { levels } = picture;
  const menus = alike(picture.menus.map((menu) => boxShape(menu, "menu")));
  const paths = alike(picture.paths.map(pathShape));
  const places = alike(
    picture.places.map((place) => boxShape(place, place.menu === undefined ? "place" : "menu")),
  );
  const targets = picture.paths.map(({ from, to }) => {
    if (to === undefined) return undefined;
    if (to >= menus.length) return places[to - menus.length];
    return levels[to] === (levels[from] ?? 0) + 1 ? menus[to] : undefined;
  });
  const pathsFrom = groupBy([...picture.paths.keys()], (at) => menus[picture.paths[at]?.from ?? 0]);
  /** The heights of the paths to each box. The box is as near to their mean as possible. */
  const wanted = new Map<PlacedBox, number[]>();
  const wantedBy = (box: PlacedBox) => {
    const heights = wanted.get(box) ?? [];
    return heights.reduce((sum, height) => sum + height, 0) / Math.max(1, heights.length);
  };
  const lastLevel = Math.max(0, ...levels);
  const isFlow = lastLevel > 0;
  let left = 0;
  for (let level = 0; level <= lastLevel + 1; level += 1) {
    const column = [
      ...menus.filter((_, at) => levels[at] === level),
      ...(level === 1 ? places : []),
    ].sort((a, b) => wantedBy(a) - wantedBy(b));
    const pathLeft = left + (column[0]?.width ?? 0) + channel;
    let free = 0;
    for (const box of column) {
      const ownPaths = pathsFrom.get(box) ?? [];
      const inner = ownPaths.reduce((sum, at) => sum + (paths[at]?.height ?? 0) + gap, -gap);
      const outer = Math.max(box.height, inner);
      const top = Math.max(free, wantedBy(box) - outer / 2);
      free = top + outer + (isFlow || level === 0 ? menuGap : gap);
      Object.assign(box, { left, top: top + (outer - box.height) / 2 });
      let pathTop = top + (outer - inner) / 2;
      for (const at of ownPaths) {
        const [path, target] = [paths[at], targets[at]];
        if (path === undefined) continue;
        Object.assign(path, { left: pathLeft, top: pathTop });
        if (target) wanted.set(target, [...(wanted.get(target) ?? []), pathTop + path.height / 2]);
        pathTop += path.height + gap;
      }
    }
    // The lines of a flow need more room.
    left = pathLeft + (paths[0]?.width ?? 0) + (isFlow ? 120 : channel);
  }
  const all = [...menus, ...paths, ...places];
  const width = all.reduce((most, box) => Math.max(most, box.left + box.width), 0);
  const height = all.reduce((most, box) => Math.max(most, box.top + box.height), 0);
  return { menus, paths, places, targets, size: { width, height } };
}

const padding = 10;
const lineHeight = 19;
const room = 285;
const mostLines = 5;

/** Gives all boxes of a column the same width. They get their positions later. */
function alike(boxes: readonly PlacedBox[]): PlacedBox[] {
  const width = boxes.reduce((most, box) => Math.max(most, box.width), 0);
  return boxes.map((box) => ({ ...box, width }));
}

function boxShape({ lines, mark }: Box, look: PlacedBox["look"]): PlacedBox {
  const texts: Text[] = [];
  for (const [at, line] of lines.entries()) {
    const style = at === 0 ? "name" : "line";
    for (const text of wrapped(line, style, room)) {
      texts.push(textAt(text, style, padding, 23 + texts.length * lineHeight));
    }
  }
  return { look, mark, texts, ...around(texts) };
}

/**
 * The shape of a path: its keys, with their purpose next to them, or below if there is no room. What
 * else goes there is on a line of its own, so that it does not look like the purpose of the key.
 */
function pathShape({ keys, purpose, otherwise, mark, reaches }: DrawnPath): PlacedBox {
  const caps = capsOf(keys);
  const last = caps.at(-1);
  const right = last === undefined ? padding : last.x + last.width + 8;
  const beside = last === undefined || right < room * 0.6;
  const [x, y] = beside ? [right, last?.y ?? 20] : [padding, last.y + capHeight + 2];
  const causes = otherwise.join(", ");
  const meant = last === undefined ? causes : (purpose ?? "");
  const also = last === undefined || causes === "" ? [] : [`also ${causes}`];
  const lines = [reaches === undefined ? meant : `${meant} → ${reaches}`.trimStart(), ...also];
  const words = lines
    .flatMap((line) => wrapped(line, "line", room + padding - x))
    .map((text, at) => textAt(text, "line", x, y + at * lineHeight));
  const texts = [...caps, ...words];
  return { look: last === undefined ? "else" : "path", mark, texts, ...around(texts) };
}

function capsOf(keys: readonly string[]): Text[] {
  let [x, y] = [padding, 20];
  return keys.map((written) => {
    const [key = ""] = wrapped(written, "key", room - 2 * padding, 1);
    const width = Math.max(estimateWidth(key, "key") + 12, 24);
    if (x > padding && x + width > room) [x, y] = [padding, y + capHeight + 4];
    const cap = { text: key, style: "key" as const, x, y, width };
    x += width + 4;
    return cap;
  });
}

function textAt(text: string, style: Text["style"], x: number, y: number): Text {
  return { text, style, x, y, width: estimateWidth(text, style) };
}

/** The size of a box around some texts, before it has a position. */
function around(texts: readonly Text[]) {
  const width = Math.ceil(Math.max(...texts.map((text) => text.x + text.width))) + padding;
  return { width, height: Math.max(...texts.map(({ y }) => y)) + 10, left: 0, top: 0 };
}

/** The estimated width of a text. The real one depends on the fonts of the reader, so a wide font is assumed. */
function estimateWidth(text: string, style: Text["style"]): number {
  // Names are bold, which is wider.
  return stringWidth(text) * 0.62 * fontSizes[style] * (style === "name" ? 1.1 : 1);
}

/** Breaks a text into lines of at most `width`, between words or inside words that are too long. */
function wrapped(written: string, style: Text["style"], width: number, most = mostLines): string[] {
  const fits = (part: string) => estimateWidth(part, style) <= width;
  const pieces = visible(written)
    .split(/(?<=[\s-])/)
    .flatMap((word) =>
      fits(word.trimEnd())
        ? word
        : Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment),
    );
  const lines = [""];
  for (const piece of pieces) {
    const longer = lines.at(-1) + piece;
    if (fits(longer.trimEnd())) lines[lines.length - 1] = longer;
    else if (lines.push(piece) > most) break;
  }
  const trimmed = lines.map((line) => line.trim()).filter((line) => line !== "");
  return trimmed.length <= most
    ? trimmed
    : [...trimmed.slice(0, most - 1), `${trimmed[most - 1]}…`];
}
