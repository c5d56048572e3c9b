import { createHash } from "node:crypto";
import script from "virtual:preview-script";
import { pictureStyle } from "../graph/svg.ts";
import { Html, html } from "../util/html.ts";
import { version } from "../util/version.ts";
import type { PreviewData } from "./data.ts";
import { previewStyle } from "./style.ts";

/** By this a page is known for one of ours. */
export const generator = `<meta name="generator" content="ivrctl preview"`;

/**
 * One file that needs no other: it opens from a disk as from a server, and may
 * run the script in it and nothing else, whatever a menu's text says.
 */
export function previewDocument(data: PreviewData): string {
  const count = data.menus.length === 1 ? "1 menu" : `${data.menus.length} menus`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content="${new Html(policy(data))}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        ${new Html(generator)} data-version="${version}">
        <title>${count} · ivrctl preview</title>
        <link rel="icon" href="data:," />
        ${new Html(`<style>${previewStyle}</style>`)}
      </head>
      <body>
        <noscript
          ><p>
            Here menus are called key by key, which takes JavaScript: all of it is in this file, and
            nothing is fetched.
          </p></noscript
        >
        ${new Html(`<script type="application/json" id="data">${inert(data)}</script>`)}
        ${new Html(`<script>${script}</script>`)}
      </body>
    </html> `.text;
}

export function policy({ live }: Pick<PreviewData, "live">): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(previewStyle)} ${hashOf(pictureStyle)}`,
    "img-src data:",
    ...(live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** JSON in which no tag begins, so that nothing in it can end the element it stands in. */
function inert(data: PreviewData): string {
  return JSON.stringify(data).replaceAll("<", String.raw`\u003c`);
}
