import type { CallRecording } from "../../call/model.ts";
import { button, h, input, set } from "./dom.ts";

/** Speaks the words of recordings with the voice of the browser. The setting is off at first. */
export class Speech {
  readonly #always = input({ type: "checkbox", id: "speak" });
  readonly #now = button("Hear it", () => this.#speak(this.#recordings), { class: "hear" });
  readonly element = h(
    "div.speech",
    this.#now,
    this.#always,
    set(h("label", "Speak during the call"), { for: "speak" }),
  );
  #recordings: readonly CallRecording[] = [];

  constructor() {
    this.element.hidden = true;
    this.#always.addEventListener("change", () => {
      if (this.#always.checked) this.#speak(this.#recordings);
      else this.stop();
    });
  }

  /** Sets what the button speaks, and speaks it at once if the setting is on. */
  offer(recordings: readonly CallRecording[]): void {
    this.stop();
    this.#recordings = recordings;
    const silent = !canSpeak || recordings.every(({ says }) => says === undefined);
    this.#now.setAttribute("aria-disabled", String(silent));
    // Without words in any recording, there is nothing to switch on.
    if (!silent) this.element.hidden = false;
    if (this.#always.checked) this.#speak(recordings);
  }

  stop(): void {
    if (canSpeak) speechSynthesis.cancel();
  }

  #speak(recordings: readonly CallRecording[]): void {
    this.stop();
    if (!canSpeak) return;
    for (const { says, language } of recordings) {
      if (says === undefined) continue;
      const words = new SpeechSynthesisUtterance(says);
      if (language !== undefined) words.lang = language;
      speechSynthesis.speak(words);
    }
  }
}

const canSpeak = "speechSynthesis" in window;
