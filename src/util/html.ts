import { visible } from "./visible.ts";

/** Markup that is safe to insert into a page unchanged. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** A template for markup. Escapes every part that is not markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, index) => string + render(parts[index] ?? "")).join(""));
}

export const nothing = new Html("");

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("");
  return visible(String(part)).replace(
    /[&<>"']/g,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
}
