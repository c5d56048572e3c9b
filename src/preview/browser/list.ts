import type { PreviewMenu, PreviewProblem } from "../data.ts";
import { addressOf } from "./address.ts";
import { h, many, name } from "./dom.ts";
import { type Searchable, bestFirst, searchable } from "./search.ts";

interface Entry extends Searchable {
  readonly key: string;
  readonly item: HTMLLIElement;
  readonly link: HTMLAnchorElement;
}

/** All menus by key, and a field that narrows them. */
export class MenuList {
  readonly search = h("input", {
    type: "search",
    id: "search",
    placeholder: "Name, key, owner, agent",
    autocomplete: "off",
    spellcheck: "false",
    "aria-controls": "menus",
  });
  readonly #count = h("p", { class: "count", role: "status" });
  readonly #items = h("ul", { id: "menus" });
  readonly element = h(
    "nav",
    { "aria-label": "Menus" },
    h("label", { for: "search" }, "Search menus"),
    this.search,
    this.#count,
    this.#items,
  );
  #entries: readonly Entry[] = [];
  /** Those that the search leaves, the likeliest first. */
  #found: readonly Entry[] = [];
  #current: string | undefined;

  constructor() {
    this.search.addEventListener("input", () => this.#narrow());
    this.search.addEventListener("keydown", (event) => this.#inSearch(event));
    this.#items.addEventListener("keydown", (event) => this.#inList(event));
  }

  show(menus: readonly PreviewMenu[]): void {
    const focused = this.#entries.find(({ link }) => link === document.activeElement)?.key;
    this.#entries = menus.map(entryOf);
    this.#narrow();
    this.mark(this.#current);
    this.#entries.find(({ key }) => key === focused)?.link.focus();
  }

  /** Which of them is open. */
  mark(current: string | undefined): void {
    this.#current = current;
    for (const { key, link } of this.#entries) {
      if (key === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const link = this.#entries.find(({ key }) => key === current)?.link;
    link?.scrollIntoView({ block: "nearest" });
  }

  #narrow(): void {
    this.#found = bestFirst(this.#entries, this.search.value);
    this.#items.replaceChildren(...this.#found.map(({ item }) => item));
    const [found, all] = [this.#found.length, this.#entries.length];
    this.#count.textContent = `${found === all ? "" : `${found} of `}${many(all, "menu")}`;
  }

  #inSearch(event: KeyboardEvent): void {
    const first = this.#found[0]?.link;
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter") first?.click();
    else if (event.key === "Escape" && this.search.value !== "") {
      this.search.value = "";
      this.#narrow();
      // Only an empty field is left.
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }

  #inList(event: KeyboardEvent): void {
    const links = this.#found.map(({ link }) => link);
    const at = links.findIndex((link) => link === document.activeElement);
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
  const link = h(
    "a",
    { href: addressOf(key) },
    h("span", { class: "name" }, name(menu.name ?? key)),
    h("span", { class: "about" }, h("code", {}, key), owner && [" · ", name(owner)]),
    marks(menu),
  );
  return { key, ...searchable(menu), item: h("li", {}, link), link };
}

function marks({ tests, broken, problems }: PreviewMenu): HTMLElement | undefined {
  const count = (severity: PreviewProblem["severity"]) =>
    problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const failed = tests.filter(({ passed }) => !passed).length + broken.length;
  const words = [
    errors === 0 ? undefined : h("span", { class: "bad" }, many(errors, "error")),
    failed === 0 ? undefined : h("span", { class: "bad" }, `${failed} failed`),
    warnings === 0 ? undefined : h("span", { class: "warned" }, many(warnings, "warning")),
  ].filter((mark) => mark !== undefined);
  return words.length === 0 ? undefined : h("span", { class: "marks" }, words);
}
