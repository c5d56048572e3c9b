import { projectRule } from "../rule.ts";
import { linkAt, softwareAdvice } from "./shared.ts";

export const menuTooDeep = projectRule({
  name: "menu-too-deep",
  code: "IVR713",
  severity: "warning",
  options: { max: { preset: 3, about: "The maximum number of menus that a caller goes through." } },
  source: `${softwareAdvice}: offer an agent by the third menu. Vendors recommend 2 or 3 levels.`,
  check({ menus, flow }, { options: { max }, report }) {
    // All menus of a level are known before the next level.
    let level = [...flow.entries];
    const seen = new Set(level);
    for (let depth = 2; level.length > 0; depth += 1) {
      const next: string[] = [];
      for (const from of level) {
        for (const to of flow.links.get(from) ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          next.push(to);
          const menu = menus.get(from);
          if (depth !== max + 1 || menu === undefined) continue;
          report(
            linkAt(menu, to),
            `The menu \`${to}\` is on level ${depth}. Callers give up after about ${max} menus.`,
            "Let an earlier menu lead to it, or combine menus.",
          );
        }
      }
      level = next;
    }
  },
});
