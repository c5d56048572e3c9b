import {
  type CallMenu,
  type CallState,
  type Landed,
  type Press,
  type Step,
  press,
  silence,
  start,
} from "../../call/model.ts";
import { type CallLine, landingLine, promptLine, stepLine } from "../../views/call-lines.ts";
import { countWords } from "../../views/call-lines.ts";
import { button, h, name } from "./dom.ts";
import { heard, reached } from "./parts.ts";

const telephone = "123456789*0#".split("");

/** A telephone with one menu on the line, and the call so far. */
export class Phone {
  readonly #menu: CallMenu;
  readonly #onMove: (phone: Phone) => void;
  readonly #screen = h("div", { class: "screen" });
  readonly #walk = h("ol", {
    class: "walk",
    tabindex: "0",
    "aria-live": "polite",
    "aria-label": "The call so far",
  });
  readonly #keys = new Map<Press, HTMLButtonElement>();
  readonly element: HTMLElement;
  #steps: Step[] = [];
  #state: CallState;

  constructor(menu: CallMenu, onMove: (phone: Phone) => void) {
    this.#menu = menu;
    this.#onMove = onMove;
    const extra = menu.options.map(({ key }) => key).filter((key) => !telephone.includes(key));
    const keypad = h(
      "div",
      { class: "keypad", role: "group", "aria-label": "Keypad" },
      telephone.map((key) => this.#key(key)),
    );
    this.element = h(
      "div",
      { class: "call-parts" },
      h(
        "div",
        { class: "phone" },
        this.#screen,
        keypad,
        extra.length === 0
          ? undefined
          : h(
              "div",
              { class: "keypad extra", role: "group", "aria-label": "Keys no telephone has" },
              extra.map((key) => this.#key(key)),
            ),
        h("div", { class: "acts" }, this.#silence(), this.#again()),
      ),
      h("div", { class: "so-far" }, h("h4", {}, "The call so far"), this.#walk),
    );
    this.#state = start(menu).state;
    this.restart();
  }

  /** What the caller has done. */
  get presses(): readonly Press[] {
    return this.#steps.map((step) => step.press);
  }

  get landed(): Landed | undefined {
    return this.#state.at === "landed" ? this.#state : undefined;
  }

  get last(): Step | undefined {
    return this.#steps.at(-1);
  }

  restart(): void {
    const begun = start(this.#menu);
    this.#steps = [];
    this.#state = begun.state;
    this.#walk.replaceChildren(row(promptLine(begun.heard)));
    this.#show();
  }

  press(key: Press): void {
    this.#take(key);
    this.#show();
  }

  /** A call from its beginning; where the presses run out, the caller is still on the line. */
  replay(presses: readonly Press[]): void {
    this.restart();
    for (const key of presses) this.#take(key);
    this.#show();
  }

  /** A key of the reader's own keyboard: seen on the keypad too. */
  strike(key: Press): void {
    const cap = this.#keys.get(key);
    cap?.classList.add("struck");
    setTimeout(() => cap?.classList.remove("struck"), 150);
    this.press(key);
  }

  #take(key: Press): void {
    if (this.#state.at === "landed") return;
    const step = press(this.#menu, this.#state, key);
    this.#steps.push(step);
    this.#state = step.state;
    this.#walk.append(row(stepLine(step)));
    if (step.state.at === "landed") {
      this.#walk.append(row(landingLine({ landed: step.state, steps: this.#steps })));
    }
  }

  #key(key: Press): HTMLButtonElement {
    const option = this.#menu.options.find((own) => own.key === key);
    const label = option && (option.for ?? option.destination.name);
    const cap = button(
      [
        h("span", { class: "cap" }, key),
        " ",
        label === undefined
          ? h("span", { class: "unseen" }, "not in the menu")
          : h("span", { class: "for", title: label }, name(label)),
      ],
      () => this.press(key),
      {
        class: option === undefined ? "key" : "key led",
        "data-press": key,
      },
    );
    this.#keys.set(key, cap);
    return cap;
  }

  #silence(): HTMLButtonElement {
    const cap = button(
      ["Stay silent", h("small", {}, `waits ${this.#menu.timeout.wait}`)],
      () => this.press(silence),
      { class: "act", "data-press": silence },
    );
    this.#keys.set(silence, cap);
    return cap;
  }

  #again(): HTMLButtonElement {
    return button(["Start again"], () => this.restart(), { class: "act", "data-press": "again" });
  }

  #show(): void {
    const ended = this.#state.at === "landed";
    // Still there for the focus that may be on one of them.
    for (const cap of this.#keys.values()) cap.setAttribute("aria-disabled", String(ended));
    this.#screen.classList.toggle("landed", ended);
    this.#screen.replaceChildren(...this.#words());
    // Within its own box: the keypad stays under the finger.
    this.#walk.scrollTop = this.#walk.scrollHeight;
    this.#onMove(this);
  }

  #words(): HTMLElement[] {
    const { last } = this;
    if (last === undefined) {
      return [
        h("p", { class: "now" }, "The menu plays, and waits for a key"),
        heard(this.#menu.recording),
      ];
    }
    const count = countWords(last);
    if (last.state.at === "landed") {
      return [
        h("p", { class: "now" }, last.as === "option" ? count : `${count}, the last`),
        ...last.heard.map(heard),
        reached(last.state.destination),
      ];
    }
    return [h("p", { class: "now" }, `${count}; waits again`), ...last.heard.map(heard)];
  }
}

function row({ what, comes }: CallLine): HTMLLIElement {
  return h("li", {}, h("span", { class: "what" }, what), " ", h("span", {}, comes));
}
