import { type CallDestination, type CallMenu } from "../call/model.ts";
import { otherWords } from "../call/words.ts";
import { many } from "../util/many.ts";
import { type Branch, type Drawn, type Overviewed, type Picture, pictureOf } from "./picture.ts";

/** The maximum number of menus that an overview shows one by one. */
export const mostMenus = 60;

/** The maximum number of folders. With more, only top folders are shown. */
const mostFolders = 40;

/** Very many menus by folder: the teams that callers reach from each folder, and the folders that it leads to. */
export function folderOverview(menus: readonly Overviewed[]): Picture {
  const folders = new Set(menus.map(({ key }) => folderOf(key, false)));
  const folder = (key: string) => folderOf(key, folders.size > mostFolders);
  const grouped = new Map<string, Overviewed[]>();
  for (const menu of menus) {
    const name = folder(menu.key);
    grouped.set(name, [...(grouped.get(name) ?? []), menu]);
  }
  const teams = teamsOf(menus);
  const byName = [...grouped].sort(([a], [b]) => (a < b ? -1 : 1));
  const drawn = byName.map(([name, own]): Drawn => {
    const faults = own.filter(({ call }) => call === undefined).length;
    const lines = [
      name,
      many(own.length, "menu"),
      ...(faults === 0 ? [] : [`${faults} with errors`]),
    ];
    const ends = own
      .flatMap(({ call }) => (call === undefined ? [] : destinationsOf(call)))
      .filter((to) => to.kind !== "menu" || folder(to.key) !== name)
      .map((to) => placeOf(to, folder, teams));
    const counts = new Map<string, { place: Branch["place"]; count: number }>();
    for (const place of ends) {
      counts.set(place.id, { place, count: (counts.get(place.id)?.count ?? 0) + 1 });
    }
    return {
      id: folderId(name),
      menu: { lines, mark: faults === 0 ? undefined : "fault" },
      branches: [...counts.values()].map(({ place, count }) => ({
        trigger: { keys: [], purpose: undefined, otherwise: [many(count, "path")] },
        place,
      })),
    };
  });
  return pictureOf(many(menus.length, "menu"), drawn, "folder");
}

function folderOf(key: string, onlyTop: boolean): string {
  const parts = key.split("/").slice(0, -1);
  return ["ivrs", ...(onlyTop ? parts.slice(0, 1) : parts), ""].join("/");
}

function folderId(name: string): string {
  return `folder ${name}`;
}

function destinationsOf({ options, invalid, timeout }: CallMenu): CallDestination[] {
  return [...options, invalid, timeout].map(({ destination }) => destination);
}

/** The number of agents of each team that menus lead to. */
function teamsOf(menus: readonly Overviewed[]): ReadonlyMap<string | null, number> {
  const agents = new Map<string, string | null>();
  for (const { call } of menus) {
    for (const to of call === undefined ? [] : destinationsOf(call)) {
      if (to.kind === "agent") agents.set(to.eid, to.team);
    }
  }
  const counts = new Map<string | null, number>();
  for (const team of agents.values()) counts.set(team, (counts.get(team) ?? 0) + 1);
  return counts;
}

function placeOf(
  destination: CallDestination,
  folder: (key: string) => string,
  teams: ReadonlyMap<string | null, number>,
): Branch["place"] {
  switch (destination.kind) {
    case "agent": {
      const { team } = destination;
      const lines = [team ?? "Without a team", many(teams.get(team) ?? 0, "agent")];
      return { id: JSON.stringify(["team", team]), lines, mark: undefined };
    }
    case "menu": {
      const name = folder(destination.key);
      return { id: folderId(name), lines: [name], mark: undefined };
    }
    case "other": {
      const words = otherWords(destination);
      return { id: `other ${words}`, lines: [words], mark: undefined };
    }
    case "unreachable":
      return { id: "unreachable", lines: ["Agents and menus that do not exist"], mark: "fault" };
  }
}
