import { type Around } from "../call/simulated-call.ts";
import { agentLines, missing } from "../call/describe-call.ts";
import { identityOf } from "../model/menu.ts";
import { groupBy } from "../util/group-by.ts";
import { many } from "../util/many.ts";
import { type CallDestination, type CallMenu, linksOf, pathsOf } from "../model/call-menu.ts";
import { describeOther, recordingName } from "../model/field-words.ts";
import { type Trigger, triggerOf } from "../model/trigger.ts";

/**
 * The content of a picture, for all formats: menus and the paths from them. The picture of one menu
 * has a box for each destination. In a flow, only menus are boxes, on the level at which callers reach
 * them, and the paths name their destinations. The text may come from outside, and each format escapes
 * it in one place.
 */
export interface Picture {
  readonly title: string;
  readonly menus: readonly Box[];
  /** The level of each menu: 0 where calls begin. */
  readonly levels: readonly number[];
  readonly places: readonly Box[];
  /** Grouped by menu, in the order in which callers hear the keys. */
  readonly paths: readonly DrawnPath[];
}

export interface Box {
  /** The text of the box. The first line is the name. */
  readonly lines: readonly string[];
  readonly mark: Highlight | undefined;
  /** The key of the menu that the box stands for. */
  readonly menu?: string | undefined;
}

/** Why a part is highlighted. Colors show it, and words too. */
export type Highlight = keyof typeof palette;

export interface DrawnPath extends Trigger {
  /** The index of the menu. */
  readonly from: number;
  /** The index of the box that it goes to: the menus come first, then the places. */
  readonly to: number | undefined;
  /** The destination in words, in a flow. */
  readonly reaches?: string;
  readonly mark: Highlight | undefined;
}

/** One path of a menu with its destination. */
export interface Branch {
  readonly trigger: Trigger;
  /** The id identifies the destination. Paths with the same id share a box if its text is the same too. */
  readonly place: Box & { readonly id: string };
  readonly mark?: Highlight | undefined;
}

const red = { fill: "#ffebe9", stroke: "#cf222e", dark: { fill: "#3d1a1a", stroke: "#ff7b72" } };
const green = { fill: "#dafbe1", stroke: "#1a7f37", dark: { fill: "#12301c", stroke: "#56d364" } };
const amber = { fill: "#fff8c5", stroke: "#9a6700", dark: { fill: "#3a2d0a", stroke: "#e3b341" } };
const violet = { fill: "#fbefff", stroke: "#8250df", dark: { fill: "#2b1d45", stroke: "#bc8cff" } };

/** The colors of each mark. Only SVG has others for dark pages; Mermaid is always light. */
export const palette = {
  added: { ...green, line: "stroke-width:2px" },
  changed: { ...amber, line: "stroke-width:3px" },
  removed: { ...red, line: "stroke-dasharray:6 4" },
  unknown: { ...violet, line: "stroke-dasharray:2 3" },
  blocked: { ...red, line: "stroke-width:3px" },
  fault: { ...red, line: "stroke-dasharray:6 4" },
} as const;

export const markInk = "#1f2328";

/** The picture of one menu with all its paths. */
export function menuPicture(menu: CallMenu, around?: Around): Picture {
  const { name, key, recording } = menu;
  const says = recording.says === undefined ? [] : [`“${recording.says}”`];
  const lines = [name, key, `plays ${recordingName(recording)}`, ...says];
  return drawMenu(name, { lines, mark: undefined, menu: key }, branchesOf(menu, around));
}

/** A menu in a flow. Without `call`, its paths are unknown, because the menu has errors. */
export interface FlowMenu {
  readonly key: string;
  readonly name?: string | undefined;
  readonly call?: CallMenu | undefined;
}

/**
 * Several menus and the paths between them. Menus that no other menu links to are on the left. Of menus that
 * link only to each other, one of `starts` is, where calls begin.
 */
export function flowPicture(
  menus: readonly FlowMenu[],
  around: Around,
  starts?: ReadonlySet<string>,
): Picture {
  const placed = inLevels(menus, starts);
  const indexes = new Map(placed.map(([{ key }], at) => [key, at]));
  return {
    title: many(placed.length, "menu"),
    levels: placed.map(([, level]) => level),
    menus: placed.map(([{ key, name, call }]) => {
      const hasErrors = call === undefined || around.faulty.has(key);
      const lines = [name ?? [], key, hasErrors ? "has errors" : []].flat();
      return { lines, mark: hasErrors ? "fault" : undefined, menu: key };
    }),
    places: [],
    paths: placed.flatMap(([{ call }], from) =>
      (call ? joined(branchesOf(call, around)) : []).map(
        ({ trigger: { keys, purpose, otherwise }, place: { lines, mark, menu } }) => {
          // What is wrong there is in words too.
          const reaches = mark === undefined ? (lines[0] ?? "") : lines.join(", ");
          const to = indexes.get(menu ?? "");
          return { keys, purpose, otherwise, from, to, mark, reaches };
        },
      ),
    ),
  };
}

