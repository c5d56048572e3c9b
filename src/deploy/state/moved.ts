import { StateProblem } from "./store.ts";

/** What is said where a state goes on elsewhere. */
export function movedAway(environment: string, from: string, to: string): StateProblem {
  return new StateProblem(
    "IVR674",
    `The state of ${environment} is no more at ${from}: it was moved to ${to}.`,
    "Name the new place under `state:` in ivrctl.yaml. To bring it back from there: ivrctl state migrate --to …",
  );
}
