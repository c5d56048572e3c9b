import type { Press } from "../../call/model.ts";
import type { PreviewMenu, PreviewProblem } from "../data.ts";
import { h, name, section } from "./dom.ts";
import { problemList } from "./parts.ts";
import { Phone } from "./phone.ts";
import { MenuDrawing } from "./picture.ts";
import { sheet } from "./sheet.ts";
import { brokenSection, testSection } from "./tests.ts";

/** One menu, with a telephone to try it. */
export class MenuView {
  readonly menu: PreviewMenu;
  readonly heading: HTMLElement;
  readonly element: HTMLElement;
  readonly phone: Phone | undefined;

  constructor(menu: PreviewMenu) {
    this.menu = menu;
    const { key, file, owner, description, call, tests, broken, problems } = menu;
    this.heading = h("h2", { tabindex: "-1" }, name(menu.name ?? key));
    const drawing = call && new MenuDrawing(call);
    this.phone = call && new Phone(call, (phone) => drawing?.mark(phone.landed, phone.last));
    const replay = (presses: readonly Press[]) => {
      this.phone?.replay(presses);
      this.phone?.element.scrollIntoView({ block: "nearest" });
    };
    this.element = h(
      "article",
      {},
      h(
        "header",
        {},
        this.heading,
        h(
          "p",
          { class: "about" },
          h("code", {}, key),
          " · ",
          h("code", {}, file),
          owner && [" · ", name(owner)],
        ),
        description && h("p", {}, name(description)),
      ),
      problems.length === 0
        ? undefined
        : section("faults", faultWords(menu), problemList(problems)),
      this.phone
        ? section("call", "Call this menu", this.phone.element)
        : h(
            "p",
            { class: "no-call" },
            "No call can be walked through this menu before that is mended.",
          ),
      call && sheet(call),
      drawing?.element,
      broken.length === 0 ? undefined : brokenSection(broken, replay),
      call && testSection(tests, replay),
    );
  }
}

function faultWords({ problems }: PreviewMenu): string {
  const has = (severity: PreviewProblem["severity"]) =>
    problems.some((problem) => problem.severity === severity);
  return has("error") ? "What is wrong" : has("warning") ? "Warnings" : "Notes";
}
