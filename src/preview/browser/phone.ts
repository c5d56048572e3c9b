import { type CallDestination, type CallOption, type Press, silence } from "../../call/model.ts";
import { nameOfDestination } from "../../call/words.ts";
import { type CallLine, countWords, destinationWords } from "../../views/call-lines.ts";
import { Call, lengthOf } from "./call.ts";
import { type Child, button, h, name, set } from "./dom.ts";
import { heard, lineItem, reached } from "./parts.ts";
import type { Speech } from "./speech.ts";
import type { Callable } from "./versions.ts";

const telephone = "123456789*0#".split("");

interface Setup {
  readonly now: Callable;
  /** The menu before the change, if a call goes through both at once. */
  readonly before: Callable | undefined;
  readonly speech: Speech;
  readonly onMove: (call: Call) => void;
}

/** A keypad to call a menu and those that it leads to, and the call so far. */
export class Phone {
  readonly #call: Call;
  readonly #before: Call | undefined;
  readonly #setup: Setup;
  readonly #crumbs = set(h("nav.crumbs"), { "aria-label": "Menus of this call" });
  readonly #screen = h("div.screen");
  readonly #oldScreen = h("div.screen");
  readonly #verdict = set(h("p.verdict"), { role: "status" });
  readonly #walk = set(h("ol.walk"), {
    tabindex: "0",
    "aria-live": "polite",
    "aria-label": "The call so far",
  });
  readonly #pad = h("div");
  readonly #keys = new Map<Press, HTMLElement>();
  readonly element: HTMLElement;
  #presses: Press[] = [];
  #laid = "";

  constructor(setup: Setup) {
    const { now, before, speech } = setup;
    this.#setup = setup;
    this.#call = new Call(now.menu, now.menus);
    this.#before = before && new Call(before.menu, before.menus);
    const screens = this.#before
      ? [h("div.screens", this.#oldScreen, this.#screen), this.#verdict]
      : [this.#screen];
    this.element = h(
      "div.call-parts",
      h("div.phone", this.#crumbs, screens, this.#pad, speech.element),
      h("div.so-far", h("h4", "The call so far"), this.#walk),
    );
    this.restart();
  }

  /** The keys pressed so far, silences included. */
  get presses(): readonly Press[] {
    return this.#presses;
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
    this.#presses = [];
    const line = this.#call.restart();
    this.#walk.replaceChildren(...this.#lines([this.#before?.restart()], [line], undefined));
    for (const key of presses) this.#take(key);
    this.#show();
  }

  /** Presses a key and shows it on the keypad, for a key of the computer keyboard. */
  pressVisibly(key: Press): void {
    this.press(key);
    const cap = this.#keys.get(key);
    cap?.classList.add("pressed");
    setTimeout(() => cap?.classList.remove("pressed"), 150);
  }

  #take(key: Press): void {
    if (this.#ended) return;
    const listened = lengthOf(this.#call.heard());
    this.#presses.push(key);
    const [old, now] = [this.#before?.press(key) ?? [], this.#call.press(key)];
    this.#walk.append(...this.#lines(old, now, listened));
  }

  get #ended(): boolean {
    return this.#call.ended && (this.#before?.ended ?? true);
  }

  /** The lines of both calls. If they differ, both are shown. `listened` is the time before the key. */
  #lines(
    old: readonly (CallLine | undefined)[],
    now: readonly CallLine[],
    listened: string | undefined,
  ): HTMLElement[] {
    const length = Math.max(now.length, old.length);
    return Array.from({ length }, (_, at) => {
      const [was, is] = [old[at], now[at]];
      const time = at === 0 && listened !== undefined && h("small", `after ${listened}`);
      if (is !== undefined && (this.#before === undefined || was?.text === is.text)) {
        return lineItem(is, time);
      }
      const side = (word: string, line: CallLine | undefined) =>
        h("span", h("strong", word), ` ${line?.text ?? "the call has ended"}`);
      const texts = [side("before", was), side("now", is)];
      return h("li.differs", h("span.what", (is ?? was)?.what, time), h("span", texts));
    });
  }

  /** Shows the keys of the menu that the caller is in. */
  #layKeys(): void {
    const laid = JSON.stringify([this.#call.menu.key, this.#before?.menu.key]);
    if (laid === this.#laid) return;
    this.#laid = laid;
    const focused = document.activeElement?.getAttribute("data-press");
    const hadFocus = this.#pad.contains(document.activeElement);
    this.#keys.clear();
    const options = [...this.#call.menu.options, ...(this.#before?.menu.options ?? [])];
    const extra = new Set(options.map(({ key }) => key).filter((key) => !telephone.includes(key)));
    const keypad = (classes: "keypad" | "keypad.extra", keys: readonly Press[], label: string) => {
      const caps = keys.map((key) => this.#key(key));
      return set(h(`div.${classes}`, caps), { role: "group", "aria-label": label });
    };
    const more =
      extra.size > 0 && keypad("keypad.extra", [...extra], "Keys that are not on a phone keypad");
    const attributes = { class: "act", "data-press": "again" };
    const again = button("Start again", () => this.restart(), attributes);
    const acts = h("div.acts", this.#silence(), again);
    this.#pad.replaceChildren(keypad("keypad", telephone, "Keypad"), ...(more ? [more] : []), acts);
    if (!hadFocus || !focused) return;
    this.#pad.querySelector<HTMLElement>(`[data-press="${CSS.escape(focused)}"]`)?.focus();
  }

  #key(key: Press): HTMLElement {
    const find = (call: Call | undefined) => call?.menu.options.find((own) => own.key === key);
    const [now, old] = [find(this.#call), find(this.#before)];
    const option = now ?? old;
    const differs = this.#before !== undefined && JSON.stringify(now) !== JSON.stringify(old);
    const label = option && labelOf(option);
    const purpose =
      label === undefined
        ? h("span.unseen", "not an option")
        : set(h("span.for", name(label)), { title: label });
    const change = old === undefined ? "new" : now ? "changed" : "removed";
    const fault = option && faultOf(option.destination);
    const mark = differs ? h(`span.mark.${change}`, change) : fault && h("span.mark.fault", fault);
    const classes = `key${option ? " led" : ""}${differs ? " differs" : ""}`;
    return this.#cap(key, [h("span.cap", key), " ", purpose, mark && [" ", mark]], classes);
  }

  #silence(): HTMLElement {
    const waits = h("small", `waits ${this.#call.menu.timeout.wait}`);
    return this.#cap(silence, ["Stay silent", waits], "act");
  }

  #cap(key: Press, label: Child, classes: string): HTMLElement {
    const attributes = { class: classes, "data-press": key };
    const cap = button(label, () => this.press(key), attributes);
    this.#keys.set(key, cap);
    return cap;
  }

  #show(): void {
    this.#layKeys();
    // Disabled instead of removed, because one of them may have the focus.
    for (const cap of this.#keys.values()) cap.setAttribute("aria-disabled", String(this.#ended));
    this.#showCrumbs();
    const [call, before] = [this.#call, this.#before];
    fill(this.#screen, call);
    if (before) {
      fill(this.#oldScreen, before);
      // One screen is enough if both are equal.
      const same = this.#oldScreen.isEqualNode(this.#screen);
      this.#oldScreen.hidden = same;
      this.#oldScreen.prepend(h("p.side-title", "Before"));
      this.#screen.prepend(h("p.side-title", same ? "Before and now" : "Now"));
      const words = this.#ended && verdict(call, before);
      this.#verdict.replaceChildren(words || "Press a key to call both menus at once.");
      this.#verdict.classList.toggle("differs", words !== false && words !== alike);
    }
    // Scrolls only the list, so that the keypad does not move.
    this.#walk.scrollTop = this.#walk.scrollHeight;
    this.#setup.speech.offer(call.last?.heard ?? [call.menu.recording]);
    this.#setup.onMove(call);
  }

  /** The menus that the call went through. A click goes back to where the call entered one. */
  #showCrumbs(): void {
    const path = this.#call.path;
    const last = path.length - 1;
    const crumbs = path.map(({ menu, steps }, at) =>
      at === last
        ? set(h("li", name(menu.name)), { "aria-current": "step" })
        : h(
            "li",
            button(name(menu.name), () => this.replay(this.#presses.slice(0, steps))),
          ),
    );
    this.#crumbs.replaceChildren(...(last === 0 ? [] : [h("ol", crumbs)]));
    this.#crumbs.hidden = last === 0;
  }
}

function labelOf(option: CallOption): string {
  return option.for ?? nameOfDestination(option.destination);
}

/** Why a call to a destination fails, in one word; undefined if it does not. */
function faultOf(destination: CallDestination): string | undefined {
  if (destination.kind === "unreachable") return "error";
  return destination.kind === "agent" && destination.blocked ? "blocked" : undefined;
}

/** What the caller hears now, or whom the call has reached. */
function fill(screen: HTMLElement, call: Call): void {
  screen.classList.toggle("ended", call.ended);
  const length = lengthOf(call.heard());
  const listened =
    length !== undefined && h("p.listened", `Listened for ${length}${call.ended ? "" : " so far"}`);
  screen.replaceChildren(...screenWords(call), ...(listened ? [listened] : []));
}

function screenWords({ menu, last }: Call): HTMLElement[] {
  if (last === undefined) {
    return [h("p.now", "The menu plays its greeting and waits for a key"), heard(menu.recording)];
  }
  const count = countWords(last);
  if (last.state.at === "ended") {
    return [h("p.now", count), ...last.heard.map(heard), reached(last.state.destination)];
  }
  if (last.enters) {
    const entered = h("p.now", `${count}. The call continues in `, name(last.enters.name));
    return [entered, ...last.heard.map(heard)];
  }
  return [h("p.now", `${count}. The menu waits for a key again`), ...last.heard.map(heard)];
}

const alike = "The call ends at the same place as before.";

/** How the ends of two calls differ: `Key 2: before Asha Rao, now Ravi Kumar.` */
function verdict(now: Call, before: Call): string | false {
  if (now.state.at !== "ended" || before.state.at !== "ended") return false;
  const [is, was] = [now.state.destination, before.state.destination];
  if (JSON.stringify(is) === JSON.stringify(was)) return alike;
  const [short, old] = [is, was].map(nameOfDestination);
  const words = (to: CallDestination) =>
    short === old ? destinationWords(to) : nameOfDestination(to);
  const { steps } = now.steps.length > before.steps.length ? now : before;
  const keys = steps.map(({ press }) => (press === silence ? "silence" : press));
  const pressed = keys.some((key) => key !== "silence");
  const what = pressed ? `Key${keys.length === 1 ? "" : "s"} ${keys.join(", ")}` : "Silence";
  return `${what}: before ${words(was)}, now ${words(is)}.`;
}
