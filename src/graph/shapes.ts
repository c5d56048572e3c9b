import { visible } from "../util/visible.ts";
import type { Columns, Size } from "./place-boxes.ts";
import { widthOf, wrapped } from "./measure.ts";
import type { Box, Mark, Picture, Way } from "./picture.ts";

/** A box with its text broken into lines; everything in it is placed from its upper left corner. */
export interface Shape extends Size {
  readonly look: "menu" | "way" | "else" | "place";
  readonly mark: Mark | undefined;
  readonly texts: readonly Text[];
  readonly caps: readonly Cap[];
}

interface Text {
  readonly text: string;
  readonly style: "name" | "line";
  readonly x: number;
  /** Of the line that the letters stand on. */
  readonly y: number;
}

/** A key as on a telephone. */
interface Cap {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export const fontSizes = { name: 15, line: 13 } as const;
export const capHeight = 20;

export function shapesOf({ menus, ways, places }: Picture): Columns<Shape> {
  return {
    menus: alike(menus.map((menu) => boxShape(menu, "menu"))),
    // Among many menus nobody should have to follow a line to read where it leads.
    ways: alike(
      ways.map((way) => wayShape(way, menus.length > 1 ? places[way.to]?.lines[0] : undefined)),
    ),
    places: alike(places.map((place) => boxShape(place, "place"))),
  };
}

const padding = 10;
const lineHeight = 19;
const room = 250;
const mostLines = 5;

/** The boxes of a column are of one width, so that its edges are straight. */
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

/** The keys, and beside them what they are for: under them, where they leave no room. */
function wayShape({ keys, purpose, otherwise, mark }: Way, leads: string | undefined): Shape {
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
  const look = keys.length === 0 ? "else" : "way";
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
  // A name is set bold, which is wider.
  return style === "name" ? fontSizes.name * 1.1 : fontSizes.line;
}
