import { digits, idPattern } from "../schema/common.ts";
import {
  type Agent,
  type AgentReference,
  type Agents,
  normalName,
  referenceFields,
} from "../compile/agents.ts";
import type { Environment } from "../project/environment.ts";
import { inComment, quoted, scalar } from "./yaml-text.ts";

/** How a menu refers to an id of a payload. */
export interface Reference {
  /** The reference as a value. `fields`: the same as fields of a mapping. */
  readonly value: string;
  readonly fields: readonly string[];
  /** Why the reference uses an id instead of a name. */
  readonly nameless?: string;
  /** A comment for the end of the line. */
  readonly comment?: string;
  /** Whether `validate` will reject it. */
  readonly invalid?: true;
}

/** Finds names for ids: agents in the agent list, everything else in the environment. */
export class References {
  readonly #agents: Agents | undefined;
  readonly #recordings: ReadonlyMap<string, string>;
  readonly #smsTemplates: ReadonlyMap<string, string>;

  constructor(agents: Agents | undefined, environment: Environment) {
    this.#agents = agents;
    this.#recordings = environment.recordingAliases;
    this.#smsTemplates = byId(environment.smsTemplates);
  }

  agent(eid: string): Reference {
    if (this.#agents === undefined) {
      return { ...referenceBy({ eid }), nameless: "there was no agent list" };
    }
    const holders = this.#agents.with("eid", eid);
    const [agent, other] = holders;
    if (agent === undefined) {
      const when = this.#agents.origin.pulledAt?.toISOString().slice(0, 10);
      const comment = `no agent has extension ${inComment(eid)}${when === undefined ? "" : ` (agent list of ${when})`}`;
      return { ...referenceBy({ eid }), nameless: comment, comment, invalid: true };
    }
    const wanted = mostReadable(agent, eid, this.#agents);
    const reference: Reference = {
      ...referenceBy(wanted),
      ...(wanted.agent === undefined
        ? { nameless: `the agent list has no usable name for extension ${inComment(eid)}` }
        : {}),
    };
    if (other !== undefined) {
      const names = holders.map(({ name }) => inComment(name)).join(" and ");
      const comment = `extension ${inComment(eid)} belongs to ${names} on the agent list`;
      return { ...reference, comment, invalid: true };
    }
    if (!agent.blocked) return reference;
    const comment = `${inComment(agent.name || eid)} is blocked on the agent list and gets no calls`;
    return { ...reference, comment, invalid: true };
  }

  recording(id: string): Reference {
    return aliased(id, this.#recordings, "recordings:");
  }

  smsTemplate(id: string): Reference {
    return aliased(id, this.#smsTemplates, "sms_templates:");
  }
}

/** The most readable reference that matches only this agent: a name, alone or with a team, department or intercom. */
function mostReadable(agent: Agent, eid: string, agents: Agents): AgentReference {
  const name = normalName(agent.name);
  const named: AgentReference = name === "" ? {} : { agent: name };
  const candidates: AgentReference[] = [
    named,
    ...(agent.team === null ? [] : [{ ...named, team: normalName(agent.team) }]),
    ...agent.departments.map((department) => ({ ...named, department: normalName(department) })),
    ...(agent.intercom === null ? [] : [{ ...named, intercom: agent.intercom }]),
  ];
  const unique = candidates.find((wanted) => {
    if (wanted.agent === undefined && wanted.intercom === undefined) return false;
    if (Object.values(wanted).some((value) => !/\S/.test(value))) return false;
    if (wanted.intercom !== undefined && !idPattern.test(wanted.intercom)) return false;
    const found = agents.find(wanted);
    return found.length === 1 && found[0] === agent;
  });
  return unique ?? { ...named, eid };
}

function referenceBy(wanted: AgentReference): Reference {
  const given = referenceFields.filter((key) => wanted[key] !== undefined);
  const fields = given.map((key) => {
    const value = wanted[key] ?? "";
    const isName = key === "agent" || key === "team" || key === "department";
    return `${key}: ${isName ? scalar(value, { flow: true }) : quoted(value)}`;
  });
  const name = given.length === 1 ? wanted.agent : undefined;
  // A name of digits would be read as a number.
  const alone = name !== undefined && !digits.test(name);
  return { value: alone ? scalar(name) : flowMap(fields), fields };
}

export function flowMap(fields: readonly string[]): string {
  return `{ ${fields.join(", ")} }`;
}

function aliased(id: string, aliases: ReadonlyMap<string, string>, where: string): Reference {
  const alias = aliases.get(id);
  if (alias !== undefined) return { value: scalar(alias, { flow: true }), fields: [] };
  const value = digits.test(id) ? quoted(id) : flowMap([`id: ${quoted(id)}`]);
  const comment = `this id has no alias under \`${where}\``;
  return { value, fields: [], nameless: comment, comment };
}

/** The first alias of each id. Leaves out aliases that are invalid. */
function byId(aliases: Iterable<readonly [string, string | undefined]>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [alias, id] of aliases) {
    if (id !== undefined && !found.has(id)) found.set(id, alias);
  }
  return found;
}
