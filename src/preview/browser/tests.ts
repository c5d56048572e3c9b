import type { Press } from "../../call/model.ts";
import type { PreviewTest } from "../data.ts";
import { button, h, many, name, section } from "./dom.ts";

type Replay = (presses: readonly Press[]) => void;

/** The menu's tests with what came of each; those that failed first, as the walk they took. */
export function testSection(tests: readonly PreviewTest[], replay: Replay): HTMLElement {
  const failed = tests.filter(({ passed }) => !passed);
  const passed = tests.filter((test) => test.passed);
  const words =
    failed.length === 0
      ? `${passed.length} passed`
      : `${failed.length} failed, ${passed.length} passed`;
  return section(
    "tests",
    "Tests",
    tests.length === 0
      ? h("p", {}, "This menu has none.")
      : [
          h("p", { class: failed.length === 0 ? "good" : "bad" }, words),
          list([...failed, ...passed], replay),
        ],
  );
}

/** What must hold on every way through every menu, and does not here. */
export function brokenSection(broken: readonly PreviewTest[], replay: Replay): HTMLElement {
  return section(
    "broken",
    "Broken invariants",
    h("p", { class: "bad" }, many(broken.length, "invariant"), " of ivrctl.yaml broken here"),
    list(broken, replay),
  );
}

function list(tests: readonly PreviewTest[], replay: Replay): HTMLElement {
  return h(
    "ul",
    { class: "results" },
    tests.map((test) => item(test, replay)),
  );
}

function item({ name: called, place, press, passed, lines }: PreviewTest, replay: Replay) {
  return h(
    "li",
    {},
    h(
      "div",
      { class: "result" },
      h("span", { class: passed ? "good" : "bad" }, passed ? "✓ passed" : "✗ failed"),
      h("span", { class: "called" }, name(called), " ", h("code", { class: "place" }, place)),
      button(["Replay"], () => replay(press), { "aria-label": `Replay ${called}` }),
    ),
    lines.length === 0
      ? undefined
      : h(
          "ol",
          { class: "walk" },
          lines.map(({ expected, what, comes }) =>
            h(
              "li",
              { class: expected ? "expected" : undefined },
              h("span", { class: "what" }, what),
              " ",
              h("span", {}, comes),
            ),
          ),
        ),
  );
}
