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
  normalName,
  ownReference,
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
  const [, variable] = /^\{([A-Za-z_][\w-]*)\}$/.exec(value) ?? [];
  diagnostics.add(
    "IVR301",
    placeOf(unknown),
    unknown === "agent"
      ? `No agent is called \`${shorten(value)}\`.`
      : unknown === "team" || unknown === "department"
        ? `There is no ${unknown} \`${shorten(value)}\`.`
        : `No agent has ${described({ [unknown]: value })}.`,
    variable !== undefined
      ? `Write \`{{${variable}}}\` for the variable \`${variable}\`.`
      : (didYouMean(isName ? agents.nearest(unknown, value) : [], value) ?? {
          words: `${looksLikeKey.test(value) ? `To go to a menu, write \`{ menu: ${shorten(value)} }\`. ` : ""}List all agents:`,
          argv: suggest("agents list", [], environment),
        }),
  );
}

/** Matches `sales/india` and `front-desk`, which agents are rarely called. */
const looksLikeKey = /^[a-z0-9]+(?:[/_-][a-z0-9]+)+$/;

/** The fields that the list of users does not have. */
const unlisted = ["team", "intercom"] as const;

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

/** What editors say about an agent besides the name. */
export function aboutAgent(agent: Agent): string {
  const details = agentDetails(agent);
  return [
    ...(agent.blocked ? ["Blocked: this agent gets no calls."] : []),
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
  const texts = agents.map((agent) => agentText(agent));
  const distinct = agents.slice(0, maxListed).map((agent, at) => {
    const text = texts[at] ?? "";
    const isShared = texts.indexOf(text) !== texts.lastIndexOf(text);
    return isShared && agent.eid !== null ? agentText(agent, [`extension ${agent.eid}`]) : text;
  });
  return `${distinct.join("; ")}${more}`;
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

/** An agent, told apart from others of the same name only if there are any: `Ravi Kumar (team Billing)`. */
export function agentName(agent: Agent, agents: Agents): string {
  return referenceName(ownReference(agent, agents));
}

/** What tells an agent apart from others of the same name: `team Billing`. */
export function agentMarks(agent: Agent, agents: Agents): string {
  return markWords(ownReference(agent, agents)).join(", ");
}

/** A reference as a name in a sentence: `Ravi Kumar (team Billing)`. */
export function referenceName(reference: AgentReference): string {
  const marks = markWords(reference).join(", ");
  const name = normalName(reference.agent ?? "");
  return name === "" ? marks : marks === "" ? name : `${name} (${marks})`;
}

/** A reference as an argument of a command: `Ravi Kumar, team Billing`. */
export function referenceWords(reference: AgentReference): string {
  const name = normalName(reference.agent ?? "");
  return [...(name === "" ? [] : [name]), ...markWords(reference)].join(", ");
}

function markWords(reference: AgentReference): string[] {
  return referenceFields.flatMap((field) => {
    const value = field === "agent" ? undefined : reference[field];
    return value === undefined ? [] : `${fieldWords[field]} ${shorten(value)}`;
  });
}

/** The name of an agent, and what distinguishes it from others. */
function agentText(agent: Agent, more: readonly string[] = []): string {
  const details = [agentDetails(agent), ...more].filter(Boolean).join(", ");
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
