import { digits, idPattern } from "../schema/common.ts";
import {
  type Agent,
  type AgentReference,
  type Agents,
  normalName,
  referenceFields,
} from "../compile/agents.ts";
import { type Environment, aliasById } from "../project/environment.ts";
import { shorten } from "../util/nearest.ts";
import type { Mapping } from "./yaml-text.ts";

/** How a menu refers to an id of a payload. */
export interface Reference {
  readonly value: string | Mapping;
  /** Why it is an id instead of a name, or why `validate` will reject it. */
  readonly note?: string;
  readonly invalid?: boolean;
}

/** Finds names for ids: agents in the agent list, everything else in the environment. */
export class References {
  readonly #agents: Agents | undefined;
  readonly #recordings: ReadonlyMap<string, string>;
  readonly #smsTemplates: ReadonlyMap<string, string>;

  constructor(agents: Agents | undefined, environment: Environment) {
    this.#agents = agents;
    this.#recordings = environment.recordingAliases;
    this.#smsTemplates = aliasById(environment.smsTemplates);
  }

  agent(eid: string): Reference {
    if (this.#agents === undefined) return { value: { eid }, note: "there was no agent list" };
    const holders = this.#agents.with("eid", eid);
    const [agent, other] = holders;
    const shown = shorten(eid);
    if (agent === undefined) {
      const when = this.#agents.origin.pulledAt?.toISOString().slice(0, 10);
      const list = when === undefined ? "" : ` (agent list of ${when})`;
      return { value: { eid }, note: `no agent has extension ${shown}${list}`, invalid: true };
    }
    const wanted = mostReadable(agent, eid, this.#agents);
    const reference: Reference = {
      value: referenceBy(wanted),
      ...(wanted.agent === undefined && {
        note: `the agent list has no usable name for extension ${shown}`,
      }),
    };
    if (other === undefined && !agent.blocked) return reference;
    const names = holders.map(({ name }) => shorten(name)).join(" and ");
    const note =
      other === undefined
        ? `${shorten(agent.name || eid)} is blocked on the agent list and gets no calls`
        : `extension ${shown} belongs to ${names} on the agent list`;
    return { ...reference, note, invalid: true };
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

/** The name alone, unless it would be read as a number, or a mapping. */
function referenceBy(wanted: AgentReference): Reference["value"] {
  const given = referenceFields.flatMap((field) => {
    const value = wanted[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const { agent } = wanted;
  const isAlone = given.length === 1 && agent !== undefined && !digits.test(agent);
  return isAlone ? agent : Object.fromEntries(given);
}

function aliased(id: string, aliases: ReadonlyMap<string, string>, where: string): Reference {
  const alias = aliases.get(id);
  if (alias !== undefined) return { value: alias };
  const note = `this id has no alias under \`${where}\``;
  return { value: digits.test(id) ? id : { id }, note };
}
