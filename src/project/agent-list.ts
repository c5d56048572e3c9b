import * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import {
  type AgentListOrigin,
  type ListedAgent,
  type PulledAgent,
  PulledList,
  agentListVersion,
} from "../schema/agent.ts";
import { idPattern } from "../schema/field-types.ts";
import { nearest } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import { parseJsonSource } from "../yaml/json-text.ts";
import { type Path, nodeAt } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/** A person or desk that takes calls. */
export interface Agent {
  readonly id: string | null;
  readonly name: string;
  /** The extension id; null if the list has none. */
  readonly eid: string | null;
  readonly intercom: string | null;
  readonly team: string | null;
  readonly departments: readonly string[];
  readonly blocked: boolean;
  /** The name before, if an agent list had a different one for this extension, and nobody has it now. */
  readonly was?: string;
}

/** The fields of a reference to an agent, the most readable first. */
export const referenceFields = ["agent", "team", "department", "intercom", "eid", "id"] as const;
export type ReferenceField = (typeof referenceFields)[number];
/** How a menu refers to an agent, for example by name and team. */
export type AgentReference = Partial<Record<ReferenceField, string>>;

export function fromListed(listed: PulledAgent): Agent {
  return {
    id: textOrNull(listed.id),
    name: textOrNull(listed.name) ?? "",
    eid: textOrNull(listed.eid),
    intercom: textOrNull(listed.intercom),
    team: textOrNull(listed.team_name ?? listed.team),
    departments: departmentsOf(listed),
    blocked: isSet(listed.blocked) || isSet(listed.custom_status),
    ...(listed.was !== undefined && { was: listed.was }),
  };
}

/** An agent as agents.lock.json or the state has it. */
export interface EarlierAgent {
  readonly name: string;
  readonly eid: string;
  /** Whether agents.lock.json already has what became of the agent. */
  readonly isPulled: boolean;
}

/** What a list is read with: what was true before, because a person is an extension and not a name. */
export interface Earlier {
  /** The only agent whom a reference meant. */
  readonly meant: (wanted: AgentReference) => EarlierAgent | undefined;
  /** Whether the list lacks so many of them that it may be cut off. */
  readonly isCutOff: boolean;
}

/** An agent whom a reference does not mean any more, because something outside of the files changed. */
export interface LostAgent extends EarlierAgent {
  readonly wanted: AgentReference;
  readonly why: "left" | "no-extension" | "renamed" | "namesake";
  /** The agents whom the reference means now. */
  readonly matches: readonly Agent[];
  /** Who has the extension now. A list from a file can have several. */
  readonly holders: readonly Agent[];
  /** Whether the list may only be cut off. */
  readonly isCutOff: boolean;
  /** Whether the holder is surely a different person, who had a different extension. */
  readonly isOther: boolean;
}

/** How many unknown names get suggestions. */
const maxSuggested = 100;

/** The agent list, with an index for each field, built when it is first used. */
export class Agents {
  readonly list: readonly Agent[];
  readonly origin: AgentListOrigin;
  readonly #earlier: Earlier | undefined;
  readonly #indexes = new Map<ReferenceField, ReadonlyMap<string, readonly Agent[]>>();
  readonly #suggested = new Map<string, string[]>();

  /** An `Agent` also has the fields of a listed one. */
  constructor(list: readonly PulledAgent[], origin: AgentListOrigin = {}, earlier?: Earlier) {
    this.list = list.map(fromListed);
    this.origin = origin;
    this.#earlier = earlier;
  }

  /** Whether the list lacks so many agents that it may be cut off. */
  get isCutOff(): boolean {
    return this.#earlier?.isCutOff === true;
  }

  /** The only agent whom a reference means or, if there is none, meant before. */
  meant(wanted: AgentReference): EarlierAgent | undefined {
    const [agent, ...others] = this.find(wanted);
    return agent && others.length === 0 && hasExtension(agent)
      ? { name: agent.name, eid: agent.eid, isPulled: false }
      : this.#before(wanted);
  }

