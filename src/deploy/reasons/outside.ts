import { type LossFacts, lossFix, lossWords } from "../../compile/lost-agents.ts";
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
  /** Where callers get to something else, or a menu of which they hear something else. */
  "changed-outside": Elsewhere | { readonly key: string; readonly callers?: string };
  "number-elsewhere": Elsewhere;
  "other-agent": Elsewhere & {
    /** Whether only old menus go there, so that a person has to point numbers elsewhere. */
    readonly isOld: boolean;
  };
  "agent-left": LostFacts;
  "agent-renamed": LostFacts;
  "agent-namesake": LostFacts;
  "agent-without-extension": LostFacts;
  "agents-cut-off": {
    /** The recorded agents whom the list lacks, and how many are recorded. */
    readonly names: readonly string[];
    readonly count: number;
  };
  "agent-blocked": AgentFacts & { readonly name: string };
}

interface LostFacts extends AgentFacts, LossFacts {}

interface Elsewhere {
  /** `Callers of +91 22 4123 4567` */
  readonly callers: string;
  readonly is: string;
  readonly was: string;
}

interface AgentFacts {
  /** `front-desk (key 1, silence)` */
  readonly places: readonly string[];
  /** `ivrs/front-desk.yaml:4` */
  readonly lines: readonly string[];
  /** `Callers who press 3 in Agra hotel` */
  readonly callers: string | undefined;
}

const lost: KindOfMatter<LostFacts> = {
  code: "IVR314",
  isInFile: true,
  words: ({ places, ...facts }) => `${listed(places)}: ${lossWords(facts)}`,
  fix: ({ lines, ...facts }, environment) => lossFix(facts, environment, ` in ${listed(lines)}`),
};

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
    words: (facts) =>
      "key" in facts
        ? `\`${facts.key}\` was changed on the console.`
        : `Before somebody changed that on the console, they reached ${facts.was}.`,
    callers(facts) {
      if ("is" in facts) return `${facts.callers} reach ${facts.is}.`;
      return facts.callers && `${facts.callers} hear something else than what was applied.`;
    },
    fix: (_, environment) => [
      { words: "To see what apply would do, run:", argv: suggest("plan", [], environment) },
    ],
  },
  "number-elsewhere": {
    blocks: "nothing",
    words: ({ was }) => `Before somebody changed that on the console, they reached ${was}.`,
    callers: ({ callers, is }) => `${callers} reach ${is}.`,
    fix: () => ["Point the number elsewhere on the console, or change `numbers:` in the files."],
  },
  "other-agent": {
    blocks: "nothing",
    words: ({ was }) => `When that was applied, the extension belonged to ${was}.`,
    callers: ({ callers, is, was }) => `${callers} reach ${is}, not ${was}.`,
    fix: ({ isOld }, environment) => [
      isOld
        ? "Only old menus go there. Point the phone numbers to the current menus on the console."
        : {
            words: "To send what the files say now, run:",
            argv: suggest("apply", [], environment),
          },
    ],
  },
  "agent-left": { ...lost, callers: nobody },
  "agent-renamed": { ...lost, callers: holder },
  "agent-namesake": { ...lost, callers: holder },
  "agent-without-extension": { ...lost, callers: (facts) => holder(facts) ?? nobody(facts) },
  "agents-cut-off": {
    words: ({ names, count }) =>
      `The agent list lacks ${names.length} of the ${count} agents that recorded menus go to: ${listed(names, 5)}. The list may be cut off.`,
    fix: (_, environment) => [
      {
        words:
          "If these agents have left, choose different agents in the files. To see the list, run:",
        argv: suggest("agents list", [], environment),
      },
    ],
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

function nobody({ callers }: Pick<AgentFacts, "callers">): string | undefined {
  return callers && `${callers} reach nobody.`;
}

function holder({ callers, why, holder: name }: LostFacts): string | undefined {
  if (callers === undefined || name === "") return undefined;
  return `${callers} ${why === "namesake" ? "still " : ""}reach ${name}.`;
}
