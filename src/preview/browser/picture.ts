import { type Picture, menuPicture, overview } from "../../graph/picture.ts";
import { svg } from "../../graph/svg.ts";
import type { CallMenu, Step } from "../../call/model.ts";
import type { PreviewMenu } from "../data.ts";
import { h, section, set } from "./dom.ts";

/** One menu as `ivrctl graph` draws it, with the path that a call has taken highlighted. */
export class MenuDrawing {
  readonly #menu: CallMenu;
  readonly #picture: Picture;
  readonly #drawn: Element;
  readonly element: HTMLElement;

  constructor(menu: CallMenu) {
    this.#menu = menu;
    this.#picture = menuPicture(menu);
    this.#drawn = drawn(this.#picture);
    this.element = framed("Picture of the menu", this.#drawn);
  }

  /** Highlights the path of the step with which the call left the menu. */
  mark(step: Step | undefined): void {
    for (const part of this.#drawn.querySelectorAll(".taken")) part.classList.remove("taken");
    if (step === undefined) return;
    const at = pathIndex(this.#menu, step);
    // Each path is drawn as two lines and an arrowhead, then its box.
    const path = this.#drawn.querySelectorAll(".path,.else")[at];
    let part: Element | null | undefined = path;
    for (let count = 0; count < 4; count += 1) {
      part?.classList.add("taken");
      part = part?.previousElementSibling;
    }
    const to = this.#picture.paths[at]?.to;
    if (to === undefined) return;
    const place = to - this.#picture.menus.length;
    this.#drawn.querySelectorAll(".place")[place]?.classList.add("taken");
  }
}

/** The maximum number of menus in a picture. With more, the lines are hard to follow. */
const mostMenus = 30;

/** All menus and the agents they share; undefined if there are too many for a picture. */
export function overviewDrawing(menus: readonly PreviewMenu[]): HTMLElement | undefined {
  if (menus.length === 0 || menus.length > mostMenus) return undefined;
  return framed("Menus and the agents they share", drawn(overview(menus)));
}

/** The index of a path, in the order in which paths are drawn. */
function pathIndex({ options }: CallMenu, { as, press }: Step): number {
  switch (as) {
    case "option":
      return options.findIndex(({ key }) => key === press);
    case "invalid":
      return options.length;
    case "timeout":
      return options.length + 1;
  }
}

/** Parses the picture as XML, never as HTML of this page. All names in it are escaped. */
function drawn(picture: Picture): Element {
  const parsed = new DOMParser().parseFromString(svg(picture), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

function framed(heading: string, picture: Element): HTMLElement {
  const scroll = h("div.scroll", picture);
  set(scroll, { tabindex: "0", role: "group", "aria-label": heading });
  return section("picture", heading, scroll);
}
