import { comparedPicture } from "../../graph/compared.ts";
import { type Picture, menuPicture, overview } from "../../graph/picture.ts";
import { svg } from "../../graph/svg.ts";
import type { CallMenu, Step } from "../../call/model.ts";
import type { PreviewMenu } from "../data.ts";
import { h, set } from "./dom.ts";

/** One menu as `ivrctl graph` draws it, with the path that a call has taken highlighted. */
export class MenuDrawing {
  readonly #menu: CallMenu;
  readonly #picture: Picture;
  /** The indexes of the menu's paths in the picture, if it shows two versions. */
  readonly #current: readonly number[] | undefined;
  readonly #drawn: SVGElement;
  readonly element: HTMLElement;

  /** Draws the menu, together with an earlier version if there is one. */
  constructor(menu: CallMenu, before: CallMenu | undefined) {
    const compared = before && comparedPicture(menu, before);
    this.#menu = menu;
    this.#picture = compared?.picture ?? menuPicture(menu);
    this.#current = compared?.current;
    this.#drawn = drawn(this.#picture);
    const heading = compared ? "Picture of the menu, before and now" : "Picture of the menu";
    this.element = framed(heading, this.#drawn);
  }

  /** Highlights the path of the step with which the call left the menu. */
  mark(step: Step | undefined): void {
    for (const part of this.#drawn.querySelectorAll(".taken")) part.classList.remove("taken");
    if (step === undefined) return;
    const index = pathIndex(this.#menu, step);
    const at = this.#current?.[index] ?? index;
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

/** All menus and the agents they share; undefined if there are too many. */
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
function drawn(picture: Picture): SVGElement {
  const parsed = new DOMParser().parseFromString(svg(picture), "image/svg+xml");
  const copy = document.importNode(parsed.documentElement, true);
  if (!(copy instanceof SVGElement)) throw new TypeError("The picture is not SVG.");
  // Smaller text is hard to read. The picture scrolls sideways instead.
  copy.style.minWidth = `${Number(copy.getAttribute("width")) * smallest}px`;
  return copy;
}

const smallest = 0.8;

/** A picture that can scroll sideways. On a small screen it is closed at first. */
function framed(heading: string, picture: SVGElement): HTMLElement {
  const scroll = h("div.scroll", picture);
  set(scroll, { tabindex: "0", role: "group", "aria-label": heading });
  const hint = set(h("p.sideways", "Scroll sideways to see the whole picture. →"), {
    hidden: true,
  });
  new ResizeObserver(() => {
    hint.hidden = scroll.scrollWidth <= scroll.clientWidth;
  }).observe(scroll);
  const title = set(h("h3", heading), { id: "picture-heading" });
  const details = h("details", h("summary", title), hint, scroll);
  details.toggleAttribute("open", !window.matchMedia("(max-width: 46rem)").matches);
  return set(h("section.picture", details), { "aria-labelledby": "picture-heading" });
}
