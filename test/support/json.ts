/**
 * Returns the JSON document with only these fields, as in `pick changes.key,action summary`. A path
 * names fields, and goes through lists. A dot in a name is `\.`. Without paths, the document is complete.
 */
export function pick(text: string, paths: readonly string[]): string {
  const fields = paths.map((path) =>
    path.split(/(?<!\\)\./).map((names) => names.replaceAll("\\.", ".").split(",")),
  );
  return jsonText(pruned(JSON.parse(text), fields.length === 0 ? [[]] : fields));
}

/** A JSON document in few lines. */
function jsonText(value: unknown): string {
  return `${print(value, "")}\n`;
}

type Path = readonly (readonly string[])[];

function pruned(value: unknown, paths: readonly Path[]): unknown {
  if (value === null || typeof value !== "object" || paths.some((path) => path.length === 0)) {
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => pruned(item, paths));
  const picked = Object.entries(value).flatMap(([name, child]) => {
    const inner = paths.filter(([names]) => names?.includes(name)).map((path) => path.slice(1));
    return inner.length === 0 ? [] : [[name, pruned(child, inner)] as const];
  });
  return Object.fromEntries(picked);
}

function print(value: unknown, indent: string): string {
  const line = oneLine(value);
  if (value === null || typeof value !== "object" || indent.length + line.length <= 100)
    return line;
  const deeper = `${indent}  `;
  const items = entries(value).map(([name, item]) => name + print(item, deeper));
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = filled(items, 100 - deeper.length).map((row) => deeper + row);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** Puts short items in the same line, up to this width. Objects have lines of their own. */
function filled(items: readonly string[], width: number): string[] {
  const isShort = (item: string) => !/[{\n]/.test(item);
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const joined = `${last}, ${item}`;
    if (last !== undefined && isShort(joined) && joined.length < width)
      lines[lines.length - 1] = joined;
    else lines.push(item);
  }
  return lines;
}

function oneLine(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const items = entries(value).map(([name, item]) => name + oneLine(item));
  if (Array.isArray(value)) return `[${items.join(", ")}]`;
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

/** The items of a list, or the fields of an object, with what is before each value. */
function entries(value: object): [before: string, value: unknown][] {
  if (Array.isArray(value)) return value.map((item) => ["", item]);
  return Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item]);
}
