import { keysInPrompt } from "./prompt-mismatch.ts";
import { menuRule } from "../rule.ts";

export const promptTooLong = menuRule({
  name: "prompt-too-long",
  code: "IVR710",
  severity: "info",
  options: {
    max_seconds: { preset: 30, about: "The maximum length of a prompt, in seconds." },
    first_key_within: {
      preset: 15,
      about: "The maximum time until the first key is announced, in seconds.",
    },
  },
  source: "Limits chosen by ivrctl. No standard defines them.",
  check({ facts: { recording } }, { options, report }) {
    const { seconds } = recording?.value ?? {};
    const secondsAt = recording?.secondsAt;
    if (seconds === undefined || secondsAt === undefined) return;
    const problems: string[] = [];
    if (seconds > options.max_seconds) problems.push(`takes ${seconds} seconds`);
    const after = Math.round((keysInPrompt(recording)?.first ?? 0) * seconds);
    if (after > options.first_key_within) {
      problems.push(`announces its first key only after about ${after} seconds (estimated)`);
    }
    if (problems.length === 0) return;
    report(
      secondsAt,
      `The prompt ${problems.join(", and it ")}.`,
      `Shorten it to ${options.max_seconds} seconds, and announce the first key within ${options.first_key_within} seconds.`,
    );
  },
});
