import type { Press } from "../../call/model.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { keyIn } from "./address.ts";
import { h, section } from "./dom.ts";
import { listenToKeys } from "./keys.ts";
import { MenuList } from "./list.ts";
import { follow } from "./live.ts";
import { MenuView } from "./menu-view.ts";
import { overviewOf } from "./overview.ts";
import { problemList } from "./parts.ts";

const embedded = document.getElementById("data")?.textContent ?? "";
let data: PreviewData = JSON.parse(embedded);
let view: MenuView | undefined;
/** A call that a fault may cut off, to be taken up when that is mended. */
let kept: { readonly key: string; readonly presses: readonly Press[] } | undefined;

const list = new MenuList();
const problems = h("div", { class: "project-problems" });
const main = h("main", { id: "main", tabindex: "-1" });
const shortcuts = h("input", { type: "checkbox", id: "shortcuts", checked: true });

document.body.append(
  h("a", { class: "skip", href: "#main" }, "Skip to the menu"),
  h(
    "div",
    { class: "side" },
    h(
      "header",
      {},
      h("h1", {}, h("a", { href: "#/" }, "Phone menus")),
      data.live ? follow(data.revision, update) : undefined,
    ),
    list.element,
  ),
  h("div", { class: "content" }, problems, main, footer()),
);

listenToKeys({
  list,
  phone: () => view?.phone,
  heading: () => main.querySelector("h2"),
  wanted: () => shortcuts.checked,
});
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.querySelector("h2")?.focus();
});
window.addEventListener("hashchange", () => {
  kept = undefined;
  open();
  window.scrollTo(0, 0);
  main.querySelector("h2")?.focus();
});
showAround();
open();

function showAround(): void {
  list.show(data.menus);
  problems.replaceChildren(
    ...(data.problems.length === 0
      ? []
      : [section("project", "In the project", problemList(data.problems))]),
  );
}

/** The menu that the address names, or all of them. */
function open(): void {
  const key = keyIn(location.hash);
  const menu = data.menus.find((own) => own.key === key);
  list.mark(menu?.key);
  view = menu && new MenuView(menu);
  main.replaceChildren(
    ...(key === undefined || menu !== undefined
      ? []
      : [
          h("p", { class: "gone", role: "alert" }, "No menu has the key ", h("code", {}, key), "."),
        ]),
    view?.element ?? overviewOf(data),
  );
  const called = menu === undefined ? "Phone menus" : (menu.name ?? menu.key);
  document.title = `${visible(called)} · ivrctl preview`;
}

/** What has changed, with the call where it was; an unchanged menu is left alone. */
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

function footer(): HTMLElement {
  const keys: readonly (readonly [string, string])[] = [
    ["0-9 * #", "press a key"],
    ["s", "stay silent"],
    ["r", "start again"],
    ["/", "search"],
  ];
  return h(
    "footer",
    {},
    h(
      "p",
      { class: "shortcuts" },
      shortcuts,
      h("label", { for: "shortcuts" }, "Keys of the keyboard:"),
      keys.map(([key, what]) => h("span", {}, h("kbd", {}, key), ` ${what}`)),
    ),
    h(
      "p",
      {},
      "The service's document describes a menu's parts and not the order in which they play: that order is ivrctl's assumption.",
    ),
  );
}
