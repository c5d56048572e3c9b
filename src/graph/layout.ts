import stringWidth from "string-width";
import { visible } from "../util/visible.ts";
import type { Box, Mark, Path, Picture } from "./picture.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Three columns: menus, their paths, and the destinations. */
interface Columns<T> {
  readonly menus: readonly T[];
  readonly paths: readonly T[];
  readonly places: readonly T[];
}

/** A box with its text in lines. Positions are relative to its upper left corner. */
interface Shape extends Size {
  readonly look: "menu" | "path" | "else" | "place";
  readonly mark: Mark | undefined;
  readonly texts: readonly Text[];
  readonly caps: readonly Cap[];
}

/** A box with the position of its upper left corner. */
export interface Placed extends Shape {
  readonly left: number;
  readonly top: number;
}

interface Text {
  readonly text: string;
  readonly style: "name" | "line";
  readonly x: number;
  /** The position of the baseline. */
  readonly y: number;
}

/** A phone key. */
interface Cap {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export const fontSizes = { name: 15, line: 13 } as const;
export const capHeight = 20;

/**
 * Places all boxes in three columns. Menus and paths keep their order, in which callers hear the
 * keys. Destinations are as near as possible to their paths.
 */
export function layOut(picture: Picture): Columns<Placed> & { readonly size: Size } {
  const many = picture.menus.length > 1;
  const shapes = shapesOf(picture, many);
  const tops = stack(picture, shapes);
  const places = placeNear(
    middles(picture, shapes.paths, tops.paths),
    shapes.places,
    many ? spread(tops.bottom, shapes.places) : gap,
  );
  // If there are more destinations than paths, they start above the first path.
  const above = Math.min(0, ...places);
  const placed = (column: readonly Shape[], at: readonly number[], left: number) =>
    column.map((box, index): Placed => ({ ...box, left, top: (at[index] ?? 0) - above }));
  const widthIn = ([first]: readonly Size[]) => first?.width ?? 0;
  const pathLeft = widthIn(shapes.menus) + channel;
  const placeLeft = pathLeft + widthIn(shapes.paths) + (many ? wideChannel : channel);
  const columns = {
    menus: placed(shapes.menus, tops.menus, 0),
    paths: placed(shapes.paths, tops.paths, pathLeft),
    places: placed(shapes.places, places, placeLeft),
  };
  const all = [...columns.menus, ...columns.paths, ...columns.places];
  const size = {
    width: all.reduce((most, { left, width }) => Math.max(most, left + width), 0),
    height: all.reduce((most, { top, height }) => Math.max(most, top + height), 0),
  };
  return { ...columns, size };
}

const gap = 8;
const menuGap = 20;
const channel = 64;
/** The width of the channel for many menus, whose lines need more room. */
const wideChannel = 220;

/** The gap between destinations: they use half of the free height next to the paths of many menus. */
function spread(height: number, boxes: readonly Size[]): number {
  const free = height - sum(boxes.map((box) => box.height));
  return Math.max(gap, free / (2 * boxes.length));
}

/** Places each menu next to the middle of its paths, one menu below the other. */
function stack({ paths }: Picture, boxes: Columns<Size>) {
  const own = boxes.menus.map((): number[] => []);
  for (const [path, { from }] of paths.entries()) own[from]?.push(path);
  const tops: { menus: number[]; paths: number[] } = { menus: [], paths: [] };
  let y = 0;
  for (const [menu, { height }] of boxes.menus.entries()) {
    const heights = (own[menu] ?? []).map((path) => boxes.paths[path]?.height ?? 0);
    const inner = sum(heights) + gap * Math.max(0, heights.length - 1);
    const outer = Math.max(height, inner);
    tops.menus.push(y + (outer - height) / 2);
    let top = y + (outer - inner) / 2;
    for (const [at, path] of (own[menu] ?? []).entries()) {
      tops.paths[path] = top;
      top += (heights[at] ?? 0) + gap;
    }
    y += outer + menuGap;
  }
  return { ...tops, bottom: y };
}

/** Returns the mean height of the paths of each destination. */
function middles(
  { paths, places }: Picture,
  boxes: readonly Size[],
  tops: readonly number[],
): number[] {
  const sums = places.map(() => ({ sum: 0, count: 0 }));
  for (const [path, { to }] of paths.entries()) {
    const own = sums[to];
    if (own === undefined) continue;
    own.sum += (tops[path] ?? 0) + (boxes[path]?.height ?? 0) / 2;
    own.count += 1;
  }
  return sums.map(({ sum, count }) => sum / count);
}

/**
 * Places boxes one below the other, sorted by their wanted heights, so that few lines cross. Boxes
 * that would overlap share the mean of their wanted heights (isotonic regression).
 */
function placeNear(wanted: readonly number[], boxes: readonly Size[], gap: number): number[] {
  const order = wanted.map((middle, box) => ({ box, middle })).sort((a, b) => a.middle - b.middle);
  const blocks: { start: number; count: number; members: { box: number; below: number }[] }[] = [];
  let below = 0;
  for (const { box, middle } of order) {
    const height = boxes[box]?.height ?? 0;
    let block = { start: middle - height / 2 - below, count: 1, members: [{ box, below }] };
    for (let last = blocks.at(-1); last && last.start > block.start; last = blocks.at(-1)) {
      blocks.pop();
      const count = last.count + block.count;
      const start = (last.start * last.count + block.start * block.count) / count;
      block = { start, count, members: [...last.members, ...block.members] };
    }
    blocks.push(block);
    below += height + gap;
  }
  const tops: number[] = [];
  for (const { start, members } of blocks) {
    for (const member of members) tops[member.box] = start + member.below;
  }
  return tops;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const padding = 10;
const lineHeight = 19;
const room = 250;
const mostLines = 5;

function shapesOf({ menus, paths, places }: Picture, many: boolean): Columns<Shape> {
  return {
    menus: alike(menus.map((menu) => boxShape(menu, "menu"))),
    // With many menus, each path names its destination, because the lines are hard to follow.
    paths: alike(
      paths.map((path) => pathShape(path, many ? places[path.to]?.lines[0] : undefined)),
    ),
    places: alike(places.map((place) => boxShape(place, "place"))),
  };
}

/** Gives all boxes of a column the same width. */
function alike(shapes: readonly Shape[]): Shape[] {
  const width = shapes.reduce((most, shape) => Math.max(most, shape.width), 0);
  return shapes.map(({ ...shape }) => Object.assign(shape, { width }));
}

function boxShape({ lines, mark }: Box, look: Shape["look"]): Shape {
  const texts: Text[] = [];
  for (const [at, line] of lines.entries()) {
    const style = at === 0 ? "name" : "line";
    for (const text of wrapped(visible(line), sizeOf(style), room, mostLines)) {
      texts.push({ text, style, x: padding, y: 23 + texts.length * lineHeight });
    }
  }
  return { look, mark, texts, caps: [], ...around(texts, []) };
}

/** The shape of a path: its keys, with their purpose next to them, or below if there is no room. */
function pathShape({ keys, purpose, otherwise, mark }: Path, leads: string | undefined): Shape {
  const caps = capsOf(keys);
  const last = caps.at(-1);
  const right = last === undefined ? padding : last.x + last.width + 8;
  const beside = last === undefined || right < room * 0.6;
  const [x, top] = beside ? [right, last?.y ?? 5] : [padding, last.y + capHeight + 2];
  const meant = [...(purpose === undefined ? [] : [purpose]), ...otherwise].join(", ");
  const words = visible(leads === undefined ? meant : `${meant} → ${leads}`.trimStart());
  const texts = wrapped(words, fontSizes.line, room + padding - x, mostLines).map(
    (text, at): Text => ({ text, style: "line", x, y: top + 15 + at * lineHeight }),
  );
  const look = keys.length === 0 ? "else" : "path";
  return { look, mark, texts, caps, ...around(texts, caps) };
}

function capsOf(keys: readonly string[]): Cap[] {
  let [x, y] = [padding, 5];
  return keys.map((written) => {
    const [key = ""] = wrapped(visible(written), fontSizes.line, room - 2 * padding, 1);
    const width = Math.max(widthOf(key, fontSizes.line) + 12, 24);
    if (x > padding && x + width > room) [x, y] = [padding, y + capHeight + 4];
    const cap = { key, x, y, width };
    x += width + 4;
    return cap;
  });
}

function around(texts: readonly Text[], caps: readonly Cap[]): Size {
  const rights = [
    ...texts.map(({ x, text, style }) => x + widthOf(text, sizeOf(style))),
    ...caps.map(({ x, width }) => x + width),
  ];
  const bottoms = [...texts.map(({ y }) => y + 10), ...caps.map(({ y }) => y + capHeight + 5)];
  return { width: Math.ceil(Math.max(...rights)) + padding, height: Math.max(...bottoms) };
}

function sizeOf(style: Text["style"]): number {
  // Names are bold, which is wider.
  return style === "name" ? fontSizes.name * 1.1 : fontSizes.line;
}

/** The estimated width of a text. The real width depends on the fonts of the reader, so a wide font is assumed. */
function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const sign of signsOf(text)) ems += emsOf(sign);
  return ems * size;
}

