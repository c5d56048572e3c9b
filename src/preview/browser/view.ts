import { peopleIn } from "../../call/reached.ts";
import { type CallMenus, begin, press } from "../../call/simulated-call.ts";
import type { CallMenu, Press } from "../../model/call-menu.ts";
import { textsBefore } from "../../model/menu-diff.ts";
import { groupBy } from "../../util/group-by.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";

export type PageProject = ReturnType<typeof projectOf>;

/** The menus of the page, as calls need them. `start` starts a call to the open menu, and presses keys. */
export function projectOf(data: PreviewData, start: (presses: readonly Press[]) => void) {
  const { menus } = data;
  const current = menus.filter((menu) => !isDeleted(menu));
  const isFaulty = ({ findings }: PreviewMenu) => findings.some(({ kind }) => kind === "error");
  const texts = menus.flatMap(({ call, change }) =>
    call && change?.before ? textsBefore(change.before, call) : [],
  );
  const people = peopleIn(current);
  const agents = people.flatMap(([{ person }]) => (person.kind === "agent" ? person : []));
  const alike = groupBy(agents, (agent) => `${agent.name} ${aboutAgent(agent, data)}`);
  return {
    data,
    current,
    start,
    people,
    /** The extensions of agents whom only their extensions tell apart. */
    twins: new Set([...alike.values()].flatMap((all) => (all[1] ? all.map(({ eid }) => eid) : []))),
    pages: new Map(menus.map((menu) => [menu.key, menu])),
    names: groupBy(menus, ({ name }) => name),
    /** The menus with a change that no other menu shares. */
    changedAlone: new Set(data.changes.flatMap(({ keys }) => (keys[1] === undefined ? keys : []))),
    menus: new Map(current.map(({ key, call, isStale }) => [key, isStale ? undefined : call])),
    faulty: new Set(menus.filter(isFaulty).map(({ key }) => key)),
    /** The menus at the revision that the page compares with, by the keys that they had. */
    past: new Map(menus.map((menu) => [pastOf(menu)?.key ?? menu.key, pastOf(menu)])),
    /** What recordings say until a person records them again, by their ids. */
    again: new Map(texts),
  };
}

/** The team or department and the intercom number of an agent. */
export function aboutAgent(
  { eid, team }: { readonly eid: string; readonly team: string | null },
  { people }: PreviewData,
): string {
  return people?.[eid] ?? team ?? "";
}

/** Whether the page shows a menu as it was at the revision. */
export function isDeleted({ change }: PreviewMenu): boolean {
  return change?.kind === "deleted";
}

/** A menu at the revision that the page compares with. One without a change was the same. */
function pastOf({ change, call }: PreviewMenu): CallMenu | undefined {
  return change ? change.before : call;
}

/** The fragment of the address that names a menu: `#/sales/india`. */
export function menuAddress(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** The fragment of the address of the flow of calls that begin in a menu. */
export function flowAddress(key: string): string {
  return menuAddress(key).replace("/", "flow/");
}

export type OpenMenu = ReturnType<typeof viewOf>;

/** A call, and how it was at the revision, if the menus existed then. */
export type Calling = NonNullable<OpenMenu["calling"]>;

/** An open menu after these keys. There is no `calling` if errors prevent calls. */
export function viewOf(project: PageProject, menu: PreviewMenu, presses: readonly Press[]) {
  const around = isDeleted(menu) ? { ...project, menus: project.past } : project;
  const callOf = (first: CallMenu | undefined, menus: CallMenus) =>
    first && presses.reduce((call, key) => press(call, key, menus), begin(first));
  const call = callOf(menu.call, around.menus);
  const inside = around.pages.get(call?.menu.key ?? "") ?? menu;
  const before = callOf(pastOf(menu), around.past);
  const past = { past: pastOf(menu), insidePast: pastOf(inside) };
  return { menu, around, calling: call && { menu, call, before, ...past } };
}

export const { compare: compareNames } = new Intl.Collator("en", { numeric: true });

/** The menus with phone numbers, then the others, by name: `town 2` before `town 17`. */
export function byNumberAndName(menus: readonly PreviewMenu[]): PreviewMenu[] {
  const isUncalled = ({ numbers }: PreviewMenu) => Number(numbers.length === 0);
  return menus.toSorted((a, b) => isUncalled(a) - isUncalled(b) || compareNames(a.name, b.name));
}
