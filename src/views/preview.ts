import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { tally } from "./diagnostics/text.ts";
import { type Page, type Paint, visible } from "./terminal.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";

interface Written {
  readonly file: string;
  readonly menus: number;
  /** Absent unless the menus are compared with a revision. */
  readonly changed?: number;
}

/** Which file was written. */
export function writtenText({ file, menus, changed }: Written, { path }: Page): string {
  const counts = `${many(menus, "menu")}${changed === undefined ? "" : `, ${changed} changed`}`;
  return `Wrote ${visible(path(file))}: ${counts}.\n`;
}

/** A line for each time the files have been read. */
export function loadedText(
  menus: number,
  diagnostics: readonly Diagnostic[],
  now: Date,
  style: Paint,
): string {
  const found = tally(diagnostics);
  const words = found === "" ? "" : `, ${found}: see the page`;
  return `${style("dim", clockTime(now.toISOString()))}  ${many(menus, "menu")}${words}\n`;
}
