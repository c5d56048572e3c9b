import { many } from "../../util/many.ts";
import type { PreviewMenu, PreviewProblem } from "../data.ts";
import { h, input, link, name, set } from "./dom.ts";
import { type Searchable, addressOf, bestFirst, searchable } from "./search.ts";

interface Entry extends Searchable {
  readonly key: string;
  readonly item: HTMLElement;
  readonly link: HTMLElement;
}

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
  readonly element = set(
    h(
      "nav",
      set(h("label", "Search menus"), { for: "search" }),
      this.search,
      this.#count,
      this.#items,
    ),
    { "aria-label": "Menus" },
  );
  #entries: readonly Entry[] = [];
  /** What the search found, the best match first. */
  #found: readonly Entry[] = [];
  #current: string | undefined;

  constructor() {
    this.search.addEventListener("input", () => this.#narrow());
    this.search.addEventListener("keydown", (event) => this.#inSearch(event));
    this.#items.addEventListener("keydown", (event) => this.#inList(event));
  }

  show(menus: readonly PreviewMenu[]): void {
    const focused = this.#entries.find((entry) => entry.link === document.activeElement)?.key;
    this.#entries = menus.map(entryOf);
    this.#narrow();
    this.mark(this.#current);
    this.#entries.find(({ key }) => key === focused)?.link.focus();
  }

  /** Marks the menu that is open. */
  mark(current: string | undefined): void {
    this.#current = current;
    for (const entry of this.#entries) entry.link.removeAttribute("aria-current");
    const open = this.#entries.find(({ key }) => key === current)?.link;
    open?.setAttribute("aria-current", "page");
    open?.scrollIntoView({ block: "nearest" });
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
    h("span.about", h("code", key), owner && [" · ", name(owner)]),
    marks(menu),
  );
  return { key, ...searchable(menu), item: h("li", own), link: own };
}

function marks({ tests, broken, problems }: PreviewMenu): HTMLElement | undefined {
  const count = (severity: PreviewProblem["severity"]) =>
    problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const failed = tests.filter(({ passed }) => !passed).length + broken.length;
  if (errors + failed + warnings === 0) return undefined;
  return h(
    "span.marks",
    errors > 0 && h("span.bad", many(errors, "error")),
    failed > 0 && h("span.bad", `${failed} failed`),
    warnings > 0 && h("span.warned", many(warnings, "warning")),
  );
}
