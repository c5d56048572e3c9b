import { many } from "../../util/many.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "../data.ts";
import { h, link, name, section, set } from "./dom.ts";
import { overviewDrawing } from "./picture.ts";
import { addressOf } from "./search.ts";

/** The page while no menu is open: counts for all menus, and the menus that need attention. */
export function overviewOf({ menus, environment }: PreviewData): HTMLElement {
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(isFailed).length;
  const withErrors = menus.filter(({ problems }) =>
    problems.some(({ severity }) => severity === "error"),
  ).length;
  const needingAttention = menus.filter(
    (menu) => menu.problems.some(isProblem) || menu.broken.length > 0 || menu.tests.some(isFailed),
  );
  const fact = (what: string, value: string, bad = false) =>
    h("div", h("dt", what), h(bad ? "dd.bad" : "dd", name(value)));
  const hint = "Open a menu to call it: press keys or stay silent, and see where the call ends.";
  return h(
    "article",
    h("header", set(h("h2", "All menus"), { tabindex: "-1" })),
    h(
      "dl.facts",
      fact("Menus", String(menus.length)),
      fact("Menus with errors", String(withErrors), withErrors > 0),
      fact("Tests passed", String(tests.length - failed)),
      fact("Tests failed", String(failed), failed > 0),
      environment !== null && fact("Environment", environment),
    ),
    menus.length > 0 && h("p", hint),
    needingAttention.length > 0 &&
      section("attention", "Needs attention", h("ul", needingAttention.map(attentionItem))),
    overviewDrawing(menus),
  );
}

function attentionItem({ key, name: title, problems, tests, broken }: PreviewMenu): HTMLElement {
  const [errors, warnings] = [count(problems, "error"), count(problems, "warning")];
  const failed = tests.filter(isFailed).length;
  const words = [
    errors === 0 ? [] : many(errors, "error"),
    warnings === 0 ? [] : many(warnings, "warning"),
    failed === 0 ? [] : `${many(failed, "test")} failed`,
    broken.length === 0 ? [] : `${many(broken.length, "invariant")} broken`,
  ].flat();
  return h("li", link(addressOf(key), name(title ?? key)), `: ${words.join(", ")}`);
}

function count(problems: readonly PreviewProblem[], severity: PreviewProblem["severity"]): number {
  return problems.filter((problem) => problem.severity === severity).length;
}

function isProblem({ severity }: PreviewProblem): boolean {
  return severity !== "info";
}

function isFailed({ passed }: { readonly passed: boolean }): boolean {
  return !passed;
}
