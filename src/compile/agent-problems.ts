import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/field-types.ts";
import { didYouMean, shorten } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import {
  type Agent,
  type AgentReference,
  type Agents,
  type ReferenceField,
  distinguishingFields,
  referenceFields,
} from "../project/agent-list.ts";

/** Reports a number in the place of the name of an agent. */
export function reportBareNumber(number: string, span: Span, diagnostics: Diagnostics): void {
  diagnostics.add(
    "IVR303",
    span,
    `\`${shorten(number)}\` is a number, not the name of an agent.`,
    `Write \`{ intercom: "${number}" }\`, \`{ eid: "${number}" }\` or the name of the agent.`,
  );
}

/** Reports a reference that matches no agent. `placeOf` returns the place of one of its fields. */
export function reportNotFound(
  wanted: AgentReference,
  placeOf: (key: ReferenceField) => Span,
  agents: Agents,
  environment: string | undefined,
  diagnostics: Diagnostics,
): void {
  const absent = agents.origin.source === "users" && unlisted.find((key) => wanted[key]);
  if (absent) {
    diagnostics.add(
      "IVR301",
      placeOf(absent),
      `The agents are from the list of users, which has no ${absent}s.`,
      "Use the name of the agent, `department:` or `eid:` instead.",
    );
    return;
  }
  const writtenFields = referenceFields.filter((key) => wanted[key] !== undefined);
  const unknown = writtenFields.find((key) => agents.with(key, wanted[key] ?? "").length === 0);
  const [first = "id"] = writtenFields;
  if (unknown === undefined) {
    diagnostics.add(
      "IVR301",
      placeOf(first === "agent" ? first : (writtenFields.at(-1) ?? first)),
      `No agent has ${described(wanted)}.`,
      choices(agents.with(first, wanted[first] ?? "")),
    );
    return;
  }
  const value = wanted[unknown] ?? "";
  if (unknown === "agent" && digits.test(value)) {
    reportBareNumber(value, placeOf("agent"), diagnostics);
    return;
  }
  const isName = unknown === "agent" || unknown === "team" || unknown === "department";
  diagnostics.add(
    "IVR301",
    placeOf(unknown),
    unknown === "agent"
      ? `No agent is called \`${shorten(value)}\`.`
      : unknown === "team" || unknown === "department"
        ? `There is no ${unknown} \`${shorten(value)}\`.`
        : `No agent has ${described({ [unknown]: value })}.`,
    didYouMean(isName ? agents.nearest(unknown, value) : []) ?? {
      words: `${looksLikeKey.test(value) ? `To go to a menu, write \`{ menu: ${shorten(value)} }\`. ` : ""}List all agents:`,
      argv: suggest("agents list", [], environment),
    },
  );
}

/** Matches `sales/india` and `front-desk`, which agents are rarely called. */
const looksLikeKey = /^[a-z0-9]+(?:[/_-][a-z0-9]+)+$/;

/** The fields that the list of users does not have. */
const unlisted = ["team", "intercom"] as const;

/** Reports a reference that matches several agents. */
export function reportAmbiguous(
  wanted: AgentReference,
  matches: readonly Agent[],
  span: Span,
  diagnostics: Diagnostics,
): void {
  diagnostics.add(
    "IVR302",
    span,
    `${matches.length} agents have ${described(wanted)}: ${listed(matches)}.`,
    howToChoose(matches, wanted),
  );
}

/** What editors say about the agents with a name: who they are, and why a menu cannot use the name alone. */
export function aboutAgents(matches: readonly Agent[]): string {
  const [only, ...others] = matches;
  if (only === undefined) return "";
  if (others.length > 0) {
    return `Ambiguous: ${matches.length} agents have this name: ${listed(matches)}. ${howToChoose(matches, { agent: only.name })}`;
  }
  const details = agentDetails(only);
  return [
    ...(only.blocked ? ["Blocked: this agent gets no calls."] : []),
    ...(details === "" ? [] : [`${details.charAt(0).toUpperCase()}${details.slice(1)}.`]),
  ].join(" ");
}

function howToChoose(matches: readonly Agent[], wanted: AgentReference): string {
  const distinguishing = distinguishingFields(matches)
    .filter((key) => wanted[key] === undefined)
    .slice(0, 2);
  return distinguishing.length === 0
    ? "Correct the agents on the console. They are identical on the agent list."
    : `Add ${distinguishing.map((key) => `\`${key}:\``).join(" or ")} to choose one of them.`;
}

function choices(agents: readonly Agent[]): string {
  return `Choose one of these: ${listed(agents)}.`;
}

function listed(agents: readonly Agent[]): string {
  const more = agents.length > maxListed ? `; and ${agents.length - maxListed} more` : "";
  return `${agents.slice(0, maxListed).map(agentText).join("; ")}${more}`;
}

const maxListed = 6;

const fieldWords: Record<ReferenceField, string> = {
  agent: "the name",
  team: "team",
  department: "department",
  intercom: "intercom",
  eid: "extension",
  id: "id",
};

function described(wanted: AgentReference): string {
  return referenceFields
    .flatMap((key) =>
      wanted[key] === undefined ? [] : `${fieldWords[key]} ${shorten(wanted[key])}`,
    )
    .join(" and ");
}

/** The name of an agent, and what distinguishes it from others. */
function agentText(agent: Agent): string {
  const details = agentDetails(agent);
  return details === "" ? agent.name : `${agent.name} (${details})`;
}

/** What distinguishes an agent from others: `team Sales, intercom 1001`. */
export function agentDetails({ team, departments, intercom }: Agent): string {
  return [
    ...(team === null ? [] : [`team ${team}`]),
    ...(departments.length === 0 ? [] : [`department ${departments.join(" and ")}`]),
    ...(intercom === null ? [] : [`intercom ${intercom}`]),
  ].join(", ");
}
