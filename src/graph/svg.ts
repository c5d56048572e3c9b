import { describeTrigger } from "../call/describe-call.ts";
import { many } from "../util/many.ts";
import { markupText } from "../util/html.ts";
import { type Placed, capHeight, fontSizes, layOut } from "./layout.ts";
import { type Picture, palette } from "./picture.ts";

interface Look {
  /** The address that the box of a menu links to. With it, a page can find the boxes and lines by their indexes. */
  readonly addressOf?: (key: string) => string;
}

/** A picture as one SVG file without scripts, fonts or external resources. */
export function svg(picture: Picture, { addressOf }: Look = {}): string {
  const { size, menus, paths, places, targets } = layOut(picture);
  const [width, height] = [size.width, size.height].map((side) => Math.ceil(side) + 2 * margin);
  const data = (name: string, at: number) => (addressOf ? ` data-${name}="${at}"` : "");
  const linked = (placed: Placed, at: number) => {
    const drawn = box(placed, data("box", at));
    if (addressOf === undefined || placed.menu === undefined) return drawn;
    return `<a href="${markupText(addressOf(placed.menu))}">${drawn}</a>`;
  };
  // A menu and its paths are in one group, so that pointing at it highlights them together.
  const groups = menus.map((menu, at) => [linked(menu, at)]);
  for (const [at, { from }] of picture.paths.entries()) {
    const [menu, path, place] = [menus[from], paths[at], targets[at]];
    if (menu === undefined || path === undefined) continue;
    const own = data("path", at);
    const onward = place === undefined ? [] : [line(path, place, own), head(place, own)];
    groups[from]?.push(line(menu, path, own), ...onward, box(path, own));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ivrctl-picture" role="${addressOf ? "group" : "img"}" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}">`,
    `<title>${markupText(picture.title)}</title>`,
    `<desc>${markupText(description(picture))}</desc>`,
    `<style>${pictureStyle}</style>`,
    `<rect class="ground" x="${-margin}" y="${-margin}" width="${width}" height="${height}" rx="8"/>`,
    ...groups.map((parts) => `<g>\n${parts.join("\n")}\n</g>`),
    ...places.map((place, at) => linked(place, menus.length + at)),
    "</svg>\n",
  ].join("\n");
}

const margin = 16;
const mostDescribed = 40;

function box(placed: Placed, data: string): string {
  const { look, mark, left, top, width, height, texts } = placed;
  const parts = [
    `<rect width="${short(width)}" height="${short(height)}" rx="6"/>`,
    ...texts.map(({ text, style, x, y, width: textWidth }) => {
      const isKey = style === "key";
      const cap = `<rect class="cap" x="${short(x)}" y="${y - 15}" width="${short(textWidth)}" height="${capHeight}" rx="4"/>`;
      return `${isKey ? cap : ""}<text class="${style}" x="${short(isKey ? x + textWidth / 2 : x)}" y="${y}">${markupText(text)}</text>`;
    }),
  ];
  const classes = [look, mark ?? []].flat().join(" ");
  return `<g class="${classes}"${data} transform="translate(${short(left)} ${short(top)})">${parts.join("")}</g>`;
}

/** A line from the right side of a box to the left side of another. */
function line(from: Placed, to: Placed, data: string): string {
  const [x, y] = [from.left + from.width, from.top + from.height / 2];
  const [endX, endY] = [to.left, to.top + to.height / 2];
  const half = short((x + endX) / 2);
  return `<path${data} d="M${short(x)} ${short(y)}C${half} ${short(y)} ${half} ${short(endY)} ${short(endX)} ${short(endY)}"/>`;
}

function head({ left, top, height }: Placed, data: string): string {
  const y = top + height / 2;
  return `<path class="head"${data} d="M${short(left)} ${short(y)}l-8 -4v8z"/>`;
}

/** The description for screen readers. For a large picture, only its size. */
function description({ menus, paths, places }: Picture): string {
  const counts = `${many(menus.length, "menu")}, ${many(paths.length, "path")}, ${many(places.length, "destination")}`;
  if (paths.length > mostDescribed) return `${counts}.`;
  const boxes = [...menus, ...places];
  const described = paths.map((path) => {
    const to = path.reaches ?? boxes[path.to ?? -1]?.lines.join(", ") ?? "";
    return `${menus[path.from]?.lines[0] ?? ""}, ${describeTrigger(path)}, goes to ${to}.`;
  });
  return [`${counts}.`, ...described].join(" ");
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const marks = Object.entries(palette).map(([mark, { fill, stroke, line, dark }]) => {
  const box = `.ivrctl-picture .${mark}>rect:first-child`;
  return [
    `${box}{fill:${fill};stroke:${stroke};${line}}`,
    `${box}{fill:${dark.fill};stroke:${dark.stroke}}`,
  ];
});

/** The style of all pictures. It affects nothing else on a page with several pictures. */
export const pictureStyle = `
.ivrctl-picture{font-family:system-ui,sans-serif;--ground:#fff;--ink:#1f2328;--soft:#59636e;--edge:#818b98;--box:#f6f8fa;--menu:#ddf4ff;--strong:#0969da}
@media screen and (prefers-color-scheme:dark){.ivrctl-picture{--ground:#0d1117;--ink:#e6edf3;--soft:#a6afba;--edge:#7d8590;--box:#1c2128;--menu:#12294a;--strong:#58a6ff}}
.ivrctl-picture .ground{fill:var(--ground)}
.ivrctl-picture text{fill:var(--ink);font-size:${fontSizes.line}px}
.ivrctl-picture .name{font-size:${fontSizes.name}px;font-weight:600}
.ivrctl-picture .line{fill:var(--soft)}
.ivrctl-picture .path .line,.ivrctl-picture .else .line{fill:var(--ink)}
.ivrctl-picture .menu>rect{fill:var(--menu);stroke:var(--strong);stroke-width:1.5px}
.ivrctl-picture .place>rect{fill:var(--box);stroke:var(--edge)}
.ivrctl-picture .path>rect,.ivrctl-picture .else>rect{fill:var(--ground);stroke:var(--edge)}
.ivrctl-picture .else>rect{stroke-dasharray:4 3}
.ivrctl-picture .path>.cap{fill:var(--box)}
.ivrctl-picture .key{font-family:ui-monospace,monospace;font-weight:600;text-anchor:middle}
.ivrctl-picture path{fill:none;stroke:var(--edge);stroke-width:1.25px}
.ivrctl-picture .head{fill:var(--edge);stroke:none}
.ivrctl-picture g:hover>path{stroke:var(--strong);stroke-width:2px}
.ivrctl-picture g:hover>.head{fill:var(--strong);stroke:none}
${marks.map(([light]) => light).join("\n")}
.ivrctl-picture :is(${Object.keys(palette)
  .map((mark) => `.${mark}`)
  .join()})>.line{fill:var(--ink)}
@media screen and (prefers-color-scheme:dark){${marks.map(([, dark]) => dark).join("")}}
`;