/** The menus with their levels, level by level. */
function inLevels(
  menus: readonly FlowMenu[],
  starts: ReadonlySet<string> | undefined,
): [FlowMenu, number][] {
  const byKey = new Map(menus.map((menu) => [menu.key, menu]));
  const targets = new Set(
    menus.flatMap((menu) => linksOf(menu.call).filter((to) => to !== menu.key)),
  );
  const levels = new Map<FlowMenu, number>();
  // A map grows while it is read, so this reaches the menus level by level.
  const follow = (from: readonly FlowMenu[]) => {
    const reached = new Map(from.map((menu) => [menu, 0]));
    for (const [menu, level] of reached) {
      levels.set(menu, level);
      const next = linksOf(menu.call).flatMap((to) => byKey.get(to) ?? []);
      for (const to of next) if (!levels.has(to) && !reached.has(to)) reached.set(to, level + 1);
    }
  };
  // A menu with a number of its own comes after a menu that links to it, so that the link is drawn.
  follow(menus.filter(({ key }) => !targets.has(key)));
  // If menus link only to each other, the first of them is on the left.
  const first = menus.filter(({ key }) => starts?.has(key));
  for (const menu of [...first, ...menus]) if (!levels.has(menu)) follow([menu]);
  return [...levels].sort(([, a], [, b]) => a - b);
}

/** The picture of a menu with all its destinations. */
export function drawMenu(title: string, menu: Box, branches: readonly Branch[]): Picture {
  const places = new Map<string, Box>();
  const paths = branches.map(({ trigger, place: { id, ...box }, mark }) => {
    const identity = JSON.stringify([id, box.lines, box.mark ?? null]);
    places.set(identity, places.get(identity) ?? box);
    return { ...trigger, from: 0, to: 1 + [...places.keys()].indexOf(identity), mark };
  });
  return { title, menus: [menu], levels: [0], places: [...places.values()], paths };
}

function branchesOf(menu: CallMenu, around?: Around) {
  return pathsOf(menu).map((path) => ({
    via: path.via,
    trigger: triggerOf(path),
    place: destinationBox(path.destination, around),
  }));
}

/** Each destination once, with all keys that reach it and what they are for, without the retries. */
function joined(branches: ReturnType<typeof branchesOf>): Branch[] {
  return Array.from(groupBy(branches, ({ place }) => place.id).values(), (group) => {
    const [{ place }] = group;
    const triggers = group.map(({ trigger }) => trigger);
    const purposes = new Set(triggers.flatMap(({ purpose }) => purpose ?? []));
    return {
      trigger: {
        keys: triggers.flatMap(({ keys }) => keys),
        purpose: [...purposes].join(", ") || undefined,
        otherwise: group.flatMap(({ via }) => (via === "option" ? [] : causes[via])),
      },
      place,
    };
  });
}

const causes = { invalid: "wrong key", timeout: "silence" } as const;

/** The box of a destination: its name, what distinguishes it, and why a call there fails. */
export function destinationBox(destination: CallDestination, around?: Around): Branch["place"] {
  switch (destination.kind) {
    case "agent":
      return {
        id: identityOf(destination),
        lines: agentLines(destination),
        mark: destination.blocked ? "blocked" : undefined,
      };
    case "menu": {
      const { key } = destination;
      const name = around?.menus.get(key)?.name;
      const lines = name === undefined ? [key] : [name, key];
      const isFaulty = around && (name === undefined || around.faulty.has(key));
      if (!isFaulty) return { id: `menu ${key}`, lines, mark: undefined, menu: key };
      const why = missing[around.menus.has(key) ? "invalid-menu" : "no-menu"];
      return { id: `menu ${key}`, lines: [...lines, why], mark: "fault", menu: key };
    }
    case "other":
      return { id: identityOf(destination), lines: [describeOther(destination)], mark: undefined };
    case "unreachable": {
      const { name, why } = destination;
      return { id: `unreachable ${why} ${name}`, lines: [name, missing[why]], mark: "fault" };
    }
  }
}
