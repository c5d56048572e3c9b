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

/** The marks by which a reference can single an agent out. */
export const marks = ["agent", "team", "department", "intercom", "eid", "id"] as const;
export type Mark = (typeof marks)[number];
export type Marks = Partial<Record<Mark, string>>;

export function fromListed(listed: ListedAgent): Agent {
  return {
    id: textOrNull(listed.id),
    name: textOrNull(listed.name) ?? "",
    eid: textOrNull(listed.eid),
    intercom: textOrNull(listed.intercom),
    team: textOrNull(listed.team_name ?? listed.team),
    departments: (listed.departments ?? []).flatMap((department) => {
      const name = typeof department === "string" ? department : textOrNull(department?.name);
      return name === null ? [] : [name];
    }),
    blocked: isSet(listed.blocked) || isSet(listed.custom_status),
  };
}

/** The agent list, with an index for each mark, each built once, when first asked for. */
export class Agents {
  readonly #read: () => readonly Agent[];
  #list: readonly Agent[] | undefined;
  /** When a snapshot was made; undefined for a list that does not say. */
  readonly pulledAt: Date | undefined;
  readonly #indexes = new Map<Mark, Map<string, Agent[]>>();
  readonly #names = new Map<Mark, NameIndex>();

  /** A list, or how to read one that is known to be sound: when it is first asked for. */
  constructor(list: readonly Agent[] | (() => readonly Agent[]), pulledAt?: Date) {
    this.#read = typeof list === "function" ? list : () => list;
    this.pulledAt = pulledAt;
  }

  get list(): readonly Agent[] {
    return (this.#list ??= this.#read());
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
      ? [...candidates]
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

  #index(mark: Mark): Map<string, Agent[]> {
    let index = this.#indexes.get(mark);
    if (index !== undefined) return index;
    index = new Map();
    for (const agent of this.list) {
      for (const value of valuesOf(agent, mark)) {
        const known = index.get(value);
        if (known === undefined) index.set(value, [agent]);
        else if (known.at(-1) !== agent) known.push(agent);
      }
    }
    this.#indexes.set(mark, index);
    return index;
  }
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
  const value = mark === "agent" ? agent.name : agent[mark];
  return value === null || value === "" ? [] : [value];
}

function textOrNull(value: string | number | null | undefined): string | null {
  return value === null || value === undefined || value === "" ? null : String(value);
}

function isSet(status: string | number | boolean | null | undefined): boolean {
  return status === true || String(status ?? "0").trim() === "1" || status === "true";
}
