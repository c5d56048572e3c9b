import type { PreviewData } from "../data.ts";
import { h } from "./dom.ts";

/** Tells of every change on the server, and says so while there is none to hear of any. */
export function follow(first: string, onData: (data: PreviewData) => void): HTMLElement {
  const state = h("p", { class: "live", role: "status" }, "Live");
  const say = (words: string, away: boolean) => {
    state.textContent = words;
    state.classList.toggle("away", away);
  };
  let shown = first;
  const events = new EventSource("events");
  events.addEventListener("open", () => say("Live: follows the files", false));
  events.addEventListener("error", () =>
    say("The preview has ended; this is what it showed last", true),
  );
  events.addEventListener("message", ({ data: revision }: MessageEvent<string>) => {
    if (revision !== shown) void load();
  });
  const load = async () => {
    try {
      const answer = await fetch("data");
      const data: PreviewData = await answer.json();
      shown = data.revision;
      onData(data);
    } catch {
      // The server is gone, as its own events say.
    }
  };
  return state;
}
