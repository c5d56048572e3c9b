import { visible } from "../util/visible.ts";
import { triggerWords } from "../call/words.ts";
import { type Placed, layOut } from "./place-boxes.ts";
import type { Picture } from "./picture.ts";
import { type Shape, capHeight, shapesOf } from "./shapes.ts";
import { pictureStyle } from "./style.ts";

/** A picture that stands by itself: no script, no font, nothing to be fetched. */
export function svg(picture: Picture): string {
  const { size, menus, ways, places } = layOut(picture, shapesOf(picture));
  const [width, height] = [size.width, size.height].map((side) => Math.ceil(side) + 2 * margin);
  // Each menu with its ways in a group: they stand out together under the pointer.
  const groups = menus.map((menu) => [box(menu)]);
  for (const [at, { from, to }] of picture.ways.entries()) {
    const [menu, way, place] = [menus[from], ways[at], places[to]];
    if (menu === undefined || way === undefined || place === undefined) continue;
    groups[from]?.push(line(menu, way), line(way, place), head(place), box(way));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ivrctl-picture" role="img" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}">`,
    `<title>${escaped(picture.title)}</title>`,
    `<desc>${escaped(description(picture))}</desc>`,
    `<style>${pictureStyle}</style>`,
    `<rect class="ground" x="${-margin}" y="${-margin}" width="${width}" height="${height}" rx="8"/>`,
    ...groups.map((parts) => `<g>\n${parts.join("\n")}\n</g>`),
    ...places.map(box),
    "</svg>\n",
  ].join("\n");
}

const margin = 16;
const mostTold = 40;

function box({ look, mark, left, top, width, height, texts, caps }: Placed<Shape>): string {
  const parts = [
    `<rect width="${short(width)}" height="${short(height)}" rx="6"/>`,
    ...caps.flatMap((cap) => [
      `<rect class="cap" x="${short(cap.x)}" y="${cap.y}" width="${short(cap.width)}" height="${capHeight}" rx="4"/>`,
      `<text class="key" x="${short(cap.x + cap.width / 2)}" y="${cap.y + 15}">${escaped(cap.key)}</text>`,
    ]),
    ...texts.map(
      ({ text, style, x, y }) =>
        `<text class="${style}" x="${short(x)}" y="${short(y)}">${escaped(text)}</text>`,
    ),
  ];
  const classes = mark === undefined ? look : `${look} ${mark}`;
  return `<g class="${classes}" transform="translate(${short(left)} ${short(top)})">${parts.join("")}</g>`;
}

/** From the right side of a box to the left side of the next. */
function line(from: Placed<Shape>, to: Placed<Shape>): string {
  const [x, y] = [from.left + from.width, from.top + from.height / 2];
  const [endX, endY] = [to.left, to.top + to.height / 2];
  const half = short((x + endX) / 2);
  return `<path d="M${short(x)} ${short(y)}C${half} ${short(y)} ${half} ${short(endY)} ${short(endX)} ${short(endY)}"/>`;
}

function head({ left, top, height }: Placed<Shape>): string {
  const y = top + height / 2;
  return `<path class="head" d="M${short(left)} ${short(y)}l-8 -4v8z"/>`;
}

/** For who does not see it; of a large picture, how large it is. */
function description({ menus, ways, places }: Picture): string {
  const counts = `${counted(menus.length, "menu")}, ${counted(ways.length, "way")}, ${counted(places.length, "destination")}`;
  if (ways.length > mostTold) return `${counts}.`;
  const told = ways.map((way) => {
    const [from, to] = [menus[way.from]?.lines[0] ?? "", places[way.to]?.lines.join(", ") ?? ""];
    return `${from}, ${triggerWords(way)}: ${to}.`;
  });
  return [`${counts}.`, ...told].join(" ");
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Text, never markup; two code points that XML does not allow are told as unknown. */
function escaped(text: string): string {
  return visible(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
