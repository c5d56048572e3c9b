import { menuRule } from "../rule.ts";

export const retriesOutOfRange = menuRule({
  name: "retries-out-of-range",
  code: "IVR706",
  severity: "warning",
  options: {
    min: { preset: 1, about: "The minimum number of retries." },
    max: { preset: 3, about: "The maximum number of retries." },
  },
  source: "Limits chosen by ivrctl. The service's documentation gives none.",
  check({ facts }, { options: { min, max }, report }) {
    const places = [
      [facts["invalid.retries"], "a wrong key"],
      [facts["timeout.retries"], "silence"],
    ] as const;
    for (const [retries, after] of places) {
      if (retries === undefined) continue;
      const number = Number(retries.value);
      if (number >= min && number <= max) continue;
      report(
        retries.at,
        number < min
          ? `After ${after}, callers get ${number === 0 ? "no second chance" : `only ${retries.value} ${number === 1 ? "retry" : "retries"}`}.`
          : `After ${after}, callers get ${retries.value} retries before they reach a person.`,
        `Allow ${min} to ${max} retries.`,
      );
    }
  },
});
