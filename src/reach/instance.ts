import { describeOther } from "../model/field-words.ts";
import { type Destination, type Menu, placesOf } from "../model/menu.ts";
import { fieldIdentity, fieldsIn } from "../model/menu-diff.ts";
import { type Agent, type Agents, normalName } from "../project/agent-list.ts";
import { ownWords } from "../schema/destination-kinds.ts";
import { joined } from "../util/many.ts";
import type { End, Instance, InstanceId, Target } from "./world.ts";

/* Menus as instances, and destinations as ends of calls. */

/** What people find a menu by on the console. */
export type Facts = Pick<Instance, "id" | "createdAt">;

export function instanceOf(
  key: string,
  menu: Menu,
  target: (to: Destination) => Target,
  { id, createdAt }: Facts = {},
): Instance {
  return {
    key,
    name: menu.name,
    ...(id !== undefined && { id }),
    ...(createdAt !== undefined && { createdAt }),
    exits: new Map(placesOf(menu).map(([exit, to]) => [exit, target(to)])),
    sound: soundOf(menu),
  };
}

/** Menus never change, and each is an instance of several worlds. */
const sounds = new WeakMap<Menu, string>();

/** What callers hear of a menu. Its name and description are only for people who manage it. */
function soundOf(menu: Menu): string {
  const cached = sounds.get(menu);
  if (cached !== undefined) return cached;
  const heard = [...fieldsIn(menu).values()].flatMap((field) =>
    field.is === "destination" || isUnheard(field.row)
      ? []
      : `${field.path} ${fieldIdentity(field)}`,
  );
  // A key that works at once is not the same as a wrong key, although both may reach the same.
  const keys = menu.options.map(({ key }) => key);
  const sound = [...heard, ...keys].sort().join("\n");
  sounds.set(menu, sound);
  return sound;
}

/** Whether a field is only for people who manage the menu. */
export function isUnheard(row: string): boolean {
  return row === "name" || row === "description";
}

type ToEnd = (to: Exclude<Destination, { kind: "menu" }>) => End;

/** An extension is whoever has it on the list of now. */
export function endsToday(agents: Agents | undefined): ToEnd {
  return (to) => {
    if (to.kind === "other") return otherEnd(to);
    const { eid, name } = to;
    if (agents === undefined) return agentEnd(eid, name);
    const holders = agents.with("eid", eid);
    const isNamed = (agent: Agent) => normalName(agent.name) === normalName(name ?? "");
    const same = holders.length > 1 ? holders.filter(isNamed) : holders;
    const [agent, ...others] = same.length > 0 ? same : holders;
    const dead = { kind: "end", words: "nobody", answers: "no", eid } as const;
    if (agent === undefined) {
      const who = name === undefined ? `extension ${eid}` : `${name} (extension ${eid})`;
      return { ...dead, is: `agent ${eid} left`, why: `${who} is not on the agent list` };
    }
    const all = [agent, ...others];
    if (all.every(({ blocked }) => blocked)) {
      return { ...dead, is: `agent ${eid} blocked`, why: `${agent.name} is blocked` };
    }
    const names = [...new Set(all.map(({ name: one }) => one))];
    const end = agentEnd(eid, joined(names, "or"));
    return names.length === 1 ? end : { ...end, answers: "unknown" };
  };
}

/** An extension is whoever had it when that was recorded. */
export function endsRecorded(agents: Agents | undefined): ToEnd {
  return (to) =>
    to.kind === "other"
      ? otherEnd(to)
      : agentEnd(to.eid, to.name ?? agents?.with("eid", to.eid)[0]?.name);
}

function agentEnd(eid: string, name: string | undefined): End {
  const words = name === undefined ? `extension ${eid}` : `${name} (extension ${eid})`;
  return { kind: "end", is: `agent ${eid} ${normalName(name ?? "")}`, words, answers: "yes", eid };
}

function otherEnd(to: Extract<Destination, { kind: "other" }>): End {
  const words = ownWords(to.name, to.id, "reached") ?? describeOther(to);
  return { kind: "end", is: `other ${to.name} ${to.id}`, words, answers: "yes" };
}

/** An end in place of what nobody knows. */
export function unknownEnd(words: string): End {
  return { kind: "end", is: `unknown ${words}`, words, answers: "unknown" };
}

export function menuTarget(id: InstanceId): Target {
  return { kind: "menu", id };
}
