import { listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { suggest, suggestId } from "../../util/suggest.ts";
import { type Ways, callersOn } from "./callers.ts";
import { type KindOfMatter, mostShown } from "./matter.ts";

/* What happened outside of ivrctl: on the console, or in the list of agents. Callers notice most of it. */

export interface OutsideFacts {
  "dead-ends": {
    /** `Of 81 paths from 3 numbers, 2 end nowhere` */
    readonly head: string;
    /** `+91 22 4123 4567 → 3 → 2 (South: not on the service)` */
    readonly paths: readonly string[];
  };
  missing: {
    readonly menus: readonly { readonly key: string; readonly id: string }[];
    /** The list that lacks them: `2 menus listed at 09:05:00 UTC`. */
    readonly list: string;
    readonly ways: Ways;
    /** The other menus whose files link to them. */
    readonly linking: readonly string[];
  };
  "number-moved": { readonly number: string; readonly key: string; readonly reaches: string };
  "changed-outside": { readonly what: string };
  "agent-left": AgentFacts;
  "agent-blocked": AgentFacts;
  "wrong-id": {
    readonly key: string;
    readonly name: string;
    /** What a person recorded for this menu. */
    readonly id: string;
    /** The name of the menu that has this id. */
    readonly other: string;
  };
  drift: { readonly key: string; readonly places: readonly string[] };
}

interface AgentFacts {
  readonly name: string;
  readonly eid: string;
  /** `front-desk (key 1, silence)` */
  readonly places: readonly string[];
  /** `ivrs/front-desk.yaml:4` */
  readonly lines: readonly string[];
  readonly ways: Ways;
}

export const outside: { readonly [K in keyof OutsideFacts]: KindOfMatter<OutsideFacts[K]> } = {
  "dead-ends": {
    blocks: "nothing",
    exit: 1,
    words: ({ head, paths }) => `${head}: ${paths.join("; ")}.`,
    fix: (_, environment) => [
      {
        words: "To see these calls, run:",
        argv: suggest("test", [], environment, ["--from", "live"]),
      },
    ],
  },
  missing: {
    blocks: "these menus",
    exit: 1,
    words({ menus, list }) {
      const names = listed(menus.map(({ key, id }) => `${key} (id ${id})`));
      const what = menus.length === 1 ? "this menu" : "these menus";
      return `${names}: the service no longer lists ${what}${list === "" ? "" : ` (${list})`}.`;
    },
    callers({ menus, ways }) {
      const callers = callersOn(ways) ?? `Callers of ${listed(menus.map(({ key }) => key))}`;
      return `${callers} reach nothing, unless the list is incomplete.`;
    },
    fix({ menus, linking }, environment) {
      const [it, they, are] = menus.length === 1 ? ["it", "it", "is"] : ["them", "they", "are"];
      const also = linking.length === 0 ? "" : `, and to link ${listed(linking)} to ${it}`;
      const words = `Check on the console that ${they} ${are} gone. To create ${it} again${also}, run:`;
      const keys = [...menus.map(({ key }) => key), ...linking];
      // A command with more keys is hard to read. The plan shows what else changes.
      const targets = keys.length > mostShown ? [] : keys.flatMap((key) => ["--target", key]);
      const flags = [...targets, "--allow", "recreate"];
      return [{ words, argv: suggest("apply", [], environment, flags) }];
    },
  },
  "number-moved": {
    blocks: "these menus",
    exit: 1,
    words: ({ key }) => `Somebody moved this number away from ${key} on the console.`,
    callers: ({ number, reaches }) => `Callers of ${phoneText(number)} reach ${reaches}.`,
    fix: ({ key }, environment) => [
      {
        words: `Move it back on the console, or delete it from \`numbers:\` of ${key}. To point it to ${key} again, run:`,
        argv: suggest("apply", [], environment, ["--target", key, "--allow", "take-number"]),
      },
    ],
  },
  "changed-outside": {
    blocks: "nothing",
    exit: 1,
    isChange: true,
    words: ({ what }) => `${what}.`,
    callers: () => "Callers do not get what the file says until you apply.",
    fix: (_, environment) => [
      { words: "To see what apply would do, run:", argv: suggest("plan", [], environment) },
    ],
  },
  "agent-left": {
    blocks: "these menus",
    exit: 1,
    code: "IVR314",
    words: ({ name, eid, places }) =>
      `${listed(places)}: ${name} is no longer on the agent list (was extension ${eid}).`,
    isInFile: true,
    callers: nobody,
    fix: ({ lines }) => [`Choose a different agent in ${listed(lines)}.`],
  },
  "agent-blocked": {
    blocks: "these menus",
    exit: 1,
    code: "IVR304",
    words: ({ name, places }) => `${listed(places)}: ${name} is blocked and gets no calls.`,
    isInFile: true,
    callers: nobody,
    fix: ({ lines }) => [
      `Choose a different agent in ${listed(lines)}, or unblock the agent on the console.`,
    ],
  },
  "wrong-id": {
    blocks: "these menus",
    exit: 1,
    words: ({ key, id, other }) =>
      `${key}: a person recorded the id ${id} for it, but menu ${id} on the service is “${other}”.`,
    fix: ({ key, name, other }, environment) => [
      {
        words: `Look up the id of “${name}” on the console, and record it:`,
        argv: suggestId([`${key}=ID`], environment),
      },
      {
        words: `If “${other}” is this menu, and somebody renamed it, write the new name into the file:`,
        argv: suggest("import", [], environment, ["--live", key]),
      },
    ],
  },
  drift: {
    blocks: "these menus",
    exit: 1,
    words: ({ key }) => `${key} was changed on the console, and the service cannot change it back.`,
    callers: ({ key, places }) => `Callers of ${key} reach: ${listed(places)}.`,
    fix: () => ["Change it back on the console, or write it into the file."],
  },
};

function nobody({ ways }: AgentFacts): string | undefined {
  const callers = callersOn(ways);
  return callers && `${callers} reach nobody.`;
}
