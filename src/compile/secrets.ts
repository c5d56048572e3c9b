import type { Source } from "../diagnostics/source.ts";
import { nearest } from "./nearest.ts";
import type { MapNode, Node } from "./read/node.ts";

const looksSecret =
  /^[^#\n]*?(?:token|secret|passw|bearer|authori|api[_-]?key)\w*["']?[ \t]*:[ \t]*(?!["']?\$\{|\{|#|$)(?<value>\S.*)$/gim;

/** For a file too broken to tell its tokens from the rest. */
export function hideWhatLooksSecret(source: Source): void {
  for (const match of source.text.matchAll(looksSecret)) {
    const end = match.index + match[0].length;
    source.hide(end - (match.groups?.["value"]?.length ?? 0), end);
  }
}

const serviceFields = ["base_url", "token", "timeout", "concurrency", "requests_per_second"];

/** Whatever stands under `token`, or under what may be a misspelt one. */
export function hideTokens(service: MapNode): void {
  for (const { key, value } of service.entries) {
    const [meant] = serviceFields.includes(key.text)
      ? [key.text]
      : nearest(key.text, serviceFields);
    if (meant === undefined || meant === "token") hideToken(value);
  }
}

function hideToken(value: Node): void {
  if (value.kind === "map") {
    for (const { key, value: inner } of value.entries) if (key.text !== "command") hideToken(inner);
  } else if (value.kind === "list" || !/^\$\{\w+\}$/.test(value.text)) {
    value.source.hide(value.start, value.end);
  }
}
