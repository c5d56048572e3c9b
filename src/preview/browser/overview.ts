import type { PreviewData, PreviewMenu, PreviewProblem } from "../data.ts";
import { addressOf } from "./address.ts";
import { h, many, name, section } from "./dom.ts";
import { overviewDrawing } from "./picture.ts";

/** What is shown while no menu is open: how all of them stand, and which want looking at. */
export function overviewOf({ menus, environment }: PreviewData): HTMLElement {
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const errors = menus.filter(hasErrors).length;
  const troubled = menus.filter(
    (menu) => menu.problems.some(isTrouble) || menu.broken.length > 0 || menu.tests.some(isFailed),
  );
  const facts: readonly (readonly [string, string, boolean])[] = [
    ["Menus", String(menus.length), false],
    ["At fault", String(errors), errors > 0],
    ["Tests passed", String(tests.length - failed), false],
    ["Tests failed", String(failed), failed > 0],
    ...(environment === null ? [] : [["Environment", environment, false] as const]),
  ];
  return h(
    "article",
    {},
    h("header", {}, h("h2", { tabindex: "-1" }, "All menus")),
    h(
      "dl",
      { class: "facts" },
      facts.map(([what, value, bad]) =>
        h("div", {}, h("dt", {}, what), h("dd", { class: bad ? "bad" : undefined }, name(value))),
      ),
    ),
    menus.length === 0
      ? undefined
      : h(
          "p",
          {},
          "Open a menu to call it: press its keys, stay silent, and see where the call lands.",
        ),
    troubled.length === 0 ? undefined : section("troubled", "To look at", list(troubled)),
    overviewDrawing(menus),
  );
}

function list(menus: readonly PreviewMenu[]): HTMLElement {
  return h(
    "ul",
    {},
    menus.map((menu) => {
      const problems = menu.problems.filter(isTrouble).length;
      const failed = menu.tests.filter(isFailed).length;
      const words = [
        problems === 0 ? [] : many(problems, "problem"),
        failed === 0 ? [] : `${many(failed, "test")} failed`,
        menu.broken.length === 0 ? [] : `${many(menu.broken.length, "invariant")} broken`,
      ].flat();
      return h(
        "li",
        {},
        h("a", { href: addressOf(menu.key) }, name(menu.name ?? menu.key)),
        `: ${words.join(", ")}`,
      );
    }),
  );
}

function hasErrors({ problems }: PreviewMenu): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function isTrouble({ severity }: PreviewProblem): boolean {
  return severity !== "info";
}

function isFailed({ passed }: { readonly passed: boolean }): boolean {
  return !passed;
}