  #before(wanted: AgentReference): EarlierAgent | undefined {
    return this.#earlier === undefined ? this.#renamed(wanted) : this.#earlier.meant(wanted);
  }

  /** The agent who had this name when the list was pulled before. */
  #renamed({ agent: wanted = "", ...others }: AgentReference): EarlierAgent | undefined {
    const [agent, ...more] = this.list.filter(
      ({ was }) => was !== undefined && normalName(was) === normalName(wanted),
    );
    if (agent?.was === undefined || more.length > 0 || !hasExtension(agent)) return undefined;
    const isSame = Object.keys(others).length === 0 || this.find(others).includes(agent);
    return isSame ? { name: agent.was, eid: agent.eid, isPulled: true } : undefined;
  }

  /** What became of the agent whom a reference meant, if it does not mean one agent who can be called. */
  lost(wanted: AgentReference, matches = this.find(wanted)): LostAgent | undefined {
    const [match] = matches;
    const isClear = matches.length === 1 && match !== undefined && hasExtension(match);
    if (isClear && !this.isCutOff) return undefined;
    const agent = this.#before(wanted);
    if (agent === undefined) return undefined;
    const holders = this.with("eid", agent.eid);
    // In a list that is cut off, the only agent with a name may be the other one.
    if (isClear && holders.length > 0) return undefined;
    const hasIt = (one: Agent) => one.eid === agent.eid;
    // Two agents with one extension cannot be told apart, whatever they are called.
    if (matches.length > 1 && matches.every(hasIt)) return undefined;
    const why =
      matches.length === 1 && !isClear
        ? "no-extension"
        : holders.length === 0
          ? "left"
          : matches.some(hasIt)
            ? "namesake"
            : "renamed";
    const isOther = holders.some(({ name }) => {
      const before = this.#before({ agent: name });
      return before !== undefined && before.eid !== agent.eid;
    });
    return { ...agent, wanted, why, matches, holders, isOther, isCutOff: this.isCutOff };
  }

  /** The agents that match every field of the reference. */
  find(wanted: AgentReference): readonly Agent[] {
    const [fewest = [], ...others] = referenceFields
      .flatMap((field) => (wanted[field] === undefined ? [] : [this.with(field, wanted[field])]))
      .sort((a, b) => a.length - b.length);
    return others.length === 0
      ? fewest
      : fewest.filter((agent) => others.every((agents) => agents.includes(agent)));
  }

  with(field: ReferenceField, value: string): readonly Agent[] {
    const index = this.#indexes.get(field) ?? indexed(this.list, field);
    this.#indexes.set(field, index);
    return index.get(comparable(field, value)) ?? [];
  }

  /** The values of a field that are most similar to a word. */
  nearest(field: ReferenceField, word: string): string[] {
    const asked = `${field} ${word}`;
    // With the list of a different account, every name is unknown, and comparing all takes long.
    if (!this.#suggested.has(asked) && this.#suggested.size < maxSuggested) {
      this.#suggested.set(asked, nearest(word, this.values(field)));
    }
    return this.#suggested.get(asked) ?? [];
  }

  /** All values of a field, as in the list. */
  values(field: ReferenceField): string[] {
    return [...new Set(this.list.flatMap((agent) => rawValues(agent, field)))];
  }
}

/** Whether calls can be sent to an agent. */
export function hasExtension<A extends Pick<Agent, "eid">>(
  agent: A,
): agent is A & { readonly eid: string } {
  return agent.eid !== null && idPattern.test(agent.eid);
}

/**
 * The most readable reference that matches only this agent: a name, alone or with a team, department or
 * intercom, and with the extension if nothing else differs.
 */
export function ownReference(agent: Agent, agents: Agents): AgentReference {
  const name = normalName(agent.name);
  const named: AgentReference = name === "" ? {} : { agent: name };
  const candidates: AgentReference[] = [
    named,
    { ...named, team: normalName(agent.team ?? "") },
    ...agent.departments.map((department) => ({ ...named, department: normalName(department) })),
    { ...named, intercom: agent.intercom ?? "" },
  ];
  const unique = candidates.find((choice) => {
    const isEmpty =
      Object.values(choice).includes("") || (choice.agent ?? choice.intercom) === undefined;
    if (isEmpty || (choice.intercom !== undefined && !idPattern.test(choice.intercom))) {
      return false;
    }
    const matches = agents.find(choice);
    return matches.length === 1 && matches[0] === agent;
  });
  return unique ?? { ...named, ...(agent.eid !== null && { eid: agent.eid }) };
}

