import { type Agents, type LostAgent, normalName, ownReference } from "../project/agent-list.ts";
import { joined } from "../util/many.ts";
import { type Hint, commandText, suggest } from "../util/suggest.ts";
import { inline } from "../yaml/new-document.ts";
import { agentMarks, agentName, referenceName, referenceWords } from "./agent-problems.ts";

/* What became of an agent whom a reference meant before: the same sentences in validate, plan and the editor. */

/** A lost agent in words. Only plain data. */
export interface LossFacts extends Pick<
  LostAgent,
  "why" | "name" | "eid" | "isOther" | "isPulled" | "isCutOff"
> {
  /** What the file says: `Asha Rao`, `Asha Rao (team Sales)`. */
  readonly wanted: string;
  /** The same as an argument of `agents replace`: `Asha Rao, team Sales`. */
  readonly argument: string;
  /** Whether the file has only the name. */
  readonly isNamed: boolean;
  /** Who has the extension now, told apart from others of the same name. Empty for nobody. */
  readonly holder: string;
  /** How files and commands name the holder. */
  readonly replacement: { readonly argument: string; readonly value: string } | undefined;
  /** All agents whom the reference means now, and what tells those apart who do not have the extension. */
  readonly matches: readonly string[];
  readonly marks: readonly string[];
}

export function lossFacts(
  { wanted, matches, holders, name, ...lost }: LostAgent,
  agents: Agents,
): LossFacts {
  const [holder] = holders;
  const own = holder && holders.length === 1 ? ownReference(holder, agents) : undefined;
  const isName = own && Object.keys(own).join() === "agent";
  const { agent: _, eid: __, ...others } = wanted;
  const isNamed = Object.keys(wanted).join() === "agent";
  return {
    ...lost,
    name: referenceName({ ...others, agent: name }),
    isNamed,
    wanted: referenceName(wanted),
    argument: referenceWords(wanted),
    holder: joined(
      holders.map((one) => agentName(one, agents)),
      "and",
    ),
    replacement: own && {
      argument: referenceWords(own),
      value: inline(isName ? (own.agent ?? "") : { ...own }),
    },
    matches: matches.map((one) => agentName(one, agents)),
    marks: matches.flatMap((one) => (holders.includes(one) ? [] : agentMarks(one, agents))),
  };
}

/** What happened, as a sentence that can follow a colon. */
export function lossWords(facts: LossFacts): string {
  const { why, wanted, isNamed, name, eid, holder, matches, marks } = facts;
  const nowHas = holder === "" ? "" : ` ${holder} has extension ${eid} now.`;
  switch (why) {
    case "left":
      return facts.isCutOff
        ? `${name} (extension ${eid}) is not on the agent list, which may be cut off.`
        : `${name} is no longer on the agent list (was extension ${eid}).`;
    case "no-extension":
      return `${name} has no extension any more (was ${eid}).${nowHas}`;
    case "renamed":
      if (matches.length > 0) return `${several(facts)}${nowHas}`;
      return isNamed
        ? `no agent is called ${wanted} any more.${nowHas}`
        : `no agent matches ${wanted} any more.${nowHas}`;
    case "namesake":
      return isNamed && marks.length === 1
        ? `there is a second agent called ${wanted} (${marks[0]}).`
        : several(facts);
  }
}

function several({ wanted, matches }: LossFacts): string {
  return `${wanted} now matches ${matches.length} agents: ${joined(matches, "and")}.`;
}

/** How to go on. `where` are the places in the files: ` in ivrs/front-desk.yaml:4`. */
export function lossFix(
  { why, argument, isNamed, name, holder, isOther, isPulled, isCutOff, replacement }: LossFacts,
  environment: string | undefined,
  where = "",
): readonly [Hint, ...Hint[]] {
  const choose = `choose a different agent${where}.`;
  if (isCutOff && why === "left") {
    const argv = suggest("agents list", [], environment);
    return [{ words: "Check on the console that the agent has left. To see the list, run:", argv }];
  }
  if (why === "no-extension") return [`Set up the extension on the console, or ${choose}`];
  if (why === "left" || replacement === undefined || (why === "renamed" && isOther)) {
    return [`C${choose.slice(1)}`];
  }
  const pull = commandText(suggest("agents pull", [], environment));
  const run = isPulled ? "run" : `run \`${pull}\`, and then`;
  const argv = suggest("agents replace", [argument, replacement.argument], undefined);
  if (why === "namesake") {
    const words = `To keep the calls at ${holder}, write \`${replacement.value}\`${where}. To change all files at once, ${run}:`;
    return [{ words, argv }];
  }
  const isRenamed = isNamed && normalName(name) !== replacement.argument;
  return isRenamed
    ? [
        { words: `If ${name} is now called ${holder}, ${run}:`, argv },
        `If ${holder} is a different person, ${choose}`,
      ]
    : [{ words: `To keep the calls at ${holder}, ${run}:`, argv }];
}
