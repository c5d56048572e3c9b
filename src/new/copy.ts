import type { MenuNode } from "../compile/menu.ts";
import { schemaComment } from "../import/places.ts";
import { scalar } from "../import/yaml-text.ts";
import { field } from "../yaml/node.ts";

/** Returns a menu with its comments as the text of another file, with another key and name. */
export function copyOf(
  { source: { text }, root }: MenuNode,
  {
    key,
    name,
    nameVariable = "",
    head,
  }: {
    readonly key: string;
    readonly name: string;
    /** The variable that the defaults of the folder make the name from. */
    readonly nameVariable?: string | undefined;
    readonly head: readonly string[];
  },
): string {
  const edits = [
    {
      node: field(root, "name") ?? field(field(root, "vars"), nameVariable),
      line: /^name:/,
      value: scalar(name, { flow: true }),
      remove: false,
    },
    // The path of the file is the key. `moved_from:` belongs to the other menu.
    { node: field(root, "id"), line: /^id:/, value: key, remove: true },
    { node: field(root, "moved_from"), line: /^moved_from:/, value: "null", remove: true },
  ];
  const { start, end } = documentAround(text, root.start);
  let copy = text.slice(start, end);
  const spans = edits.flatMap(({ node, line, value, remove }) => {
    if (node === undefined) return [];
    const from = text.lastIndexOf("\n", node.start - 1) + 1;
    const to = text.indexOf("\n", node.end) + 1 || text.length;
    const whole = remove && line.test(text.slice(from, node.start));
    return whole ? { from, to, value: "" } : { from: node.start, to: node.end, value };
  });
  for (const { from, to, value } of spans.sort((a, b) => b.from - a.from)) {
    copy = copy.slice(0, from - start) + value + copy.slice(to - start);
  }
  const [comment] = head;
  const own = comment === undefined ? copy : copy.replace(schemaComment, comment);
  return own.endsWith("\n") ? own : `${own}\n`;
}

/** The part of a file around a place that `---` lines separate. */
function documentAround(text: string, at: number): { start: number; end: number } {
  const marks = [...text.matchAll(/^---(?=\s|$)[ \t]*(?:#[^\n]*)?\n?|^\.\.\.[ \t]*\n?/gm)];
  const before = marks.findLast(({ index }) => index < at);
  const after = marks.find(({ index }) => index > at);
  return {
    start: before === undefined ? 0 : before.index + before[0].length,
    end: after?.index ?? text.length,
  };
}
