import type { Picture } from "./picture.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Menus, their ways, and where these lead; each column's boxes are of one width. */
export interface Columns<T> {
  readonly menus: readonly T[];
  readonly ways: readonly T[];
  readonly places: readonly T[];
}

/** Where a box has its upper left corner. */
export type Placed<T> = T & { readonly left: number; readonly top: number };

/**
 * Three columns. Menus and ways stay in their order, which is that of the keys as
 * callers hear of them; whoever is reached stands as near as can be to the ways
 * that lead there.
 */
export function layOut<T extends Size>(
  picture: Picture,
  boxes: Columns<T>,
): Columns<Placed<T>> & { readonly size: Size } {
  const tops = stack(picture, boxes);
  const places = settle(
    middles(picture, boxes.ways, tops.ways),
    boxes.places,
    picture.menus.length > 1 ? spread(tops.bottom, boxes.places) : gap,
  );
  // Where many are reached by few ways, they reach above the first one.
  const above = Math.min(0, ...places);
  const xs = lefts([boxes.menus, boxes.ways, boxes.places], picture.menus.length > 1);
  const placed = (column: readonly T[], at: readonly number[], left = 0) =>
    column.map((box, index) => ({ ...box, left, top: (at[index] ?? 0) - above }));
  const columns = {
    menus: placed(boxes.menus, tops.menus, xs[0]),
    ways: placed(boxes.ways, tops.ways, xs[1]),
    places: placed(boxes.places, places, xs[2]),
  };
  const all = [...columns.menus, ...columns.ways, ...columns.places];
  const size = {
    width: all.reduce((most, { left, width }) => Math.max(most, left + width), 0),
    height: all.reduce((most, { top, height }) => Math.max(most, top + height), 0),
  };
  return { ...columns, size };
}

const gap = 8;
const menuGap = 20;
const channel = 64;
const wideChannel = 220;

/** The lines of many menus need more room to be told apart. */
function lefts(columns: readonly (readonly Size[])[], many: boolean): number[] {
  let x = 0;
  return columns.map(([first], column) => {
    const left = x;
    x += (first?.width ?? 0) + (many && column === 1 ? wideChannel : channel);
    return left;
  });
}

/** The gap by which boxes take up half of what is free beside the ways of many menus. */
function spread(height: number, boxes: readonly Size[]): number {
  const free = height - sum(boxes.map((box) => box.height));
  return Math.max(gap, free / (2 * boxes.length));
}

interface Stack {
  readonly menus: number[];
  readonly ways: number[];
  readonly bottom: number;
}

/** Each menu beside the middle of its ways, one menu below the other. */
function stack({ ways }: Picture, boxes: Columns<Size>): Stack {
  const own = boxes.menus.map((): number[] => []);
  for (const [way, { from }] of ways.entries()) own[from]?.push(way);
  const tops: Omit<Stack, "bottom"> = { menus: [], ways: [] };
  let y = 0;
  for (const [menu, { height }] of boxes.menus.entries()) {
    const heights = (own[menu] ?? []).map((way) => boxes.ways[way]?.height ?? 0);
    const inner = sum(heights) + gap * Math.max(0, heights.length - 1);
    const outer = Math.max(height, inner);
    tops.menus.push(y + (outer - height) / 2);
    let top = y + (outer - inner) / 2;
    for (const [at, way] of (own[menu] ?? []).entries()) {
      tops.ways[way] = top;
      top += (heights[at] ?? 0) + gap;
    }
    y += outer + menuGap;
  }
  return { ...tops, bottom: y };
}

/** For each place, the mean height of the ways that lead there. */
function middles(
  { ways, places }: Picture,
  boxes: readonly Size[],
  tops: readonly number[],
): number[] {
  const sums = places.map(() => ({ sum: 0, count: 0 }));
  for (const [way, { to }] of ways.entries()) {
    const own = sums[to];
    if (own === undefined) continue;
    own.sum += (tops[way] ?? 0) + (boxes[way]?.height ?? 0) / 2;
    own.count += 1;
  }
  return sums.map(({ sum, count }) => sum / count);
}

/**
 * One below the other in the order of the heights they would like to have, which
 * crosses few lines, and no further from them than there is need: those that
 * would overlap share the mean of what they want (isotonic regression).
 */
function settle(wanted: readonly number[], boxes: readonly Size[], gap: number): number[] {
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
