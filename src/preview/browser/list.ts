import { many } from "../../util/many.ts";
import { type Searchable, bestFirst } from "../../util/search.ts";
import type { PreviewMenu } from "../data.ts";
import { button, h, input, link, name, set } from "./dom.ts";
import { changeMark, changedFirst, marksOf } from "./parts.ts";
import { addressOf, searchable } from "./search.ts";

interface Entry extends Searchable {
  readonly key: string;
  readonly item: HTMLElement;
  readonly link: HTMLElement;
}

/** On a small screen, the overview shows so many menus at first. */
const mostFirst = 5;

/** All menus by key, and a field to search them. */
export class MenuList {
  readonly search = input({
    type: "search",
    id: "search",
    placeholder: "Name, key, owner, agent",
    autocomplete: "off",
    spellcheck: "false",
    "aria-controls": "menus",
  });
  readonly #count = set(h("p.count"), { role: "status" });
  readonly #items = set(h("ul"), { id: "menus" });
  /** The way to the overview. */
  readonly #home = set(h("a.home", "All menus"), { href: "#/" });
  /** Shows and hides the list on a small screen, while a menu is open. */
  readonly #toggle = button("", () => this.#open(!this.element.classList.contains("open")), {
    class: "toggle",
    "aria-controls": "menus",
  });
  /** Shows the whole list on a small screen, on the overview. */
  readonly #more = button("", () => this.#openRest(), { class: "more", "aria-controls": "menus" });
  readonly element = set(
    h(
      "nav",
      this.#home,
      set(h("label", "Search menus"), { for: "search" }),
      this.search,
      h("div.above", this.#count, this.#toggle),
      this.#items,
      this.#more,
    ),
    { "aria-label": "Menus" },
  );
  #entries: readonly Entry[] = [];
  /** What the search found, the best match first. */
  #found: readonly Entry[] = [];
  #current: string | undefined;
  #deleted = 0;

  constructor() {
    this.search.addEventListener("input", () => {
      this.#narrow();
      this.#open(this.search.value !== "");
    });
    this.search.addEventListener("keydown", (event) => this.#inSearch(event));
    this.#items.addEventListener("keydown", (event) => this.#inList(event));
    this.#open(false);
  }

  show(menus: readonly PreviewMenu[]): void {
    const focused = this.#entries.find((entry) => entry.link === document.activeElement)?.key;
    this.#entries = changedFirst(menus).map(entryOf);
    this.#deleted = menus.filter(({ change }) => change?.kind === "deleted").length;
    this.#narrow();
    this.#mark();
    this.#entries.find(({ key }) => key === focused)?.link.focus();
  }

  /** Marks the menu that is open, or the overview. */
  mark(current: string | undefined): void {
    this.#current = current;
    this.#open(false);
    this.#mark();
  }

  #mark(): void {
    const current = this.#current;
    this.element.classList.toggle("start", current === undefined);
    if (current === undefined) this.#home.setAttribute("aria-current", "page");
    else this.#home.removeAttribute("aria-current");
    for (const entry of this.#entries) entry.link.removeAttribute("aria-current");
    const open = this.#entries.find(({ key }) => key === current)?.link;
    open?.setAttribute("aria-current", "page");
    open?.scrollIntoView({ block: "nearest" });
  }

  #openRest(): void {
    this.#open(true);
    this.#found[mostFirst]?.link.focus();
  }

  #open(isOpen: boolean): void {
    this.element.classList.toggle("open", isOpen);
    this.#toggle.textContent = isOpen ? "Hide the list" : "Show the list";
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
  }

  #narrow(): void {
    this.#found = bestFirst(this.#entries, this.search.value);
    this.#toggle.hidden = this.#entries.length === 0;
    this.#items.replaceChildren(...this.#found.map(({ item }) => item));
    for (const [at, { item }] of this.#found.entries()) {
      item.classList.toggle("rest", at >= mostFirst);
    }
    this.#more.textContent = `Show all ${many(this.#found.length, "menu")}`;
    this.#more.hidden = this.#found.length <= mostFirst;
    const [found, all] = [this.#found.length, this.#entries.length];
    const gone = this.#deleted === 0 ? "" : `, ${this.#deleted} deleted`;
    this.#count.textContent =
      found === all ? many(all - this.#deleted, "menu") + gone : `${found} of ${many(all, "menu")}`;
  }

  #inSearch(event: KeyboardEvent): void {
    const first = this.#found[0]?.link;
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter") first?.click();
    else if (event.key === "Escape" && this.search.value !== "") {
      this.search.value = "";
      this.#narrow();
      // Only an empty field loses the focus.
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }

  #inList(event: KeyboardEvent): void {
    const links = this.#found.map((entry) => entry.link);
    const at = links.findIndex((one) => one === document.activeElement);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: links.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined || at === -1) return;
    if (to < 0) this.search.focus();
    else links[to]?.focus();
    event.preventDefault();
  }
}

function entryOf(menu: PreviewMenu): Entry {
  const { key, owner } = menu;
  const own = link(
    addressOf(key),
    h("span.name", name(menu.name ?? key)),
    h("span.about", menu.name !== undefined && h("code", key), owner && [" · ", name(owner)]),
    changeMark(menu),
    marksOf(menu),
  );
  return { key, ...searchable(menu), item: h("li", own), link: own };
}