/** Breaks a text into lines of at most `room`, between words or inside words that are too long. */
function wrapped(text: string, size: number, room: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const { piece, width } of piecesOf(text, size, room)) {
    if (line !== "" && taken + width > room) {
      lines.push(line.trimEnd());
      line = "";
      taken = 0;
      if (lines.length > most) break;
    }
    if (line === "" && piece === " ") continue;
    line += piece;
    taken += width;
  }
  if (line.trimEnd() !== "") lines.push(line.trimEnd());
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1]}…`];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The words and spaces of a text. A word that does not fit a line is split into characters. */
function piecesOf(text: string, size: number, room: number) {
  return text.split(/(?=\s)|(?<=[\s-])/).flatMap((word) => {
    if (/^\s$/.test(word)) return [{ piece: " ", width: widthOf(" ", size) }];
    const width = widthOf(word, size);
    if (width <= room) return [{ piece: word, width }];
    return signsOf(word).map((sign) => ({ piece: sign, width: emsOf(sign) * size }));
  });
}

/** The visible characters of a text. Segmenting is slow, and ASCII does not need it. */
function signsOf(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function emsOf(sign: string): number {
  if (/^[ -~]$/.test(sign)) {
    if (/[ !'()*,./:;I[\]fijlrt|-]/.test(sign)) return 0.4;
    if (/[%@MWmw]/.test(sign)) return 1;
    return /[A-Z0-9]/.test(sign) ? 0.7 : 0.63;
  }
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(sign)) return 1.4;
  return [0, 0.75][stringWidth(sign)] ?? 1.05;
}
