import type { Press } from "../../call/model.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu, PreviewTest } from "../data.ts";
import type { Call } from "./call.ts";
import { button, h, link, name, section, set } from "./dom.ts";
import { changeMark, faultsOf, lineItem, problemList } from "./parts.ts";
import { Phone } from "./phone.ts";
import { MenuDrawing } from "./picture.ts";
import { addressOf } from "./search.ts";
import { sheet } from "./sheet.ts";
import type { Speech } from "./speech.ts";
import type { Callable, Shown } from "./versions.ts";

/** One menu, with a keypad to call it. */
export class MenuView {
  readonly shown: Shown;
  readonly element: HTMLElement;
  readonly phone: Phone | undefined;
  /** The keys and the picture of the menu that the caller is in. */
  readonly #details = h("div");
  #drawing: MenuDrawing | undefined;
  #inside: string | undefined;

  constructor(shown: Shown, speech: Speech) {
    const { menu, now, before, differs } = shown;
    this.shown = shown;
    const { key, file, owner, description, tests, broken, problems } = menu;
    const called = now ?? (menu.change?.kind === "deleted" ? before : undefined);
    const compared = now && differs ? before : undefined;
    this.phone =
      called &&
      new Phone({
        now: called,
        before: compared,
        speech,
        onMove: (call) => this.#follow(call, called),
      });
    const replay = (presses: readonly Press[]) => {
      this.phone?.replay(presses);
      this.phone?.element.scrollIntoView({ block: "nearest" });
    };
    const found =
      problems.length > 0 && section("menu-problems", "Problems", problemList(problems));
    const about = [h("code", key), " · ", h("code", file), owner && [" · ", name(owner)]];
    const title = compared
      ? "Call the menu before and after the change"
      : now
        ? "Call this menu"
        : "Call this menu as it was";
    this.element = h(
      "article",
      h(
        "header",
        set(h("h2", name(menu.name ?? key)), { tabindex: "-1" }),
        h("p.about", changeMark(menu), about),
        description && h("p", name(description)),
        this.phone &&
          faultsLine(menu, () => this.element.querySelector(".menu-problems, .broken, .tests")),
      ),
      // The keypad comes before the problems, so that a call needs no scrolling.
      this.phone
        ? section("call", title, this.phone.element)
        : [found, h("p.no-call", "Fix the errors above to call this menu.")],
      // What has changed comes before the problems.
      compared && this.#details,
      this.phone && found,
      !compared && this.#details,
      broken.length > 0 && brokenSection(broken, replay),
      now && testSection(tests, replay),
    );
  }

  /** Shows the keys and the picture of the menu that the caller is in. */
  #follow(call: Call, first: Callable): void {
    const { menu } = call;
    if (this.#inside !== menu.key) {
      this.#inside = menu.key;
      const { before, differs, menu: own } = this.shown;
      const isFirst = menu.key === first.menu.key;
      const old = isFirst ? before?.menu : before?.menus.get(menu.key);
      const isChanged = own.change !== undefined && isFirst;
      const isOther = isChanged || JSON.stringify(old) !== JSON.stringify(menu);
      const compared =
        differs && before && old && isOther ? { menu: old, menus: before.menus } : undefined;
      this.#drawing = new MenuDrawing(menu, compared?.menu);
      const where = h(
        "p.inside",
        "Shown below: ",
        link(addressOf(menu.key), name(menu.name)),
        ", the last menu of this call.",
      );
      this.#details.replaceChildren(
        ...(isFirst ? [] : [where]),
        sheet({ menu, menus: first.menus }, compared, isFirst ? own.change?.others : []),
        this.#drawing.element,
      );
    }
    this.#drawing?.mark(call.ended ? call.last : undefined);
  }
}

/** The number of problems of each kind. A click scrolls to them. */
function faultsLine(menu: PreviewMenu, target: () => Element | null): HTMLElement | undefined {
  const faults = faultsOf(menu);
  if (faults.length === 0) return undefined;
  const words = faults.map(({ look, words }) => h(`span.${look}`, words));
  return button(h("span.marks", words), () => target()?.scrollIntoView(), { class: "faults" });
}

type Replay = (presses: readonly Press[]) => void;

/** The menu's tests with their results; failed ones come first, with the call step by step. */
function testSection(tests: readonly PreviewTest[], replay: Replay): HTMLElement {
  if (tests.length === 0) return section("tests", "Tests", h("p", "This menu has no tests."));
  const failed = tests.filter(({ passed }) => !passed);
  const passed = tests.filter((test) => test.passed);
  const words =
    failed.length === 0
      ? h("p.good", `${passed.length} passed`)
      : h("p.bad", `${failed.length} failed, ${passed.length} passed`);
  return section("tests", "Tests", words, results([...failed, ...passed], replay));
}

/** The invariants that this menu breaks. */
function brokenSection(broken: readonly PreviewTest[], replay: Replay): HTMLElement {
  const words = h("p.bad", many(broken.length, "invariant"), " of ivrctl.yaml broken by this menu");
  return section("broken", "Broken invariants", words, results(broken, replay));
}

function results(tests: readonly PreviewTest[], replay: Replay): HTMLElement {
  const items = tests.map(({ name: title, place, press, passed, lines }) =>
    h(
      "li",
      h(
        "div.result",
        passed ? h("span.good", "✓ passed") : h("span.bad", "✗ failed"),
        h("span.called", name(title), " ", h("code.place", place)),
        button("Replay", () => replay(press), { "aria-label": `Replay ${title}` }),
      ),
      lines.length > 0 &&
        h(
          "ol.walk",
          lines.map((line) => lineItem(line)),
        ),
    ),
  );
  return h("ul.results", items);
}
