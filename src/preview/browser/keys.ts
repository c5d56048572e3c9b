import { silence } from "../../call/model.ts";
import type { MenuList } from "./list.ts";
import type { Phone } from "./phone.ts";

interface Page {
  readonly list: MenuList;
  readonly phone: () => Phone | undefined;
  /** Where the focus goes when it leaves the search. */
  readonly heading: () => HTMLElement | null;
  /** Single keys get in the way of some who speak to their browser: they can be switched off. */
  readonly wanted: () => boolean;
}

/** The keyboard is a telephone: wherever the focus is, but where somebody writes. */
export function listenToKeys({ list, phone, heading, wanted }: Page): void {
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, repeat, target } = event;
    // A key held down is pressed once, as on a telephone.
    if (ctrlKey || metaKey || altKey || repeat) return;
    if (target === list.search) {
      if (key === "Escape") heading()?.focus();
      return;
    }
    if (!wanted()) return;
    if (key === "/") list.search.focus();
    else if (/^[0-9*#]$/.test(key)) phone()?.strike(key);
    else if (key === "_" || key === "s") phone()?.strike(silence);
    else if (key === "r" || key === "Escape") phone()?.restart();
    else return;
    event.preventDefault();
  });
}
