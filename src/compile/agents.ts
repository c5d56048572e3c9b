import type { ListedAgent } from "../schema/agent.ts";
import { NameIndex } from "./nearest.ts";

/** Someone who takes calls. */
export interface Agent {
  readonly id: string | null;
  readonly name: string;
  /** The extension id; null where the list gives none. */
  readonly eid: string | null;
  readonly intercom: string | null;
  readonly team: string | null;
  readonly departments: readonly string[];
  readonly blocked: boolean;
}

/** What is looked at of an agent as the service lists it. An `Agent` is one such, too. */
interface Listed extends Readonly<Pick<ListedAgent, Field>> {
  readonly departments?: readonly Department[] | null | undefined;
}
type Field =
  | "id"
  | "name"
  | "eid"
  | "intercom"
  | "team_name"
  | "team"
  | "custom_status"
  | "blocked";
type Department = NonNullable<ListedAgent["departments"]>[number];

/** The marks by which a reference can single an agent out. */
export const marks = ["agent", "team", "department", "intercom", "eid", "id"] as const;
export type Mark = (typeof marks)[number];
export type Marks = Partial<Record<Mark, string>>;

export function fromListed(listed: Listed): Agent {
  return {
    id: textOrNull(listed.id),
    name: textOrNull(listed.name) ?? "",
    eid: textOrNull(listed.eid),
    intercom: textOrNull(listed.intercom),
    team: teamOf(listed),
    departments: departmentsOf(listed),
    blocked: isSet(listed.blocked) || isSet(listed.custom_status),
  };
}

/**
 * The agent list, with an index for each mark, each built once, when first asked for. Of a
 * large list few are ever looked at: each is made when it is.
 */
export class Agents {
  readonly #read: () => readonly Listed[];
  #listed: readonly Listed[] | undefined;
  readonly #made = new Map<number, Agent>();
  readonly #positions = new Map<Agent, number>();
  #list: readonly Agent[] | undefined;
  /** When a snapshot was made; undefined for a list that does not say. */
  readonly pulledAt: Date | undefined;
  readonly #indexes = new Map<Mark, ReadonlyMap<string, number | readonly number[]>>();
  readonly #names = new Map<Mark, NameIndex>();

  /** A list, or how to read one that is known to be sound: when it is first asked for. */
  constructor(list: readonly Listed[] | (() => readonly Listed[]), pulledAt?: Date) {
    this.#read = typeof list === "function" ? list : () => list;
    this.pulledAt = pulledAt;
  }

  get list(): readonly Agent[] {
    return (this.#list ??= this.listed.map((_, position) => this.#at(position)));
  }

  /** As they were given. */
  get listed(): readonly Listed[] {
    return (this.#listed ??= this.#read());
  }

  /** The one at a place of the list. */
  at(position: number): Agent | undefined {
    return position in this.listed ? this.#at(position) : undefined;
  }

  /** Where one of them stands in the list. */
  positionOf(agent: Agent): number | undefined {
    return this.#positions.get(agent);
  }

  /** Everyone for whom all the marks hold. */
  find(wanted: Marks): Agent[] {
    const given = marks.filter((mark) => wanted[mark] !== undefined);
    // The most telling mark narrows the most.
    const first = tellingOrder.find((mark) => given.includes(mark));
    if (first === undefined) return [];
    const candidates = this.with(first, wanted[first] ?? "");
    const rest = given.filter((mark) => mark !== first);
    return rest.length === 0
      ? candidates
      : candidates.filter((agent) =>
          rest.every((mark) =>
            valuesOf(agent, mark).includes(comparable(mark, wanted[mark] ?? "")),
          ),
        );
  }

  with(mark: Mark, value: string): Agent[] {
    const found = this.#index(mark).get(comparable(mark, value)) ?? [];
    return typeof found === "number"
      ? [this.#at(found)]
      : found.map((position) => this.#at(position));
  }

  /** The values of a mark most like a word. */
  nearest(mark: Mark, word: string): string[] {
    let index = this.#names.get(mark);
    if (index === undefined) {
      index = new NameIndex(this.values(mark));
      this.#names.set(mark, index);
    }
    return index.nearest(word);
  }

  /** Every value of a mark, as the list writes it. */
  values(mark: Mark): string[] {
    return [...new Set(this.listed.flatMap((listed) => rawValues(listed, mark)))];
  }

  #at(position: number): Agent {
    let agent = this.#made.get(position);
    if (agent === undefined) {
      agent = fromListed(this.listed[position] ?? {});
      this.#made.set(position, agent);
      this.#positions.set(agent, position);
    }
    return agent;
  }

  #index(mark: Mark): ReadonlyMap<string, number | readonly number[]> {
    let index = this.#indexes.get(mark);
    if (index === undefined) {
      index = indexed(this.listed, mark);
      this.#indexes.set(mark, index);
    }
    return index;
  }
}

/**
 * Where in the list a value is found. Several places only where several have it: of 50,000
 * agents, nearly all are alone with theirs.
 */
function indexed(agents: readonly Listed[], mark: Mark): Map<string, number | number[]> {
  const index = new Map<string, number | number[]>();
  const add = (value: string, position: number): void => {
    const known = index.get(value);
    if (known === undefined) index.set(value, position);
    else if (typeof known === "number") {
      if (known !== position) index.set(value, [known, position]);
    } else if (known.at(-1) !== position) known.push(position);
  };
  agents.forEach((agent, position) => {
    if (mark === "department") {
      for (const name of departmentsOf(agent)) add(normalName(name), position);
    } else {
      const value = onlyValue(agent, mark);
      if (value !== null) add(comparable(mark, value), position);
    }
  });
  return index;
}

/** The marks that would tell these agents apart, the friendliest first. */
export function tellingMarks(agents: readonly Agent[]): Mark[] {
  return marks.filter((mark) => {
    const taken = new Set<string>();
    return agents.every((agent) => {
      const own = [...new Set(valuesOf(agent, mark))];
      const free = own.length > 0 && own.every((value) => !taken.has(value));
      for (const value of own) taken.add(value);
      return free;
    });
  });
}

const tellingOrder: readonly Mark[] = ["eid", "id", "intercom", "agent", "team", "department"];

/** Names compare after NFC, trimming and collapsing white space; ids to the letter. */
function comparable(mark: Mark, value: string): string {
  return mark === "agent" || mark === "team" || mark === "department" ? normalName(value) : value;
}

const alreadyNormal = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

export function normalName(name: string): string {
  return alreadyNormal.test(name) ? name : name.normalize("NFC").trim().replace(/\s+/g, " ");
}

function valuesOf(agent: Listed, mark: Mark): string[] {
  return rawValues(agent, mark).map((value) => comparable(mark, value));
}

function rawValues(agent: Listed, mark: Mark): readonly string[] {
  if (mark === "department") return departmentsOf(agent);
  const value = onlyValue(agent, mark);
  return value === null ? [] : [value];
}

function onlyValue(agent: Listed, mark: Exclude<Mark, "department">): string | null {
  if (mark === "team") return teamOf(agent);
  return textOrNull(mark === "agent" ? agent.name : agent[mark]);
}

function teamOf({ team_name, team }: Listed): string | null {
  return textOrNull(team_name ?? team);
}

function departmentsOf({ departments }: Listed): string[] {
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
