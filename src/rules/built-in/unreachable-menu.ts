import { reachableFrom } from "../../compile/flow.ts";
import { projectRule } from "../rule.ts";

export const unreachableMenu = projectRule({
  name: "unreachable-menu",
  code: "IVR714",
  severity: "warning",
  options: {},
  check({ menus, flow }, { report }) {
    const reached = reachableFrom(flow.entries, flow.links);
    // In this order, a menu comes before those that it links to, so each group is reported once.
    for (const key of flow.order.toReversed()) {
      const menu = menus.get(key);
      if (menu === undefined || reached.has(key)) continue;
      reachableFrom([key], flow.links, reached);
      report(
        menu.name?.at ?? menu.top,
        menu.entry === false
          ? "No call reaches this menu: it has `entry: false`, and no menu that calls reach links to it."
          : "No call reaches this menu: it is reachable only from its own submenus.",
        menu.entry === false
          ? `Link to it from a different menu with \`menu: ${key}\`, or remove \`entry: false\`.`
          : "Add `entry: true` to the menu where calls begin.",
      );
    }
  },
});
