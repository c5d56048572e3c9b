import { menuRule } from "../rule.ts";
import { iso13714 } from "./shared.ts";

export const waitOutOfRange = menuRule({
  name: "wait-out-of-range",
  code: "IVR705",
  severity: "warning",
  options: {
    min: { preset: 3, about: "The minimum wait." },
    max: { preset: 10, about: "The maximum wait." },
  },
  source: `${iso13714}: 3 to 10 seconds. The service's documentation gives no limit and no unit.`,
  check({ facts: { "timeout.wait": wait } }, { options: { min, max }, report }) {
    if (wait === undefined) return;
    const number = Number(wait.value);
    if (number >= min && number <= max) return;
    report(
      wait.at,
      number < min
        ? `A wait of ${wait.value} interrupts callers who are still thinking.`
        : `A wait of ${wait.value} is so long that callers hang up.`,
      `Use a wait from ${min} to ${max}. ivrctl assumes seconds, because the service's documentation gives no unit.`,
    );
  },
});
