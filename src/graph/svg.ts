import { many } from "../util/many.ts";
import { markupText } from "../util/html.ts";
import { type PlacedBox, capHeight, fontSizes, layOut } from "./layout.ts";
import { type Picture, palette } from "./picture.ts";
import { describeTrigger } from "../model/trigger.ts";

/** A picture as one SVG file without scripts, fonts or external resources. */
export function svg(picture: Picture): string {
  const { size, menus, paths, places, targets } = layOut(picture);
  const [width, height] = [size.width, size.height].map((side) => Math.ceil(side) + 2 * margin);
  // A menu and its paths are in one group, so that pointing at it highlights them together.
  const groups = menus.map((menu) => [box(menu)]);
  for (const [at, { from }] of picture.paths.entries()) {
    const [menu, path, place] = [menus[from], paths[at], targets[at]];
    if (menu === undefined || path === undefined) continue;
    const onward = place === undefined ? [] : [line(path, place), head(place)];
    groups[from]?.push(line(menu, path), ...onward, box(path));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ivrctl-picture" role="img" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}">`,
    `<title>${markupText(picture.title)}</title>`,
    `<desc>${markupText(description(picture))}</desc>`,
    `<style>${pictureStyle}</style>`,
    `<rect class="ground" x="${-margin}" y="${-margin}" width="${width}" height="${height}" rx="8"/>`,
    ...groups.map((parts) => `<g>\n${parts.join("\n")}\n</g>`),
    ...places.map(box),
    "</svg>\n",
  ].join("\n");
}

const margin = 16;
const mostDescribed = 40;

function box(placed: PlacedBox): string {
  const { look, mark, left, top, width, height, texts } = placed;
  const corner = look === "place" ? height / 2 : 6;
  const parts = [
    `<rect width="${short(width)}" height="${short(height)}" rx="${short(Math.min(corner, 18))}"/>`,
    ...texts.map(({ text, style, x, y, width: textWidth }) => {
      const isKey = style === "key";
      // Between names in a right-to-left script, the arrow would point backwards.
      const pointing = /(?<=\p{Script=Arabic}|\p{Script=Hebrew}) →/u;
      const escaped = markupText(text).replace(pointing, " \u200E→");
      const cap = `<rect class="cap" x="${short(x)}" y="${y - 15}" width="${short(textWidth)}" height="${capHeight}" rx="4"/>`;
      return `${isKey ? cap : ""}<text class="${style}" x="${short(isKey ? x + textWidth / 2 : x)}" y="${y}">${escaped}</text>`;
    }),
  ];
  const classes = [look === "else" ? "path else" : look, mark ?? []].flat().join(" ");
  return `<g class="${classes}" transform="translate(${short(left)} ${short(top)})">${parts.join("")}</g>`;
}

/** A line from the right side of a box to the left side of another. */
function line(from: PlacedBox, to: PlacedBox): string {
  const [x, y] = [from.left + from.width, from.top + from.height / 2];
  const [endX, endY] = [to.left, to.top + to.height / 2];
  const half = short((x + endX) / 2);
  return `<path d="M${short(x)} ${short(y)}C${half} ${short(y)} ${half} ${short(endY)} ${short(endX)} ${short(endY)}"/>`;
}

function head({ left, top, height }: PlacedBox): string {
  return `<path class="head" d="M${short(left)} ${short(top + height / 2)}l-8 -4v8z"/>`;
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

/** The rules for all colors. They are literal, because some renderers know no variables. */
function colorRules(scheme: "light" | "dark"): string {
  const [ground, ink, soft, edge, box, menu, strong] = colors[scheme];
  const rules = [
    `.ground{fill:${ground}}`,
    `text{fill:${ink}}`,
    `.line{fill:${soft}}`,
    `.menu>rect{fill:${menu};stroke:${strong}}`,
    `.place>rect{fill:${box};stroke:${edge}}`,
    `.path>rect{fill:${ground};stroke:${edge}}`,
    `.path>.cap{fill:${box}}`,
    `.path>.line{fill:${ink}}`,
    `path{stroke:${edge}}`,
    `.head{fill:${edge};stroke:none}`,
    `g:hover>path{stroke:${strong}}`,
    `g:hover>.head{fill:${strong};stroke:none}`,
    ...Object.entries(palette).flatMap(([mark, { dark, ...light }]) => {
      const { fill, stroke } = scheme === "dark" ? dark : light;
      const ownBox = `.${mark}>rect:first-child{fill:${fill};stroke:${stroke};${light.line}}`;
      return [ownBox, `.${mark}>.line{fill:${ink}}`];
    }),
  ];
  return rules.map((rule) => `.ivrctl-picture ${rule}`).join("\n");
}

const colors = {
  light: ["#fff", "#1f2328", "#59636e", "#818b98", "#f6f8fa", "#ddf4ff", "#0969da"],
  dark: ["#0d1117", "#e6edf3", "#a6afba", "#7d8590", "#1c2128", "#12294a", "#58a6ff"],
} as const;

/** The style of all pictures. It affects nothing else on a page with several pictures. */
const pictureStyle = `
.ivrctl-picture{font-family:system-ui,sans-serif}
.ivrctl-picture text{font-size:${fontSizes.line}px}
.ivrctl-picture .name{font-size:${fontSizes.name}px;font-weight:600}
.ivrctl-picture .key{font-family:ui-monospace,monospace;font-weight:600;text-anchor:middle}
.ivrctl-picture .menu>rect{stroke-width:1.5px}
.ivrctl-picture .else>rect{stroke-dasharray:4 3}
.ivrctl-picture path{fill:none;stroke-width:1.25px}
.ivrctl-picture g:hover>path{stroke-width:2px}
${colorRules("light")}
@media screen and (prefers-color-scheme:dark){
${colorRules("dark")}
}
`;
