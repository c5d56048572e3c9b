import { visible } from "../util/visible.ts";
import { widthOf, wrapped } from "./text-width.ts";
import type { Box, Mark, Path, Picture } from "./picture.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The parts of a picture: the menus, their paths, and the destinations. */
interface Parts<T> {
  readonly menus: T;
  readonly paths: T;
  readonly places: T;
}

/** A box with its text in lines. Positions are relative to its upper left corner. */
interface Shape extends Size {
  readonly look: "menu" | "path" | "else" | "place";
  readonly mark: Mark | undefined;
  readonly texts: readonly Text[];
  readonly caps: readonly Cap[];
  /** The key of the menu that the box stands for. */
  readonly menu?: string | undefined;
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

/** The layout of a picture. `targets` has the box that each path leads to. */
interface Layout extends Parts<readonly Placed[]> {
  readonly targets: readonly (Placed | undefined)[];
  readonly size: Size;
}

/**
 * Places all boxes in columns: the menus where calls begin, their paths, then what these lead to, and
 * so on. Menus and paths keep their order, in which callers hear the keys. Everything that a path
 * leads to is as near as possible to it. In a flow, a path has a line only to a menu in the next column,
 * because other lines would hide the flow.
 */
export function layOut(picture: Picture): Layout {
  const { menus, levels } = picture;
  /** What the line of each path leads to; undefined if it has none. */
  const ends = picture.paths.map(({ from, to }): End | undefined => {
    if (to === undefined) return undefined;
    if (to >= menus.length) return { part: "places", at: to - menus.length };
    return levels[to] === (levels[from] ?? 0) + 1 ? { part: "menus", at: to } : undefined;
  });
  const shapes = shapesOf(picture);
  const at = positions(picture, ends, shapes);
  // If there are more destinations than paths, they start above the first path.
  const tops = [...at.tops.menus, ...at.tops.paths, ...at.tops.places];
  const above = tops.reduce((most, top) => Math.min(most, top), 0);
  const placed = (part: keyof Parts<unknown>) =>
    shapes[part].map(({ ...box }, index): Placed => {
      const [left = 0, top = 0] = [at.lefts[part][index], at.tops[part][index]];
      return Object.assign(box, { left, top: top - above });
    });
  const parts = { menus: placed("menus"), paths: placed("paths"), places: placed("places") };
  const all = [...parts.menus, ...parts.paths, ...parts.places];
  return {
    ...parts,
    targets: ends.map((end) => end && parts[end.part][end.at]),
    size: {
      width: all.reduce((most, { left, width }) => Math.max(most, left + width), 0),
      height: all.reduce((most, { top, height }) => Math.max(most, top + height), 0),
    },
  };
}

/** A box that the line of a path leads to. */
interface End {
  readonly part: "menus" | "places";
  readonly at: number;
}

const gap = 8;
const menuGap = 20;
const channel = 64;
/** The width of the channel in a flow, whose lines need more room. */
const wideChannel = 120;

/** The positions of all boxes, column by column. */
function positions(
  picture: Picture,
  ends: readonly (End | undefined)[],
  shapes: Parts<readonly Shape[]>,
) {
  const { menus, levels, paths, places } = picture;
  const own = menus.map((): number[] => []);
  for (const [path, { from }] of paths.entries()) own[from]?.push(path);
  const heightOf = (path: number) => shapes.paths[path]?.height ?? 0;
  const tops: Parts<number[]> = { menus: [], paths: [], places: [] };
  const lefts: Parts<number[]> = { menus: [], paths: [], places: [] };
  const wanted = { menus: menus.map(() => new Mean()), places: places.map(() => new Mean()) };
  const lastLevel = levels.reduce((last, level) => Math.max(last, level), 0);
  const isFlow = lastLevel > 0;
  const pathWidth = shapes.paths[0]?.width ?? 0;
  let left = 0;
  for (let column = 0; column <= lastLevel + 1; column += 1) {
    const blocks = [
      ...levels.flatMap((level, menu) => {
        if (level !== column) return [];
        const inner = sum((own[menu] ?? []).map((path) => heightOf(path) + gap)) - gap;
        const { width, height } = shapes.menus[menu] ?? nothing;
        const outer = Math.max(height, inner);
        return { part: "menus" as const, at: menu, width, height, inner, outer };
      }),
      ...places.flatMap((_, place) => {
        if (column !== 1) return [];
        const { width, height } = shapes.places[place] ?? nothing;
        return { part: "places" as const, at: place, width, height, inner: 0, outer: height };
      }),
    ];
    const heights = blocks.map(({ outer }) => ({ height: outer }));
    const blockTops =
      column === 0
        ? stack(heights)
        : placeNear(
            blocks.map(({ part, at }) => wanted[part][at]?.value ?? 0),
            heights,
            isFlow ? menuGap : gap,
          );
    const width = blocks.reduce((most, block) => Math.max(most, block.width), 0);
    const pathLeft = left + width + channel;
    for (const [index, { part, at, height, inner, outer }] of blocks.entries()) {
      const top = blockTops[index] ?? 0;
      lefts[part][at] = left;
      tops[part][at] = top + (outer - height) / 2;
      let y = top + (outer - inner) / 2;
      for (const path of part === "menus" ? (own[at] ?? []) : []) {
        lefts.paths[path] = pathLeft;
        tops.paths[path] = y;
        const end = ends[path];
        if (end) wanted[end.part][end.at]?.add(y + heightOf(path) / 2);
        y += heightOf(path) + gap;
      }
    }
    left = pathLeft + pathWidth + (isFlow ? wideChannel : channel);
  }
  return { tops, lefts };
}

const nothing: Size = { width: 0, height: 0 };

class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
  }

  get value(): number {
    return this.#sum / Math.max(1, this.#count);
  }
}

