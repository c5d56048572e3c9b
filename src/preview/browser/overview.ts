import { many } from "../../util/many.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "../data.ts";
import { h, link, name, section, set } from "./dom.ts";
import { changeMark, changedFirst, faultsOf, marksOf, problemList } from "./parts.ts";
import { overviewDrawing } from "./picture.ts";
import { addressOf } from "./search.ts";
import { changedParts } from "./sheet.ts";
import { shownOf } from "./versions.ts";

/** The page while no menu is open: counts, changes, and the menus with problems. */
export function overviewOf(data: PreviewData): HTMLElement {
  const { menus, environment, base } = data;
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const problems = [...data.problems, ...menus.flatMap((menu) => menu.problems)];
  const [errors, warnings] = [count(problems, "error"), count(problems, "warning")];
  const changed = changedFirst(menus).filter(({ change }) => change !== undefined);
  const faulty = menus.filter((menu) => marksOf(menu) !== undefined).sort(worstFirst);
  const fact = (what: string, value: string, bad = false) =>
    h("div", h("dt", what), h(bad ? "dd.bad" : "dd", value));
  const hint = "Open a menu to call it: press keys or stay silent, and see where the call ends.";
  return h(
    "article",
    h(
      "header",
      set(h("h2", "All menus"), { tabindex: "-1" }),
      environment !== null && h("p.about", "Environment ", name(environment)),
      menus.length > 0 && h("p", hint),
    ),
    base !== null &&
      section(
        "changes",
        `Changes since ${base.name}`,
        changed.length === 0
          ? h("p", "No menu has changed for callers.")
          : listOf(changed.map((menu) => changeItem(menu, data))),
      ),
    h(
      "dl.facts",
      fact("Menus", String(menus.filter(({ change }) => change?.kind !== "deleted").length)),
      fact("Errors", String(errors), errors > 0),
      fact("Warnings", String(warnings)),
      fact("Failed tests", `${failed} of ${tests.length}`, failed > 0),
    ),
    data.problems.length > 0 &&
      section("project", "Problems in the project", problemList(data.problems)),
    faulty.length > 0 && section("faulty", "Menus with problems", listOf(faulty.map(faultyItem))),
    overviewDrawing(menus.filter(({ change }) => change?.kind !== "deleted")),
  );
}

/** The maximum number of menus of a list that are shown at first. */
const mostItems = 10;

function listOf(items: readonly HTMLElement[]): HTMLElement[] {
  const [first, rest] = [items.slice(0, mostItems), items.slice(mostItems)];
  const more =
    rest.length === 0
      ? []
      : [
          h(
            "details",
            h("summary", `Show ${many(rest.length, "more menu")}`),
            h("ul.entries", rest),
          ),
        ];
  return [h("ul.entries", first), ...more];
}

function faultyItem(menu: PreviewMenu): HTMLElement {
  return h("li", entry(menu), " ", marksOf(menu));
}

function changeItem(menu: PreviewMenu, data: PreviewData): HTMLElement {
  const { now, before } = shownOf(menu, data);
  const others = menu.change?.others.map(({ what }) => what) ?? [];
  const parts = now && before ? [...changedParts(now, before), ...others] : others;
  const moved = menu.change?.kind === "moved" && ["from ", h("code", menu.change.from)];
  return h("li", entry(menu), " ", changeMark(menu), " ", moved || name(parts.join(", ")));
}

function entry({ key, name: title }: PreviewMenu): HTMLElement {
  return link(addressOf(key), name(title ?? key));
}

/** Menus with errors come before menus with failed tests, and these before menus with warnings. */
function worstFirst(a: PreviewMenu, b: PreviewMenu): number {
  return rank(a) - rank(b);
}

function rank(menu: PreviewMenu): number {
  if (count(menu.problems, "error") > 0) return 0;
  return faultsOf(menu)[0]?.look === "bad" ? 1 : 2;
}

function count(problems: readonly PreviewProblem[], severity: PreviewProblem["severity"]): number {
  return problems.filter((problem) => problem.severity === severity).length;
}
