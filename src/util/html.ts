import { visible } from "./visible.ts";

/** Markup that is safe to put into a page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Whatever is not markup already is text: shown, never obeyed. */
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
