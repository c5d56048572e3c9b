import { type LossFacts, lossFix, lossWords } from "../../compile/lost-agents.ts";
import { listed } from "../../util/many.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import type { KindOfMatter } from "./matter.ts";

/* What happened outside of ivrctl: on the console, or in the list of agents. Callers notice most of it. */

export interface OutsideFacts {
  "dead-ends": {
    /** `Callers who press 3 in Agra hotel` */
    readonly callers: string;
    /** `Meera Joshi is blocked` */
    readonly why: string;
    /** Whether they get to a menu that the service does not list. */
    readonly isGone: boolean;
    /**
     * What changes that: `apply` of the files, `allow`ed to do more, a person who points numbers away from
     * `old` menus, or somebody on the `console`, because no file is about it.
     */
    readonly by: "apply" | "allow" | "old" | "console";
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
  words: ({ places, ...facts }) => `${first(places)}: ${lossWords(facts)}`,
  fix: ({ lines, ...facts }, environment) => lossFix(facts, environment, ` in ${first(lines)}`),
};

/** The reason must not come after a dozen menus. JSON has them all. */
function first(texts: readonly string[]): string {
  return listed(texts, 3);
}

const onlyOld =
  "Only old menus go there. Point the phone numbers to the current menus on the console.";

function sendFiles(environment: string): Hint {
  return {
    words: "To send what the files say now, run:",
    argv: suggest("apply", [], environment),
  };
}

export const outside: { readonly [K in keyof OutsideFacts]: KindOfMatter<OutsideFacts[K]> } = {
  "dead-ends": {
    blocks: "nothing",
    words: ({ why, isGone }) =>
      isGone
        ? "They get to a menu that the service does not list."
        : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
    callers: ({ callers, isGone }) =>
      isGone
        ? `${callers} reach nothing, unless the list is incomplete.`
        : `${callers} reach nobody.`,
    fix({ by }, environment) {
      if (by === "old") return [onlyOld];
      if (by === "console") return ["No file is about this. Change it on the console."];
      return by === "apply"
        ? [sendFiles(environment)]
        : [{ words: "To see what is missing, run:", argv: suggest("plan", [], environment) }];
    },
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
    fix: ({ isOld }, environment) => [isOld ? onlyOld : sendFiles(environment)],
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
    words: ({ name, places }) => `${first(places)}: ${name} is blocked and gets no calls.`,
    isInFile: true,
    callers: nobody,
    fix: ({ lines }) => [
      `Choose a different agent in ${first(lines)}, or unblock the agent on the console.`,
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
