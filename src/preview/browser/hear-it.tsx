import type { CallRecording } from "../../model/call-menu.ts";

/** A button that speaks the words of recordings with the voice of the browser. */
export function HearIt({ heard }: { readonly heard: readonly CallRecording[] }) {
  const spoken = heard.filter(({ says }) => says !== undefined);
  if (!("speechSynthesis" in window) || spoken.length === 0) return null;
  const speak = () => {
    speechSynthesis.cancel();
    for (const { says, language = "" } of spoken) {
      speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(says), { lang: language }));
    }
  };
  return (
    <button type="button" class="play" aria-label="Hear it" onClick={speak}>
      ▶
    </button>
  );
}
