import { type Press, silence } from "../../call/model.ts";
import { many } from "../../util/many.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { h, input, link, name, set } from "./dom.ts";
import { MenuList } from "./list.ts";
import { MenuView } from "./menu-view.ts";
import { overviewOf } from "./overview.ts";
import { keyIn } from "./search.ts";
import { Speech } from "./speech.ts";
import { isSameView, shownOf } from "./versions.ts";

const embedded = document.getElementById("data")?.textContent ?? "";
let data: PreviewData = JSON.parse(embedded);
let view: MenuView | undefined;
/** The call to continue when an invalid file is valid again. */
let kept: { readonly key: string; readonly presses: readonly Press[] } | undefined;

const speech = new Speech();
const list = new MenuList();
/** On the page of a menu: that the project has errors, which the overview lists. */
const warning = h("p.note");
const main = set(h("main"), { id: "main", tabindex: "-1" });
const shortcuts = input({ type: "checkbox", id: "shortcuts", checked: true });
const skip = set(h("a.skip", "Skip to the menu"), { href: "#main" });

document.body.append(
  skip,
  h(
    "div.side",
    h(
      "header",
      h("h1", "Phone menus"),
      data.base !== null && h("p.about", "Compared with ", name(data.base.name)),
      data.live && follow(),
    ),
    list.element,
  ),
  h("div.content", main, footer()),
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
// Closed parts would not be printed.
window.addEventListener("beforeprint", () => {
  for (const part of main.querySelectorAll("details")) part.open = true;
});
showAround();
open();

function focusHeading(): void {
  main.querySelector("h2")?.focus();
}

function showAround(): void {
  list.show(data.menus);
  const errors = data.problems.filter(({ severity }) => severity === "error").length;
  const words = h("strong.bad", `${many(errors, "error")} in the project.`);
  warning.replaceChildren(words, " See ", link("#/", "all menus"), ".");
  warning.hidden = errors === 0;
}

/** Opens the menu that the address names, or the overview. */
function open(): void {
  const key = keyIn(location.hash);
  const menu = data.menus.find((own) => own.key === key);
  list.mark(menu?.key);
  speech.stop();
  view = menu && new MenuView(shownOf(menu, data), speech);
  main.replaceChildren(...(view ? [warning, view.element] : [overviewOf(data)]));
  if (key !== undefined && menu === undefined) {
    const gone = h("p.note", "There is no menu with the key ", h("code", key), ".");
    main.prepend(set(gone, { role: "alert" }));
  }
  const title = menu === undefined ? "All menus" : (menu.name ?? menu.key);
  document.title = `${visible(title)} · ivrctl preview`;
}

/** Shows new data and keeps the call. An unchanged menu is not redrawn. */
function update(next: PreviewData): void {
  const before = view;
  if (before?.phone) kept = { key: before.shown.menu.key, presses: before.phone.presses };
  const pressed = document.activeElement?.getAttribute("data-press");
  data = next;
  showAround();
  const now = data.menus.find(({ key }) => key === before?.shown.menu.key);
  if (before && now && isSameView(before.shown, shownOf(now, data))) return;
  const scrolled = window.scrollY;
  open();
  if (kept !== undefined && kept.key === view?.shown.menu.key) view.phone?.replay(kept.presses);
  if (pressed) main.querySelector<HTMLElement>(`[data-press="${CSS.escape(pressed)}"]`)?.focus();
  window.scrollTo(0, scrolled);
}

/** Loads every change from the server. The element shows whether the server is still running. */
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
      // The server has stopped; the event source reports this.
    }
  };
  const events = new EventSource("events");
  events.addEventListener("open", () => say("Live: updates when files change", false));
  events.addEventListener("error", () =>
    say("The preview has stopped. This page no longer updates.", true),
  );
  events.addEventListener("message", (event: MessageEvent<string>) => {
    if (event.data !== data.revision) void load();
  });
  return state;
}

/** Handles a key of the keyboard. It presses a phone key, unless the focus is in the search field. */
function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, repeat, target } = event;
  // A key that is held down counts once, as on a phone.
  if (ctrlKey || metaKey || altKey || repeat) return;
  if (target === list.search) {
    if (key === "Escape") focusHeading();
    return;
  }
  // Shortcuts can be switched off, because they disturb people who control the browser by voice.
  if (!shortcuts.checked) return;
  if (key === "/") list.search.focus();
  else if (/^[0-9*#]$/.test(key)) view?.phone?.pressVisibly(key);
  else if (key === "_" || key === "s") view?.phone?.pressVisibly(silence);
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
      set(h("label", "Keyboard shortcuts:"), { for: "shortcuts" }),
      keys.map(([key, what]) => h("span", h("kbd", key), ` ${what}`)),
    ),
    h(
      "p",
      "The service's documentation does not say in which order recordings play. The order on this page is an assumption of ivrctl.",
    ),
  );
}
