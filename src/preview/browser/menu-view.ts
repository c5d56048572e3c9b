import type { CallMenu, CallMenus, Press } from "../../call/model.ts";
import { onSilence, onWrongKey, triggerWords } from "../../call/words.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu, PreviewTest } from "../data.ts";
import { type Child, button, h, name, section, set } from "./dom.ts";
import { heard, lineItem, problemList, reached } from "./parts.ts";
import { Phone } from "./phone.ts";
import { MenuDrawing } from "./picture.ts";

/** One menu, with a keypad to call it. */
export class MenuView {
  readonly menu: PreviewMenu;
  readonly element: HTMLElement;
  readonly phone: Phone | undefined;

  constructor(menu: PreviewMenu, menus: CallMenus) {
    this.menu = menu;
    const { key, file, owner, description, call, tests, broken, problems } = menu;
    const drawing = call && new MenuDrawing(call);
    this.phone = call && new Phone(call, menus, (phone) => drawing?.mark(phone.leaving));
    const replay = (presses: readonly Press[]) => {
      this.phone?.replay(presses);
      this.phone?.element.scrollIntoView({ block: "nearest" });
    };
    const about = [h("code", key), " · ", h("code", file), owner && [" · ", name(owner)]];
    this.element = h(
      "article",
      h(
        "header",
        set(h("h2", name(menu.name ?? key)), { tabindex: "-1" }),
        h("p.about", about),
        description && h("p", name(description)),
      ),
      problems.length > 0 && section("menu-problems", problemsTitle(menu), problemList(problems)),
      this.phone
        ? section("call", "Call this menu", this.phone.element)
        : h("p.no-call", "Fix the errors above to call this menu."),
      call && sheet(call),
      drawing?.element,
      broken.length > 0 && brokenSection(broken, replay),
      call && testSection(tests, replay),
    );
  }
}

/** The heading of a list of problems: their severity if all have the same one. */
function problemsTitle({ problems }: PreviewMenu): string {
  const [severity, ...others] = new Set(problems.map((problem) => problem.severity));
  return severity === undefined || others.length > 0 ? "Problems" : titles[severity];
}

const titles = { error: "Errors", warning: "Warnings", info: "Notes" } as const;

/** The menu at a glance: every path through it, and every recording. */
function sheet({ recording, options, invalid, timeout }: CallMenu): HTMLElement {
  const keys = options.map((option): Row => {
    const purpose = option.for !== undefined && name(option.for);
    return [h("span.trigger", h("kbd", option.key), purpose), reached(option.destination)];
  });
  const paths: Row[] = [
    ...keys,
    [triggerWords(onWrongKey(invalid.retries)), reached(invalid.destination)],
    [triggerWords(onSilence(timeout.wait, timeout.retries)), reached(timeout.destination)],
  ];
  const recordings: Row[] = [
    ["at the start", heard(recording)],
    ["after a wrong key", heard(invalid.recording)],
    ["after a silence", heard(timeout.retryRecording)],
    ["after the last silence", heard(timeout.recording)],
  ];
  return section(
    "sheet",
    "Keys and recordings",
    table("Where each key leads", ["The caller", "Reaches"], paths),
    table("What is played", ["When", "Recording"], recordings),
  );
}

type Row = readonly [Child, Child];

function table(caption: string, heads: readonly string[], rows: readonly Row[]): HTMLElement {
  const head = (scope: string, content: Child) => set(h("th", content), { scope });
  return h(
    "table",
    h("caption", caption),
    h(
      "thead",
      h(
        "tr",
        heads.map((text) => head("col", text)),
      ),
    ),
    h(
      "tbody",
      rows.map(([what, content]) => h("tr", head("row", what), h("td", content))),
    ),
  );
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
      lines.length > 0 && h("ol.walk", lines.map(lineItem)),
    ),
  );
  return h("ul.results", items);
}
