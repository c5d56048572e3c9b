import type { Span } from "../../diagnostics/source.ts";
import { fieldsOfKind } from "../../schema/fields.ts";
import { inline } from "../../yaml/new-document.ts";
import { menuRule } from "../rule.ts";

const recordingFields = fieldsOfKind("recording");

export const idWithName = menuRule({
  name: "id-with-name",
  code: "IVR718",
  severity: "info",
  options: {},
  check(menu, { report }) {
    for (const path of recordingFields) {
      const { at, value: { id, alias = "" } = { id: "" } } = menu.facts[path] ?? {};
      if (at === undefined || alias === "" || !isId(at, id)) continue;
      report(at, `The recording ${id} is called \`${alias}\`.`, {
        words: `Write \`${inline(alias)}\` instead of the id.`,
        instead: [alias],
      });
    }
    for (const { at, value } of menu.destinations) {
      if (value?.kind !== "other" || value.alias === undefined || !isId(at, value.id)) continue;
      const { name, id, alias } = value;
      const words = `Write \`to: ${inline(alias)}\` instead of \`kind:\` and \`id:\`.`;
      const start = kindBefore(at);
      report(
        at,
        `The ${name} ${id} is called \`${alias}\`.`,
        start === undefined
          ? words
          : { words, instead: [`to: ${inline(alias)}`], at: { start, end: at.end } },
      );
    }
  },
});

/** Whether an id is written here, and not a name for it. */
function isId({ source, start, end }: Span, id: string): boolean {
  const written = source.text.slice(start, end);
  return [id, `"${id}"`, `'${id}'`].includes(written.replace(/^\{\s*id:\s*|\s*\}$/g, ""));
}

/** Where `kind:` begins, if it is directly before `id:`. */
function kindBefore({ source, start }: Span): number | undefined {
  const before = source.text.slice(Math.max(0, start - longest), start);
  const written = /kind:[ \t]*[^\s,#]+[ \t]*(?:,|\r?\n)[ \t]*id:[ \t]*$/.exec(before)?.[0];
  return written === undefined ? undefined : start - written.length;
}

const longest = 200;
