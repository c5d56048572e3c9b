/**
 * What `JSON.stringify` makes of a record, in parts: a list in it comes item by
 * item. Of ten thousand menus the whole text would be larger than the menus.
 */
export function* jsonParts(content: object, indent = ""): Generator<string> {
  const line = (depth: number) => (indent === "" ? "" : `\n${indent.repeat(depth)}`);
  const textOf = (value: unknown, depth: number) =>
    JSON.stringify(value, undefined, indent).replaceAll("\n", line(depth));
  const colon = indent === "" ? ":" : ": ";
  let before = "{";
  for (const [name, value] of Object.entries(content)) {
    yield `${before}${line(1)}${JSON.stringify(name)}${colon}`;
    if (Array.isArray(value) && value.length > 0) yield* items(value, line, textOf);
    else yield textOf(value, 1);
    before = ",";
  }
  yield before === "{" ? "{}" : `${line(0)}}`;
}

function* items(
  list: readonly unknown[],
  line: (depth: number) => string,
  textOf: (value: unknown, depth: number) => string,
): Generator<string> {
  let before = "[";
  for (const item of list) {
    yield `${before}${line(2)}${textOf(item, 2)}`;
    before = ",";
  }
  yield `${line(1)}]`;
}
