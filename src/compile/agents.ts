import type { ListedAgent } from "../schema/agent.ts";
import { NameIndex } from "../util/nearest.ts";

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

/** The agent list, with an index for each mark, built when it is first used. */
export class Agents {
  readonly list: readonly Agent[];
  /** When a snapshot was made; undefined for a list that does not say. */
  readonly pulledAt: Date | undefined;
  readonly #indexes = new Map<Mark, ReadonlyMap<string, readonly Agent[]>>();
  readonly #names = new Map<Mark, NameIndex>();

  constructor(list: readonly Listed[], pulledAt?: Date) {
    this.list = list.map(fromListed);
    this.pulledAt = pulledAt;
  }

  /** Everyone for whom all the marks hold. */
  find(wanted: Marks): readonly Agent[] {
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

  with(mark: Mark, value: string): readonly Agent[] {
    return this.#index(mark).get(comparable(mark, value)) ?? [];
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
    return [...new Set(this.list.flatMap((agent) => rawValues(agent, mark)))];
  }

  #index(mark: Mark): ReadonlyMap<string, readonly Agent[]> {
    let index = this.#indexes.get(mark);
    if (index === undefined) {
      index = indexed(this.list, mark);
      this.#indexes.set(mark, index);
    }
    return index;
  }
}

function indexed(agents: readonly Agent[], mark: Mark): Map<string, Agent[]> {
  const index = new Map<string, Agent[]>();
  for (const agent of agents) {
    for (const value of new Set(valuesOf(agent, mark))) {
      const known = index.get(value);
      if (known === undefined) index.set(value, [agent]);
      else known.push(agent);
    }
  }
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

function valuesOf(agent: Agent, mark: Mark): string[] {
  return rawValues(agent, mark).map((value) => comparable(mark, value));
}

function rawValues(agent: Agent, mark: Mark): readonly string[] {
  if (mark === "department") return agent.departments;
  const value = agent[mark === "agent" ? "name" : mark];
  return value === null || value === "" ? [] : [value];
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
