import type { Flow } from "../../compile/flow.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { projectRule } from "../rule.ts";
import { linkAt, softwareAdvice } from "./shared.ts";

export const menuTooDeep = projectRule({
  name: "menu-too-deep",
  code: "IVR713",
  severity: "warning",
  options: { max: { preset: 3, about: "The maximum number of menus that a caller goes through." } },
  source: `${softwareAdvice}: offer an agent by the third menu. Vendors recommend 2 or 3 levels.`,
  check({ menus, flow }, { options: { max }, report }) {
    const groups = groupBy(tooDeep(flow, max), ([entry, first]) => `${entry} ${first}`);
    for (const paths of groups.values()) {
      // The last menu that all of these calls go through.
      const [path, ...others] = paths;
      const isShared = (at: number) => others.every((other) => other[at] === path[at]);
      const shared = others.length === 0 ? path.length : path.findIndex((_, at) => !isShared(at));
      const [from = "", to = ""] = path.slice(shared - 2, shared);
      const menu = menus.get(from);
      if (menu === undefined) continue;
      const deep = paths.map((steps) => `\`${steps.at(-1)}\``);
      const [what, hint] =
        others.length === 0
          ? [`The menu ${deep[0]} is on level ${max + 1}`, "Let an earlier menu link to it"]
          : [
              `${many(deep.length, "menu")} behind \`${to}\` are on level ${max + 1}: ${listed(deep, 3)}`,
              `If calls also begin in \`${to}\`, add \`entry: true\` to it. Otherwise let earlier menus link to them`,
            ];
      report(
        linkAt(menu, to),
        `${what}. Callers give up after about ${max} menus.`,
        `${hint}, or combine menus.`,
      );
    }
  },
});

/** The shortest paths to the first menus that are too deep. */
function tooDeep({ entries, links }: Flow, max: number): (readonly string[])[] {
  // All menus of a level are known before the next level.
  let level = Array.from(entries, (key) => [key]);
  const seen = new Set(entries);
  for (let depth = 1; depth <= max; depth += 1) {
    level = level.flatMap((path) => {
      const targets = links.get(path.at(-1) ?? "") ?? [];
      return targets.flatMap((to) => {
        if (seen.has(to)) return [];
        seen.add(to);
        return [[...path, to]];
      });
    });
  }
  return level;
}
