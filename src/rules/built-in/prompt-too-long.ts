import { announcedIn } from "./announced.ts";
import { menuRule } from "../rule.ts";

export const promptTooLong = menuRule({
  name: "prompt-too-long",
  code: "IVR710",
  severity: "info",
  options: {
    max_seconds: { preset: 30, about: "How long a prompt may be, in seconds." },
    first_key_within: {
      preset: 15,
      about: "After how many seconds the first key is announced at the latest.",
    },
  },
  source: "Bounds of this tool; none of them stands in a standard.",
  check({ recording }, { options, report }) {
    const { seconds, says } = recording?.value ?? {};
    const secondsAt = recording?.secondsAt;
    if (seconds === undefined || secondsAt === undefined) return;
    const faults: string[] = [];
    if (seconds > options.max_seconds) faults.push(`takes ${seconds} seconds`);
    const announced = says === undefined ? undefined : announcedIn(says);
    if (announced !== undefined && announced.keys.length > 0) {
      const after = Math.round(announced.first * seconds);
      if (after > options.first_key_within) {
        faults.push(`announces its first key after about ${after} seconds (an estimate)`);
      }
    }
    if (faults.length === 0) return;
    report(
      secondsAt,
      `The prompt ${faults.join(", and it ")}.`,
      `Up to ${options.max_seconds} seconds, and ${options.first_key_within} before the first key, are borne: shorten it, or name the keys first.`,
    );
  },
});
