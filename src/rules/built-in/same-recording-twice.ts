import { menuRule } from "../rule.ts";
import { inMenu } from "./shared.ts";

export const sameRecordingTwice = menuRule({
  name: "same-recording-twice",
  code: "IVR707",
  severity: "warning",
  options: {},
  source: "An opinion of this tool: what is heard should tell callers where they are.",
  check(menu, { report }) {
    const { recording: prompt, timeout } = menu;
    const { retryRecording: retry, recording: last } = timeout;
    if (retry === undefined) return;
    const [other, what] =
      prompt?.value.id === retry.value.id
        ? [prompt, "the menu's prompt"]
        : last?.value.id === retry.value.id
          ? [last, "the final one"]
          : [];
    if (other === undefined) return;
    report(
      // If both are in one file, the retry recording is the wrong one, even in the defaults.
      other.at.source === retry.at.source ? retry.at : inMenu(menu, other.at),
      `The retry recording is ${what}: the caller hears no difference.`,
      "Record words of their own for the retry, such as: Are you still there?",
    );
  },
});
