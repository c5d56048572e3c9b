import { menuRule } from "../rule.ts";
import { iso13714 } from "./shared.ts";

export const waitOutOfRange = menuRule({
  name: "wait-out-of-range",
  code: "IVR705",
  severity: "warning",
  options: {
    min: { preset: 3, about: "The shortest wait." },
    max: { preset: 10, about: "The longest wait." },
  },
  source: `${iso13714}: from 3 to 10 seconds. The service's document gives neither a bound nor a unit.`,
  check({ timeout: { wait } }, { options: { min, max }, report }) {
    if (wait === undefined) return;
    const number = Number(wait.value);
    if (number >= min && number <= max) return;
    report(
      wait.at,
      number < min
        ? `A wait of ${wait.value} cuts callers off who are still thinking.`
        : `A wait of ${wait.value} lets callers hang up before anything happens.`,
      `From ${min} to ${max} is usual, in seconds; the service's document shows no unit, and seconds are assumed.`,
    );
  },
});
