import { type Agents, normalName } from "../project/agent-list.ts";
import { flowOfLinks } from "../compile/flow.ts";
import type { Lists } from "../deploy/listed/read-account.ts";
import { asInFiles } from "../deploy/listed/live-numbers.ts";
import { type StateView, liveRecords } from "../deploy/state/view.ts";
import { menuOfLive } from "../import/live-menu-to-import.ts";
import type { ImportedMenu } from "../import/payloads.ts";
import { slugFrom } from "../import/places.ts";
import { type Menu, type Recording, mapDestinations, mapRecordings } from "../model/menu.ts";
import type { Environment } from "../project/environment.ts";
import { isMenu } from "../schema/ref.ts";
import { groupBy } from "../util/group-by.ts";
import type { CallFlow } from "../call/callable-menu.ts";
import type { SourceMenu } from "../call/menu-source.ts";
import type { CallDestination, CallMenu, CallRecording } from "../model/call-menu.ts";

export interface Listed {
  readonly lists: Lists & { readonly menus: NonNullable<Lists["menus"]> };
  readonly environment: Environment;
  readonly agents: Agents;
  /** The agents when the list was last saved. They know the names of those who left. */
  readonly former: Agents | undefined;
  readonly state: StateView;
  /** The menus of the files. */
  readonly files: readonly SourceMenu[];
}

/** The menus that the service lists, as calls find them. A menu that cannot be read has no `call`. */
export interface LiveFlow {
  readonly menus: readonly (SourceMenu & {
    readonly key: string;
    readonly id: string | null;
    readonly problem: string | undefined;
    /** What the menu is, if it can be read. */
    readonly imported: ImportedMenu | undefined;
  })[];
  readonly flow: CallFlow;
}

/** Makes menus of what the service lists, with the numbers that point to them. */
export function liveFlow(listing: Listed): LiveFlow {
  const { lists, environment } = listing;
  const keys = keysOf(listing);
  const all = [...lists.menus.menus, ...lists.menus.unreadable];
  const numbers = groupBy(lists.numbers?.numbers ?? [], ({ destination }) =>
    destination?.kind === "menu" ? destination.id : undefined,
  );
  const menus = all.map((listed) => {
    const { id } = listed;
    const key = (id !== null && keys.get(id)) || "unreadable";
    const name = listed.name ?? undefined;
    const read =
      "problem" in listed ? { reason: listed.problem } : menuOfLive(listed, environment, keys);
    const pointing = (id === null ? [] : (numbers.get(id) ?? [])).map(asInFiles);
    const call =
      "reason" in read
        ? undefined
        : callableMenu(key, Object.assign(read.menu, { numbers: pointing }), listing);
    const problem = "reason" in read ? read.reason : undefined;
    const imported = "reason" in read ? undefined : read;
    return { key, name, id, file: undefined, numbers: pointing, call, problem, imported };
  });
  const byKey = new Map(menus.map(({ key, call }) => [key, call]));
  const links = new Map(
    menus.map(({ key, call }) => [key, call === undefined ? [] : linksOf(call)]),
  );
  const called = new Set(menus.flatMap((menu) => (menu.numbers.length > 0 ? menu.key : [])));
  const flow = flowOfLinks(links, (key) => called.has(key) || undefined);
  return { menus, flow: { ...flow, menus: byKey, faulty: new Set() } };
}

/** The key of each listed menu: that of its record, else of the file with the same name, else its name. */
function keysOf({ lists, state, files }: Listed): ReadonlyMap<string, string> {
  const recorded = new Map(
    liveRecords(state).flatMap(({ ref, current, key }) => {
      const id = current.identified?.id;
      return id === undefined ? [] : [[id, isMenu(ref) ? key : `${key}-${id}`] as const];
    }),
  );
  const taken = new Set(recorded.values());
  const byName = groupBy(files, ({ name = "" }) => normalName(name));
  const keys = new Map<string, string>();
  for (const { id, name } of [...lists.menus.menus, ...lists.menus.unreadable]) {
    if (id === null) continue;
    const slug = slugFrom(name ?? "") || "menu";
    const [same] = byName.get(normalName(name ?? "")) ?? [];
    const wanted = [recorded.get(id), same?.key, slug];
    const free = wanted.find(
      (key) => key !== undefined && (key === recorded.get(id) || !taken.has(key)),
    );
    const key = free ?? `${slug}-${slugFrom(id)}`;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
}

/** A menu with what is true of its agents, links and recordings now. */
function callableMenu(
  key: string,
  menu: Menu,
  {
    environment: { recordings, recordingAliases, destinationAliases },
    agents,
    former,
    state,
  }: Listed,
): CallMenu {
  const heard = (recording: Recording): CallRecording => {
    const alias = recording.alias ?? recordingAliases.get(recording.id);
    const { says, seconds, language } = recordings.get(alias ?? "") ?? {};
    return {
      ...recording,
      ...(alias !== undefined && { alias }),
      ...(says && { says: says.value }),
      ...(seconds && { seconds: seconds.value }),
      ...(language !== undefined && { language }),
    };
  };
  const reached = mapDestinations(menu, (to): CallDestination => {
    if (to.kind === "other") {
      const alias = destinationAliases.get(`${to.name}||${to.id}`);
      return { ...to, ...(alias !== undefined && { alias }) };
    }
    if (to.kind === "menu") {
      if (to.key !== undefined) return { kind: "menu", key: to.key };
      const gone = liveRecords(state).find(({ current }) => current.identified?.id === to.id);
      const name = gone?.current.menu.name ?? `menu ${to.id}`;
      return { kind: "unreachable", name, why: "gone", key: gone?.key ?? to.id };
    }
    const [agent] = agents.with("eid", to.eid);
    if (agent) return { ...to, name: agent.name, team: agent.team, blocked: agent.blocked };
    const left = former?.with("eid", to.eid)[0]?.name;
    return { kind: "unreachable", name: left ?? `extension ${to.eid}`, why: "not-listed" };
  });
  return { key, ...mapRecordings(reached, heard) };
}

function linksOf(menu: CallMenu): string[] {
  const to: string[] = [];
  mapDestinations(menu, (one) => {
    if (one.kind === "menu") to.push(one.key);
    return one;
  });
  return [...new Set(to)];
}
