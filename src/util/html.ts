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
  return markupText(String(part));
}

/** Escapes text for HTML and XML. The two code points that XML does not allow become U+FFFD. */
export function markupText(text: string): string {
  return visible(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
