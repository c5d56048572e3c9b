import { type Page, visible } from "./terminal.ts";
import { listed, many } from "../util/many.ts";

interface Drawn {
  readonly file: string;
  readonly text: string;
  readonly drawable: boolean;
}

/** How to see a picture that cannot be drawn. Empty if it can. */
export function sizeNote({ drawable }: Drawn): string {
  return drawable ? "" : `${tooLarge}\n`;
}

/** Lists the files that were written. */
export function picturesText(folder: string, files: readonly Drawn[], { path }: Page): string {
  if (files.length === 0) return "";
  const named = files.map(({ file }) => file);
  const count = many(files.length, "picture");
  const notes = files.flatMap(({ file, drawable }) =>
    drawable ? [] : `${visible(file)}: ${tooLarge}\n`,
  );
  return `Wrote ${count} to ${visible(path(folder))}: ${visible(listed(named, mostNamed))}.\n${notes.join("")}`;
}

const mostNamed = 12;
const tooLarge = "GitHub and GitLab do not draw Mermaid of this size. Use --format svg.";
