import type { Menu } from "../model/menu.ts";
import type { FieldChange, MenuField, WordChange } from "../model/menu-diff.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import type { DifferenceOutput, MenuOutput } from "../schema/output/menu.ts";
import { numberOrText } from "../util/number-or-text.ts";

/** A menu as commands print it: nested as in a file, and counts are numbers. */
export function menuJson(menu: Menu): MenuOutput {
  const json: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(menu)) {
    const [part = "", name] = path.split(".");
    if (name === undefined) json[part] = value;
    else json[part] = Object.assign(json[part] ?? {}, { [name]: valueJson(path, value) });
  }
  return json;
}

/** The value of a field. A count is a number, as far as that is how it is written. */
export function valueJson<T>(path: string, value: T): T | string | number {
  return typeof value === "string" && counts.has(path) ? numberOrText(value) : value;
}

const counts: ReadonlySet<string> = new Set([...fieldsOfKind("count"), ...fieldsOfKind("number")]);

/** A difference. Its path is that of the newer menu if that has the value; `of` chooses the older one. */
export function differenceJson(
  change: FieldChange,
  of: "before" | "after" = "after",
): DifferenceOutput {
  const { row, before, after } = change;
  const { option, at } = (of === "after" ? (after ?? before) : (before ?? after)) ?? {};
  const json = (field: MenuField | undefined) => (field ? valueJson(row, field.value) : null);
  return {
    path:
      at === undefined
        ? row.split(".")
        : ["options", at, row === "options.*" ? "destination" : "sms"],
    ...(option && { key: option.key }),
    before: json(before),
    after: json(after),
  };
}

/** A difference of words, of which nothing is sent. */
export function wordsJson({ path, key, at, before, after }: WordChange): DifferenceOutput {
  return at === undefined
    ? { path: path.split("."), before, after }
    : { path: ["options", at, "for"], key, before, after };
}
