import { groupBy } from "../util/group-by.ts";
import { visible } from "../util/visible.ts";
import { estimateWidth, wrapped } from "./text-width.ts";
import type { Box, Mark, Path, Picture } from "./picture.ts";

interface Size {
  readonly width: number;
  readonly height: number;
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
  left: number;
  top: number;
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

/** The layout of a picture. `targets` has the box that the line of each path goes to. */
interface Layout {
  readonly menus: readonly Placed[];
  readonly paths: readonly Placed[];
  readonly places: readonly Placed[];
  readonly targets: readonly (Placed | undefined)[];
  readonly size: Size;
}

const gap = 8;
const menuGap = 20;
const channel = 64;
/** The width of the channel in a flow, whose lines need more room. */
const wideChannel = 120;

/**
 * Places all boxes in columns: the menus where calls begin, their paths, then what these go to, and
 * so on. Paths keep their order, in which callers hear the keys. In a flow, a path has a line only to a
 * menu in the next column, because other lines would hide the flow.
 */
export function layOut(picture: Picture): Layout {
  const { levels } = picture;
  const menus = alike(picture.menus.map((menu) => boxShape(menu, "menu")));
  const paths = alike(picture.paths.map(pathShape));
  const places = alike(picture.places.map((place) => boxShape(place, "place")));
  const targets = picture.paths.map(({ from, to }) => {
    if (to === undefined) return undefined;
    if (to >= menus.length) return places[to - menus.length];
    return levels[to] === (levels[from] ?? 0) + 1 ? menus[to] : undefined;
  });
  const own = groupBy([...picture.paths.keys()], (path) => menus[picture.paths[path]?.from ?? 0]);
  /** The heights of the paths to each box. The box is as near to their mean as possible. */
  const wanted = new Map<Placed, number[]>();
  const wantedBy = (box: Placed) => {
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
      const ownPaths = own.get(box) ?? [];
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
    left = pathLeft + (paths[0]?.width ?? 0) + (isFlow ? wideChannel : channel);
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
function alike(shapes: readonly Shape[]): Placed[] {
  const width = shapes.reduce((most, shape) => Math.max(most, shape.width), 0);
  return shapes.map((shape) => ({ ...shape, width, left: 0, top: 0 }));
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
 * else goes there is on a line of its own, so that it does not look like the purpose of the key.
 */
function pathShape({ keys, purpose, otherwise, mark, reaches }: Path): Shape {
  const caps = capsOf(keys);
  const last = caps.at(-1);
  const right = last === undefined ? padding : last.x + last.width + 8;
  const beside = last === undefined || right < room * 0.6;
  const [x, top] = beside ? [right, last?.y ?? 5] : [padding, last.y + capHeight + 2];
  const causes = otherwise.join(", ");
  const meant = last === undefined ? causes : (purpose ?? "");
  const also = last === undefined || causes === "" ? [] : [`also ${causes}`];
  const lines = [reaches === undefined ? meant : `${meant} → ${reaches}`.trimStart(), ...also];
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
    const width = Math.max(estimateWidth(key, fontSizes.line) + 12, 24);
    if (x > padding && x + width > room) [x, y] = [padding, y + capHeight + 4];
    const cap = { key, x, y, width };
    x += width + 4;
    return cap;
  });
}

function around(texts: readonly Text[], caps: readonly Cap[]): Size {
  const rights = [
    ...texts.map(({ x, text, style }) => x + estimateWidth(text, sizeOf(style))),
    ...caps.map(({ x, width }) => x + width),
  ];
  const bottoms = [...texts.map(({ y }) => y + 10), ...caps.map(({ y }) => y + capHeight + 5)];
  return { width: Math.ceil(Math.max(...rights)) + padding, height: Math.max(...bottoms) };
}

function sizeOf(style: Text["style"]): number {
  // Names are bold, which is wider.
  return style === "name" ? fontSizes.name * 1.1 : fontSizes.line;
}