/** The fields whose values differ between all of these agents, in the order of `referenceFields`. */
export function distinguishingFields(agents: readonly Agent[]): ReferenceField[] {
  return referenceFields.filter((field) => {
    const taken = new Set<string>();
    return agents.every((agent) => {
      const values = [...new Set(valuesOf(agent, field))];
      const free = values.length > 0 && values.every((value) => !taken.has(value));
      for (const value of values) taken.add(value);
      return free;
    });
  });
}

function indexed(agents: readonly Agent[], field: ReferenceField): Map<string, Agent[]> {
  const index = new Map<string, Agent[]>();
  for (const agent of agents) {
    for (const value of new Set(valuesOf(agent, field))) {
      const others = index.get(value);
      if (others === undefined) index.set(value, [agent]);
      else others.push(agent);
    }
  }
  return index;
}

/** Returns a value for comparison. Names are normalized (NFC, trimmed, single spaces); ids are not. */
function comparable(field: ReferenceField, value: string): string {
  return field === "agent" || field === "team" || field === "department"
    ? normalName(value)
    : value;
}

const alreadyNormal = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

export function normalName(name: string): string {
  return alreadyNormal.test(name) ? name : name.normalize("NFC").trim().replace(/\s+/g, " ");
}

function valuesOf(agent: Agent, field: ReferenceField): string[] {
  return rawValues(agent, field).map((value) => comparable(field, value));
}

function rawValues(agent: Agent, field: ReferenceField): readonly string[] {
  if (field === "department") return agent.departments;
  const value = agent[field === "agent" ? "name" : field];
  return value === null || value === "" ? [] : [value];
}

function departmentsOf({ departments }: ListedAgent): string[] {
  return (departments ?? []).flatMap((department) => {
    const name = typeof department === "string" ? department : textOrNull(department?.name);
    return name === null ? [] : [name];
  });
}

function textOrNull(value: string | number | null | undefined): string | null {
  return value === null || value === undefined || value === "" ? null : String(value);
}

function isSet(status: string | number | boolean | null | undefined): boolean {
  return status === true || String(status ?? "0").trim() === "1" || status === "true";
}

const maxReported = 10;
/** The maximum length of a text in which problems are located, because that takes time. */
const maxLocated = 2_000_000;

/** The lists in texts of an editor, so that everything made from them can be reused. */
const validLists = new WeakMap<Source, Agents>();

/**
 * Reads an agent list: a JSON array as the service returns it, or a file of `ivrctl agents pull`. The
 * environment is for the command that pulls the list again.
 */
export function readAgentList(
  source: Source,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
  const cached = validLists.get(source);
  if (cached !== undefined) return cached;
  const argv = suggest("agents pull", [], environment);
  const json = parseJsonSource(source);
  if (!json.success) {
    const words = "Save the service's answer unchanged, or pull the list again:";
    diagnostics.add("IVR501", json.span, "The agent list is not valid JSON.", { words, argv });
    return undefined;
  }
  const isAnswer = Array.isArray(json.value);
  const list = isAnswer ? { format_version: agentListVersion, agents: json.value } : json.value;
  const { data, error } = PulledList.safeParse(list);
  if (data !== undefined) {
    const { agents, ...origin } = data;
    const valid = new Agents(agents, origin);
    if (source.isReused) validLists.set(source, valid);
    return valid;
  }
  // JSON is YAML, so the YAML reader knows the places.
  const [document] = source.text.length > maxLocated ? [] : readYaml(source, new Diagnostics());
  const place = (path: Path) => nodeAt(document?.root, path) ?? source.top();
  if (error.issues.some(({ path }) => path.length < 2)) {
    const message = "This is not an agent list, or a different version of ivrctl wrote it.";
    diagnostics.add("IVR501", place([]), message, { words: "Pull the list again:", argv });
    return undefined;
  }
  for (const issue of error.issues.slice(0, maxReported)) {
    const path = issue.path.slice(isAnswer ? 1 : 0);
    diagnostics.add("IVR501", place(path), `${z.core.toDotPath(path)} ${issue.message}.`, {
      words: "Correct the value, or pull the list again:",
      argv,
    });
  }
  return undefined;
}
