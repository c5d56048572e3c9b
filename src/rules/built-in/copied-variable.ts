import type { Span } from "../../diagnostics/source.ts";
import type { ResolvedMenu } from "../../compile/compiled-menu.ts";
import { groupBy } from "../../util/group-by.ts";
import { projectRule } from "../rule.ts";

export const copiedVariable = projectRule({
  name: "copied-variable",
  code: "IVR717",
  severity: "warning",
  options: {},
  check({ menus }, { report }) {
    const all = [...menus].flatMap(([key, menu]) => variablesIn(key, menu));
    const siblings = groupBy(all, ({ key, variable }) =>
      JSON.stringify([key.split("/").slice(0, -1), variable]),
    );
    for (const group of siblings.values()) {
      const usual = usualNames(group);
      const odd = group.filter((one) => usual !== undefined && isCopied(one, usual));
      // Several menus may be named after something else on purpose.
      if (usual === undefined || odd.length * fewest > usual.menus.length) continue;
      for (const { at, name, variable, value } of odd) {
        report(
          at,
          `The name “${name}” does not contain “${value}”, the value of \`${variable}\`.`,
          `Change \`${variable}\` or the name. The names of ${usual.menus.length} menus in this folder contain it.`,
        );
      }
    }
  },
});

/** So many menus must agree for each that does not. */
const fewest = 3;

/** A variable in the file of a menu. */
interface Named {
  readonly key: string;
  readonly name: string;
  readonly variable: string;
  readonly value: string;
  readonly at: Span;
}

function variablesIn(key: string, { name, home, source, vars }: ResolvedMenu): Named[] {
  const own = vars.layers.find((layer) => layer.source === source);
  // A name from a template always contains its variables. A different one is meant.
  if (name === undefined || home.source !== source || own === undefined) return [];
  return [...own.values.keys()].flatMap((variable) => {
    const value = vars.textOf(variable)?.trim() ?? "";
    const at = vars.find(variable)?.value;
    return value === "" || at === undefined ? [] : { key, name: name.value, variable, value, at };
  });
}

/** What the names of most menus have before and after the value, and these menus. */
interface Usual {
  readonly start: string;
  readonly end: string;
  readonly menus: readonly Named[];
}

function usualNames(group: readonly Named[]): Usual | undefined {
  const parts = groupBy(group, ({ name, value }) => {
    const at = name.indexOf(value);
    return at === -1
      ? undefined
      : JSON.stringify([name.slice(0, at), name.slice(at + value.length)]);
  });
  const [largest] = [...parts].sort(([, a], [, b]) => b.length - a.length);
  const [first] = largest?.[1] ?? [];
  if (largest?.[0] === undefined || first === undefined) return undefined;
  const values = new Set(largest[1].map(({ value }) => value));
  const at = first.name.indexOf(first.value);
  const [start, end] = [first.name.slice(0, at), first.name.slice(at + first.value.length)];
  return values.size < fewest ? undefined : { start, end, menus: largest[1] };
}

/** Whether the name has the usual form with something else in it, and the value is that of a different menu. */
function isCopied({ name, value }: Named, { start, end, menus }: Usual): boolean {
  const isAlike = name.startsWith(start) && name.endsWith(end) && !name.includes(value);
  return isAlike && menus.some((menu) => menu.value === value);
}
