import { listed } from "../../util/many.ts";
import { suggest } from "../../util/suggest.ts";
import type { KindOfMatter } from "./matter.ts";

/* What happened outside of ivrctl: on the console, or in the list of agents. Callers notice most of it. */

export interface OutsideFacts {
  "dead-ends": {
    /** `Of 81 paths from 3 numbers, 2 end nowhere` */
    readonly head: string;
    /** `+91 22 4123 4567 → 3 → 2 (South: not on the service)` */
    readonly paths: readonly string[];
  };
  "changed-outside": { readonly what: string };
  "agent-left": AgentFacts;
  "agent-blocked": AgentFacts;
}

interface AgentFacts {
  readonly name: string;
  readonly eid: string;
  /** `front-desk (key 1, silence)` */
  readonly places: readonly string[];
  /** `ivrs/front-desk.yaml:4` */
  readonly lines: readonly string[];
  /** `Callers who press 3 in Agra hotel` */
  readonly callers: string | undefined;
}

export const outside: { readonly [K in keyof OutsideFacts]: KindOfMatter<OutsideFacts[K]> } = {
  "dead-ends": {
    blocks: "nothing",
    words: ({ head, paths }) => `${head}: ${paths.join("; ")}.`,
    fix: (_, environment) => [
      {
        words: "To see these calls, run:",
        argv: suggest("test", [], environment, ["--from", "live"]),
      },
    ],
  },
  "changed-outside": {
    blocks: "nothing",
    isChange: true,
    words: ({ what }) => `${what}.`,
    callers: () => "Callers do not get what the file says until you apply.",
    fix: (_, environment) => [
      { words: "To see what apply would do, run:", argv: suggest("plan", [], environment) },
    ],
  },
  "agent-left": {
    code: "IVR314",
    words: ({ name, eid, places }) =>
      `${listed(places)}: ${name} is no longer on the agent list (was extension ${eid}).`,
    isInFile: true,
    callers: nobody,
    fix: ({ lines }) => [`Choose a different agent in ${listed(lines)}.`],
  },
  "agent-blocked": {
    code: "IVR304",
    words: ({ name, places }) => `${listed(places)}: ${name} is blocked and gets no calls.`,
    isInFile: true,
    callers: nobody,
    fix: ({ lines }) => [
      `Choose a different agent in ${listed(lines)}, or unblock the agent on the console.`,
    ],
  },
};

function nobody({ callers }: AgentFacts): string | undefined {
  return callers && `${callers} reach nobody.`;
}
