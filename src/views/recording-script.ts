import type { Scripted } from "../call/recordings.ts";
import { listed } from "../util/many.ts";
import { prose } from "./markdown.ts";
import { type Page, visible } from "./terminal.ts";
import { wrap } from "./text.ts";
import type { CallRecording } from "../model/call-menu.ts";
import { recordingName } from "../model/field-words.ts";

/* The recording script: what each recording says, where callers hear it, and which must be recorded again. */

/** The recordings that must be recorded again, by id, with what they say until then. Undefined if the state is unknown. */
type Again = ReadonlyMap<string, string> | undefined;

export function scriptText(script: readonly Scripted[], again: Again, page: Page): string {
  const blocks = script.map(({ recording, places }) => {
    const { id, says } = recording;
    const head = [
      recordingName(recording),
      secondsOf(recording),
      again?.has(id) ? mark : [],
    ].flat();
    const was = again?.get(id);
    const lines = [
      says === undefined ? "(the files have no text)" : `“${says}”`,
      ...(was === undefined ? [] : [`until then: “${was}”`]),
      ...placesIn(places, 3),
    ].map((line) => wrap(visible(line), "  ", page.wordWrap));
    return [page.style("bold", visible(head.join(", "))), ...lines].join("\n");
  });
  if (again === undefined) {
    const unknown = "It is unknown which of these must be recorded again. Fix the errors first.";
    blocks.push(wrap(unknown, "", page.wordWrap));
  }
  return script.length === 0 ? "" : `${blocks.join("\n\n")}\n`;
}

export function scriptMarkdown(script: readonly Scripted[], again: Again): string {
  const rows = script.map(({ recording, places }) => {
    const { id, says = "" } = recording;
    const cells = [recordingName(recording), says, placesIn(places, 5).join("; ")];
    const isOpen = again === undefined ? "unknown" : again.has(id) ? mark : "";
    return [...cells, secondsOf(recording).join(""), isOpen].map(prose);
  });
  const head = ["recording", "text", "where callers hear it", "length", ""];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}

export function scriptCsv(script: readonly Scripted[], again: Again): string {
  const rows = script.map(({ recording, places }) => {
    const { id, alias = "", says = "", language = "", seconds = "" } = recording;
    const where = placesIn(places, Number.POSITIVE_INFINITY).join("; ");
    const isOpen = again === undefined ? "unknown" : again.has(id) ? "yes" : "no";
    return [id, alias, says, language, String(seconds), where, isOpen];
  });
  const head = ["id", "alias", "text", "language", "seconds", "where", "record_again"];
  return [head, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** A cell in quotes. A spreadsheet must not take it as a formula, so an apostrophe makes it text. */
function csvCell(text: string): string {
  const shown = visible(text).replaceAll('"', '""');
  return `"${/^\s*[=+\-@|%]/.test(shown) ? "'" : ""}${shown}"`;
}

export function scriptJson(script: readonly Scripted[], again: Again): object {
  const recordings = script.map(({ recording, places }) => {
    const { id, alias = null, says = null, language = null, seconds = null } = recording;
    return { id, alias, says, language, seconds, places, record_again: again?.has(id) ?? null };
  });
  return { recordings };
}

const mark = "record again";

function secondsOf({ seconds }: CallRecording): string[] {
  return seconds === undefined ? [] : [`${seconds} s`];
}

function placesIn(places: Scripted["places"], most: number): string[] {
  return places.map(({ when, menus }) => `${when}: ${listed(menus, most)}`);
}
