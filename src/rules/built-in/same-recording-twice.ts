import { menuRule } from "../rule.ts";
import { inMenu } from "./shared.ts";

export const sameRecordingTwice = menuRule({
  name: "same-recording-twice",
  code: "IVR707",
  severity: "warning",
  options: {},
  check(menu, { report }) {
    const {
      recording: prompt,
      "timeout.retry_recording": retry,
      "timeout.recording": last,
    } = menu.facts;
    if (retry === undefined) return;
    const [other, what] =
      prompt?.value.id === retry.value.id
        ? [prompt, "prompt"]
        : last?.value.id === retry.value.id
          ? [last, "final recording"]
          : [];
    if (other === undefined) return;
    report(
      // If both are in one file, the retry recording is the wrong one, even in the defaults.
      other.at.source === retry.at.source ? retry.at : inMenu(menu, other.at),
      `The retry recording is also the ${what}, so callers hear no difference.`,
      "Use a separate recording for the retry, for example: “Are you still there?”",
    );
  },
});