type Height = Pick<Size, "height">;

/** Places boxes one below the other. */
function stack(boxes: readonly Height[]): number[] {
  let y = 0;
  return boxes.map(({ height }) => {
    const top = y;
    y += height + menuGap;
    return top;
  });
}

/**
 * Places boxes one below the other, sorted by their wanted heights, so that few lines cross. Boxes
 * that would overlap share the mean of their wanted heights (isotonic regression).
 */
function placeNear(wanted: readonly number[], boxes: readonly Height[], gap: number): number[] {
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

function shapesOf({ menus, paths, places }: Picture): Parts<readonly Shape[]> {
  return {
    menus: alike(menus.map((menu) => boxShape(menu, "menu"))),
    paths: alike(paths.map(pathShape)),
    places: alike(places.map((place) => boxShape(place, "place"))),
  };
}

/** Gives all boxes of a column the same width. */
function alike(shapes: readonly Shape[]): Shape[] {
  const width = shapes.reduce((most, shape) => Math.max(most, shape.width), 0);
  return shapes.map(({ ...shape }) => Object.assign(shape, { width }));
}

function boxShape({ lines, mark, menu }: Box, look: Shape["look"]): Shape {
  const texts: Text[] = [];
  for (const [at, line] of lines.entries()) {
    const style = at === 0 ? "name" : "line";
    for (const text of wrapped(visible(line), sizeOf(style), room, mostLines)) {
      texts.push({ text, style, x: padding, y: 23 + texts.length * lineHeight });
    }
  }
  return { look, mark, menu, texts, caps: [], ...around(texts, []) };
}

/**
 * The shape of a path: its keys, with their purpose next to them, or below if there is no room. What
 * else leads there is on a line of its own, so that it does not look like the purpose of the key.
 */
function pathShape({ keys, purpose, otherwise, mark, leads }: Path): Shape {
  const caps = capsOf(keys);
  const last = caps.at(-1);
  const right = last === undefined ? padding : last.x + last.width + 8;
  const beside = last === undefined || right < room * 0.6;
  const [x, top] = beside ? [right, last?.y ?? 5] : [padding, last.y + capHeight + 2];
  const causes = otherwise.join(", ");
  const meant = last === undefined ? causes : (purpose ?? "");
  const also = last === undefined || causes === "" ? [] : [`also ${causes}`];
  const lines = [leads === undefined ? meant : `${meant} → ${leads}`.trimStart(), ...also];
  const texts = lines
    .flatMap((line) => wrapped(visible(line), fontSizes.line, room + padding - x, mostLines))
    .map((text, at): Text => ({ text, style: "line", x, y: top + 15 + at * lineHeight }));
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
