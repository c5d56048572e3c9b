import { many } from "../../util/many.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "../data.ts";
import { h, link, name, section, set } from "./dom.ts";
import { overviewDrawing } from "./picture.ts";
import { addressOf } from "./search.ts";

/** What is shown while no menu is open: the state of all menus, and which need attention. */
export function overviewOf({ menus, environment }: PreviewData): HTMLElement {
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(isFailed).length;
  const errors = menus.filter(({ problems }) =>
    problems.some(({ severity }) => severity === "error"),
  ).length;
  const troubled = menus.filter(
    (menu) => menu.problems.some(isTrouble) || menu.broken.length > 0 || menu.tests.some(isFailed),
  );
  const fact = (what: string, value: string, bad = false) =>
    h("div", h("dt", what), h(bad ? "dd.bad" : "dd", name(value)));
  const hint = "Open a menu to call it: press its keys, stay silent, and see where the call lands.";
  return h(
    "article",
    h("header", set(h("h2", "All menus"), { tabindex: "-1" })),
    h(
      "dl.facts",
      fact("Menus", String(menus.length)),
      fact("At fault", String(errors), errors > 0),
      fact("Tests passed", String(tests.length - failed)),
      fact("Tests failed", String(failed), failed > 0),
      environment !== null && fact("Environment", environment),
    ),
    menus.length > 0 && h("p", hint),
    troubled.length > 0 && section("troubled", "To look at", h("ul", troubled.map(troubledItem))),
    overviewDrawing(menus),
  );
}

function troubledItem({ key, name: title, problems, tests, broken }: PreviewMenu): HTMLElement {
  const troubles = problems.filter(isTrouble).length;
  const failed = tests.filter(isFailed).length;
  const words = [
    troubles === 0 ? [] : many(troubles, "problem"),
    failed === 0 ? [] : `${many(failed, "test")} failed`,
    broken.length === 0 ? [] : `${many(broken.length, "invariant")} broken`,
  ].flat();
  return h("li", link(addressOf(key), name(title ?? key)), `: ${words.join(", ")}`);
}

function isTrouble({ severity }: PreviewProblem): boolean {
  return severity !== "info";
}

function isFailed({ passed }: { readonly passed: boolean }): boolean {
  return !passed;
}
