import { type Press, silence } from "../../call/model.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { h, input, link, section, set } from "./dom.ts";
import { MenuList } from "./list.ts";
import { MenuView } from "./menu-view.ts";
import { overviewOf } from "./overview.ts";
import { problemList } from "./parts.ts";
import { keyIn } from "./search.ts";

const embedded = document.getElementById("data")?.textContent ?? "";
let data: PreviewData = JSON.parse(embedded);
let view: MenuView | undefined;
/** A call that an invalid file may cut off, to be continued when the file is fixed. */
let kept: { readonly key: string; readonly presses: readonly Press[] } | undefined;

const list = new MenuList();
const problems = h("div.project-problems");
const main = set(h("main"), { id: "main", tabindex: "-1" });
const shortcuts = input({ type: "checkbox", id: "shortcuts", checked: true });
const skip = set(h("a.skip", "Skip to the menu"), { href: "#main" });

document.body.append(
  skip,
  h(
    "div.side",
    h("header", h("h1", link("#/", "Phone menus")), data.live && follow()),
    list.element,
  ),
  h("div.content", problems, main, footer()),
);

document.addEventListener("keydown", onKey);
skip.addEventListener("click", (event) => {
  event.preventDefault();
  focusHeading();
});
window.addEventListener("hashchange", () => {
  kept = undefined;
  open();
  window.scrollTo(0, 0);
  focusHeading();
});
showAround();
open();

function focusHeading(): void {
  main.querySelector("h2")?.focus();
}

function showAround(): void {
  list.show(data.menus);
  problems.replaceChildren();
  if (data.problems.length > 0) {
    problems.append(section("project", "In the project", problemList(data.problems)));
  }
}

/** Opens the menu that the address names, or the overview. */
function open(): void {
  const key = keyIn(location.hash);
  const menu = data.menus.find((own) => own.key === key);
  list.mark(menu?.key);
  view = menu && new MenuView(menu);
  main.replaceChildren(view?.element ?? overviewOf(data));
  if (key !== undefined && menu === undefined) {
    const gone = h("p.gone", "No menu has the key ", h("code", key), ".");
    main.prepend(set(gone, { role: "alert" }));
  }
  const title = menu === undefined ? "Phone menus" : (menu.name ?? menu.key);
  document.title = `${visible(title)} · ivrctl preview`;
}

/** Shows what has changed and keeps the call; an unchanged menu is left alone. */
function update(next: PreviewData): void {
  const before = view;
  if (before?.phone) kept = { key: before.menu.key, presses: before.phone.presses };
  const pressed = document.activeElement?.getAttribute("data-press");
  data = next;
  showAround();
  const now = data.menus.find(({ key }) => key === before?.menu.key);
  if (before !== undefined && JSON.stringify(before.menu) === JSON.stringify(now)) return;
  const scrolled = window.scrollY;
  open();
  if (kept !== undefined && kept.key === view?.menu.key) view.phone?.replay(kept.presses);
  if (pressed) main.querySelector<HTMLElement>(`[data-press="${CSS.escape(pressed)}"]`)?.focus();
  window.scrollTo(0, scrolled);
}

/** Loads every change from the server; the element says whether the server is there. */
function follow(): HTMLElement {
  const state = set(h("p.live", "Live"), { role: "status" });
  const say = (words: string, away: boolean) => {
    state.textContent = words;
    state.classList.toggle("away", away);
  };
  const load = async () => {
    try {
      const answer = await fetch("data");
      update(await answer.json());
    } catch {
      // The server is gone, which the events report.
    }
  };
  const events = new EventSource("events");
  events.addEventListener("open", () => say("Live: follows the files", false));
  events.addEventListener("error", () =>
    say("The preview has ended; this is what it showed last", true),
  );
  events.addEventListener("message", (event: MessageEvent<string>) => {
    if (event.data !== data.revision) void load();
  });
  return state;
}

/** The keyboard is a telephone, wherever the focus is, except in a text field. */
function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, repeat, target } = event;
  // A key held down is pressed once, as on a telephone.
  if (ctrlKey || metaKey || altKey || repeat) return;
  if (target === list.search) {
    if (key === "Escape") focusHeading();
    return;
  }
  // Single keys disturb some people who control their browser by voice, so they can be disabled.
  if (!shortcuts.checked) return;
  if (key === "/") list.search.focus();
  else if (/^[0-9*#]$/.test(key)) view?.phone?.strike(key);
  else if (key === "_" || key === "s") view?.phone?.strike(silence);
  else if (key === "r" || key === "Escape") view?.phone?.restart();
  else return;
  event.preventDefault();
}

function footer(): HTMLElement {
  const keys: readonly (readonly [string, string])[] = [
    ["0-9 * #", "press a key"],
    ["s", "stay silent"],
    ["r", "start again"],
    ["/", "search"],
  ];
  return h(
    "footer",
    h(
      "p.shortcuts",
      shortcuts,
      set(h("label", "Keys of the keyboard:"), { for: "shortcuts" }),
      keys.map(([key, what]) => h("span", h("kbd", key), ` ${what}`)),
    ),
    h(
      "p",
      "The service's document describes a menu's parts and not the order in which they play: that order is ivrctl's assumption.",
    ),
  );
}
