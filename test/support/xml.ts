/** An element of a document without comments, processing instructions or CDATA. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

/** Parses XML. Throws if the document is invalid. */
export function parseXml(document: string): Element {
  // eslint-disable-next-line no-control-regex -- characters that XML 1.0 does not allow
  if (/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(document)) {
    throw new Error("a character that XML does not allow");
  }
  const body = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  const open: {
    name: string;
    attributes: Record<string, string>;
    children: Element[];
    text: string;
  }[] = [{ name: "", attributes: {}, children: [], text: "" }];
  for (const [token] of body.matchAll(/<[^>]*>|[^<]+/g)) {
    const top = open.at(-1);
    if (top === undefined) throw new Error("text after the end of the document");
    const tag = /^<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>$/.exec(token);
    if (tag === null) {
      if (token.startsWith("<")) throw new Error(`not a tag: ${token}`);
      top.text += unescaped(token);
      continue;
    }
    const [, closes, name = "", given = "", empty] = tag;
    if (closes === "/") {
      if (top.name !== name) throw new Error(`${top.name} is closed by ${name}`);
      open.pop();
      open.at(-1)?.children.push(top);
      continue;
    }
    const pairs = [...given.matchAll(/ ([a-z]+)="([^"]*)"/g)];
    const attributes = Object.fromEntries(
      pairs.map(([, key, value = ""]) => [key, unescaped(value)]),
    );
    if (Object.keys(attributes).length !== pairs.length) throw new Error("a duplicate attribute");
    const element = { name, attributes, children: [], text: "" };
    if (empty === "/") top.children.push(element);
    else open.push(element);
  }
  const [root, ...more] = open[0]?.children ?? [];
  if (open.length !== 1 || root === undefined || more.length > 0)
    throw new Error("not exactly one root element");
  return root;
}

function unescaped(text: string): string {
  return text.replace(/&[^;]*;?/g, (entity) => {
    const code = /^&#(\d+);$/.exec(entity)?.[1];
    if (code === undefined) throw new Error(`unknown entity: ${entity}`);
    return String.fromCodePoint(Number(code));
  });
}
