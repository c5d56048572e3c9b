import { menuRule } from "../rule.ts";

export const retriesOutOfRange = menuRule({
  name: "retries-out-of-range",
  code: "IVR706",
  severity: "warning",
  options: {
    min: { preset: 1, about: "The fewest retries." },
    max: { preset: 3, about: "The most retries." },
  },
  source: "A bound of this tool; the service's document gives none.",
  check({ invalid, timeout }, { options: { min, max }, report }) {
    const places = [
      [invalid.retries, "a wrong key"],
      [timeout.retries, "silence"],
    ] as const;
    for (const [retries, after] of places) {
      if (retries === undefined) continue;
      const number = Number(retries.value);
      if (number >= min && number <= max) continue;
      report(
        retries.at,
        number < min
          ? `After ${after} a caller gets ${number === 0 ? "no second chance" : `only ${retries.value} more`}.`
          : `After ${after} a caller is asked ${retries.value} times more before anybody answers.`,
        `From ${min} to ${max} retries are usual.`,
      );
    }
  },
});
