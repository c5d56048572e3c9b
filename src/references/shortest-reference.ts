import { digits } from "../schema/field-types.ts";
import {
  type Agent,
  type AgentReference,
  type Agents,
  ownReference,
  referenceFields,
} from "../project/agent-list.ts";
import type { Destination } from "../model/menu.ts";
import { ownKind } from "../schema/destination-kinds.ts";
import { type Environment, aliasById } from "../project/environment.ts";
import { shorten } from "../util/nearest.ts";
import type { Mapping } from "../yaml/new-document.ts";

/** How a menu refers to an id of a payload. */
export interface Reference {
  readonly value: string | Mapping;
  /** Why it is an id instead of a name, or why `validate` will reject it. */
  readonly note?: string;
}

interface AgentAsWritten extends Reference {
  readonly value: string | AgentReference;
}

/** Finds names for ids: agents in the agent list, everything else in the environment. */
export class References {
  readonly #agents: Agents | undefined;
  readonly #recordings: ReadonlyMap<string, string>;
  readonly #destinations: ReadonlyMap<string, string>;
  readonly #smsTemplates: ReadonlyMap<string, string>;

  constructor(agents: Agents | undefined, environment: Environment) {
    this.#agents = agents;
    const { recordingAliases, destinationAliases } = environment;
    this.#recordings = recordingAliases;
    this.#destinations = destinationAliases;
    this.#smsTemplates = aliasById(environment.smsTemplates);
  }

  agent(eid: string): AgentAsWritten {
    if (this.#agents === undefined) return { value: { eid }, note: "there was no agent list" };
    const [agent, other] = this.#agents.with("eid", eid);
    const extension = `extension ${shorten(eid)}`;
    if (agent === undefined) return { value: { eid }, note: `no agent has ${extension}` };
    const value = mostReadable(agent, this.#agents);
    if (other !== undefined) return { value, note: `several agents have ${extension}` };
    if (agent.blocked) return { value, note: "this agent is blocked and gets no calls" };
    return typeof value === "string" || value["agent"] !== undefined
      ? { value }
      : { value, note: `the agent list has no usable name for ${extension}` };
  }

  /** A destination as a file writes it. */
  destination(to: Destination): Reference {
    if (to.kind === "agent") return this.agent(to.eid);
    if (to.kind === "menu") {
      if (to.key !== undefined) return { value: { menu: to.key } };
      return { value: { kind: "ivr", id: to.id }, note: "this menu is not in the project" };
    }
    const row = ownKind(to.name, to.id);
    if (row === undefined) {
      const alias = this.#destinations.get(`${to.name}||${to.id}`);
      return { value: alias === undefined ? { kind: to.name, id: to.id } : { to: alias } };
    }
    return { value: { [to.name]: row.onlyId === undefined ? to.id : true } };
  }

  recording(id: string): Reference {
    return aliased(id, this.#recordings, "recordings:");
  }

  smsTemplate(id: string): Reference {
    return aliased(id, this.#smsTemplates, "sms_templates:");
  }
}

/** The shortest value that matches only this agent. */
function mostReadable(agent: Agent, agents: Agents): AgentAsWritten["value"] {
  const wanted = ownReference(agent, agents);
  const fields = referenceFields.flatMap((field) => {
    const value = wanted[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  // A name alone would be read as a number if it has only digits.
  return fields.length === 1 && wanted.agent !== undefined && !digits.test(wanted.agent)
    ? wanted.agent
    : Object.fromEntries(fields);
}

function aliased(id: string, aliases: ReadonlyMap<string, string>, where: string): Reference {
  const alias = aliases.get(id);
  if (alias !== undefined) return { value: alias };
  const note = `this id has no alias under \`${where}\``;
  return { value: digits.test(id) ? id : { id }, note };
}
