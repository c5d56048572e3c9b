import * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import {
  type AgentListOrigin,
  type ListedAgent,
  PulledList,
  agentListVersion,
} from "../schema/agent.ts";
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
}

/** The fields of a reference to an agent, the most readable first. */
export const referenceFields = ["agent", "team", "department", "intercom", "eid", "id"] as const;
export type ReferenceField = (typeof referenceFields)[number];
/** How a menu refers to an agent, for example by name and team. */
export type AgentReference = Partial<Record<ReferenceField, string>>;

/** Converts a listed agent. */
export function fromListed(listed: ListedAgent): Agent {
  return {
    id: textOrNull(listed.id),
    name: textOrNull(listed.name) ?? "",
    eid: textOrNull(listed.eid),
    intercom: textOrNull(listed.intercom),
    team: textOrNull(listed.team_name ?? listed.team),
    departments: departmentsOf(listed),
    blocked: isSet(listed.blocked) || isSet(listed.custom_status),
  };
}

/** An agent who is known only from an earlier list, or from the state. */
export type LeftAgent = Pick<Agent, "name" | "team"> & { readonly eid: string };

/** How many unknown names get suggestions. */
const maxSuggested = 100;

/** The agent list, with an index for each field, built when it is first used. */
export class Agents {
  readonly list: readonly Agent[];
  readonly origin: AgentListOrigin;
  /** The agent whom a reference meant before, if that agent is not on this list any more. */
  readonly left: (wanted: AgentReference) => LeftAgent | undefined;
  readonly #indexes = new Map<ReferenceField, ReadonlyMap<string, readonly Agent[]>>();
  readonly #suggested = new Map<string, string[]>();

  /** An `Agent` also has the fields of a listed one. */
  constructor(
    list: readonly ListedAgent[],
    origin: AgentListOrigin = {},
    earlier: (wanted: AgentReference) => LeftAgent | undefined = () => undefined,
  ) {
    this.list = list.map(fromListed);
    this.origin = origin;
    this.left = (wanted) => {
      const agent = earlier(wanted);
      return agent && this.with("eid", agent.eid).length === 0 ? agent : undefined;
    };
  }

  /** The agents that match every field of the reference. */
  find(wanted: AgentReference): readonly Agent[] {
    const wantedFields = referenceFields.filter((field) => wanted[field] !== undefined);
    const [fewest = [], ...others] = wantedFields
      .map((field) => this.with(field, wanted[field] ?? ""))
      .sort((a, b) => a.length - b.length);
    return others.length === 0
      ? fewest
      : fewest.filter((agent) => others.every((found) => found.includes(agent)));
  }

  /** The agents with this value. */
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

/**
 * Reads an agent list: a JSON array as the service returns it, or a file of `ivrctl agents pull`. The
 * environment is for the command that pulls the list again.
 */
export function readAgentList(
  source: Source,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
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
    return new Agents(agents, origin);
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
