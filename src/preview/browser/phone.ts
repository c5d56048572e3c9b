import {
  type CallMenu,
  type CallMenus,
  type CallState,
  type Press,
  type Step,
  press,
  silence,
  start,
} from "../../call/model.ts";
import { nameOfDestination } from "../../call/words.ts";
import { countWords, landingLine, promptLine, stepLine } from "../../views/call-lines.ts";
import { type Child, button, h, name, set } from "./dom.ts";
import { heard, lineItem, reached } from "./parts.ts";

const telephone = "123456789*0#".split("");

/** A keypad to call a menu and those that it leads to, and the call so far. */
export class Phone {
  readonly #first: CallMenu;
  readonly #menus: CallMenus;
  /** The menu that the caller is in. */
  #menu: CallMenu;
  readonly #onMove: (phone: Phone) => void;
  readonly #screen = h("div.screen");
  readonly #walk = set(h("ol.walk"), {
    tabindex: "0",
    "aria-live": "polite",
    "aria-label": "The call so far",
  });
  readonly #pad = h("div.pad");
  readonly #keys = new Map<Press, HTMLElement>();
  readonly element: HTMLElement;
  #steps: Step[] = [];
  #state: CallState;

  constructor(menu: CallMenu, menus: CallMenus, onMove: (phone: Phone) => void) {
    this.#first = menu;
    this.#menu = menu;
    this.#menus = menus;
    this.#onMove = onMove;
    this.element = h(
      "div.call-parts",
      h("div.phone", this.#screen, this.#pad),
      h("div.so-far", h("h4", "The call so far"), this.#walk),
    );
    this.#state = start(menu).state;
    this.#layKeys();
    this.restart();
  }

  /** Shows the keys of the menu that the caller is in. */
  #layKeys(): void {
    const focused = document.activeElement?.getAttribute("data-press");
    const hadFocus = this.#pad.contains(document.activeElement);
    this.#keys.clear();
    const menu = this.#menu;
    const extra = menu.options.map(({ key }) => key).filter((key) => !telephone.includes(key));
    const keypad = (classes: "keypad" | "keypad.extra", keys: readonly Press[], label: string) => {
      const caps = keys.map((key) => this.#key(key));
      return set(h(`div.${classes}`, caps), { role: "group", "aria-label": label });
    };
    const more =
      extra.length > 0 && keypad("keypad.extra", extra, "Keys that are not on a phone keypad");
    const attributes = { class: "act", "data-press": "again" };
    const again = button("Start again", () => this.restart(), attributes);
    const acts = h("div.acts", this.#silence(), again);
    this.#pad.replaceChildren(keypad("keypad", telephone, "Keypad"), ...(more ? [more] : []), acts);
    if (!hadFocus || !focused) return;
    this.#pad.querySelector<HTMLElement>(`[data-press="${CSS.escape(focused)}"]`)?.focus();
  }

  #move(menu: CallMenu): void {
    if (menu === this.#menu) return;
    this.#menu = menu;
    this.#layKeys();
  }

  /** The keys pressed so far, silences included. */
  get presses(): readonly Press[] {
    return this.#steps.map((step) => step.press);
  }

  /** The step with which the call left its first menu, if it has. */
  get leaving(): Step | undefined {
    return this.#steps.find(({ enters, state }) => enters ?? state.at === "landed");
  }

  restart(): void {
    this.replay([]);
  }

  press(key: Press): void {
    this.#take(key);
    this.#show();
  }

  /** Starts the call again and presses these keys. The call does not have to end. */
  replay(presses: readonly Press[]): void {
    this.#move(this.#first);
    const begun = start(this.#first);
    this.#steps = [];
    this.#state = begun.state;
    this.#walk.replaceChildren(lineItem(promptLine(begun.heard)));
    for (const key of presses) this.#take(key);
    this.#show();
  }

  /** Presses a key and shows it on the keypad, for a key of the computer keyboard. */
  pressVisibly(key: Press): void {
    const cap = this.#keys.get(key);
    cap?.classList.add("pressed");
    setTimeout(() => cap?.classList.remove("pressed"), 150);
    this.press(key);
  }

  #take(key: Press): void {
    if (this.#state.at === "landed") return;
    const step = press(this.#menu, this.#state, key, this.#menus);
    this.#steps.push(step);
    this.#state = step.state;
    if (step.enters) this.#move(step.enters);
    this.#walk.append(lineItem(stepLine(step)));
    if (step.state.at === "landed") {
      this.#walk.append(lineItem(landingLine({ landed: step.state, steps: this.#steps })));
    }
  }

  #key(key: Press): HTMLElement {
    const option = this.#menu.options.find((own) => own.key === key);
    const label = option && (option.for ?? nameOfDestination(option.destination));
    const purpose =
      label === undefined
        ? h("span.unseen", "not an option")
        : set(h("span.for", name(label)), { title: label });
    return this.#cap(key, [h("span.cap", key), " ", purpose], option ? "key led" : "key");
  }

  #silence(): HTMLElement {
    const waits = h("small", `waits ${this.#menu.timeout.wait}`);
    return this.#cap(silence, ["Stay silent", waits], "act");
  }

  #cap(key: Press, label: Child, classes: string): HTMLElement {
    const attributes = { class: classes, "data-press": key };
    const cap = button(label, () => this.press(key), attributes);
    this.#keys.set(key, cap);
    return cap;
  }

  #show(): void {
    const ended = this.#state.at === "landed";
    // Disabled instead of removed, because one of them may have the focus.
    for (const cap of this.#keys.values()) cap.setAttribute("aria-disabled", String(ended));
    this.#screen.classList.toggle("landed", ended);
    this.#screen.replaceChildren(...this.#words());
    // Scrolls only the list, so that the keypad does not move.
    this.#walk.scrollTop = this.#walk.scrollHeight;
    this.#onMove(this);
  }

  #words(): HTMLElement[] {
    const last = this.#steps.at(-1);
    if (last === undefined) {
      return [
        h("p.now", "The menu plays its greeting and waits for a key"),
        heard(this.#menu.recording),
      ];
    }
    const count = countWords(last);
    if (last.state.at === "landed") {
      return [h("p.now", count), ...last.heard.map(heard), reached(last.state.destination)];
    }
    if (last.enters) {
      const entered = h("p.now", `${count}. The call continues in `, name(last.enters.name));
      return [entered, ...last.heard.map(heard)];
    }
    return [h("p.now", `${count}. The menu waits for a key again`), ...last.heard.map(heard)];
  }
}
