import { markupText } from "../util/html.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** An element on separate lines. Its body must already be XML. */
export function element(name: string, attributes: Attributes, body = ""): string {
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${markupText(String(value))}"`)
    .join("");
  return body === "" ? `<${name}${given}/>\n` : `<${name}${given}>\n${body}</${name}>\n`;
}

export function xmlDocument(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}
