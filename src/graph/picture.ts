import { menuReference } from "../schema/wire.ts";
import type { CallDestination, CallMenu } from "../call/model.ts";
import {
  menuWords,
  otherWords,
  type Trigger,
  agentWords,
  onKey,
  onSilence,
  onWrongKey,
  recordingName,
} from "../call/words.ts";
import { many } from "../util/many.ts";

/**
 * The content of a picture, for all formats: menus on the left, destinations on the right, and the
 * paths between them. Menus that other menus lead to are on further levels. The text may come from outside, and each format escapes it in one place.
 */
export interface Picture {
  readonly title: string;
  readonly menus: readonly Box[];
  /** The level of each menu: 0 where calls begin. */
  readonly levels: readonly number[];
  readonly places: readonly Box[];
  /** Grouped by menu, in the order in which callers hear the keys. */
  readonly paths: readonly Path[];
}

export interface Box {
  /** The text of the box. The first line is the name. */
  readonly lines: readonly string[];
  readonly mark: Mark | undefined;
}

/** Why a part is highlighted. Colors show it, and words too. */
export type Mark = keyof typeof palette;

export interface Path extends Trigger {
  /** The index of the menu. */
  readonly from: number;
  /** The index of the destination: the menus come first, then the places. */
  readonly to: number;
  readonly mark: Mark | undefined;
}

/** One path of a menu with its destination. */
export interface Branch {
  readonly trigger: Trigger;
  readonly place: Place;
  readonly mark?: Mark | undefined;
}

interface Place extends Box {
  /** Identifies the destination. Paths with the same id share a box if its text is the same too. */
  readonly id: string;
}

export interface Drawn {
  readonly menu: Box;
  /** Identifies the menu as a destination of other menus. */
  readonly id?: string;
  readonly level?: number;
  readonly branches: readonly Branch[];
}

const red = { fill: "#ffebe9", stroke: "#cf222e", dark: { fill: "#3d1a1a", stroke: "#ff7b72" } };

/** The colors of each mark. Only SVG has others for dark pages; Mermaid is always light. */
export const palette = {
  added: {
    fill: "#dafbe1",
    stroke: "#1a7f37",
    line: "stroke-width:2px",
    dark: { fill: "#12301c", stroke: "#56d364" },
  },
  changed: {
    fill: "#fff8c5",
    stroke: "#9a6700",
    line: "stroke-width:3px",
    dark: { fill: "#3a2d0a", stroke: "#e3b341" },
  },
  removed: { ...red, line: "stroke-dasharray:6 4" },
  unknown: {
    fill: "#fbefff",
    stroke: "#8250df",
    line: "stroke-dasharray:2 3",
    dark: { fill: "#2b1d45", stroke: "#bc8cff" },
  },
  blocked: { ...red, line: "stroke-width:3px" },
  fault: { ...red, line: "stroke-dasharray:6 4" },
} as const;

export const markInk = "#1f2328";

export const marks = ["added", "changed", "removed", "unknown", "blocked", "fault"] as const;

/** The picture of one menu with all its paths. */
export function menuPicture(menu: CallMenu): Picture {
  const lines = [menu.name, menu.key, ...greeting(menu)];
  return pictureOf(menu.name, [{ menu: { lines, mark: undefined }, branches: branchesOf(menu) }]);
}

/** What the menu plays at the start: the name of the recording, and its words if they are known. */
export function greeting({ recording }: CallMenu): string[] {
  const says = recording.says === undefined ? [] : [`“${recording.says}”`];
  return [`plays ${recordingName(recording)}`, ...says];
}

/** A menu in an overview. Without `call`, its paths are unknown, because the menu has errors. */
export interface Overviewed {
  readonly key: string;
  readonly name?: string | undefined;
  readonly call?: CallMenu | undefined;
  /** How the menu differs from an earlier version. */
  readonly change?: { readonly kind: keyof typeof changeMarks } | undefined;
}

const changeMarks = {
  new: "added",
  changed: "changed",
  moved: "changed",
  deleted: "removed",
} as const satisfies Readonly<Record<string, Mark>>;

/**
 * All menus and the agents they share, with one path from a menu to each agent or menu. Calls begin
 * in the menus of `starts`; by default, in those that no other menu leads to.
 */
export function overview(menus: readonly Overviewed[], starts?: ReadonlySet<string>): Picture {
  const drawn = inLevels(menus, starts).map(([{ key, name, call, change }, level]): Drawn => {
    const named = [
      ...(name === undefined ? [] : [name]),
      key,
      ...(change ? [`${change.kind} menu`] : []),
    ];
    return {
      id: menuReference(key),
      level,
      menu:
        call === undefined
          ? { lines: [...named, "has errors"], mark: "fault" }
          : { lines: named, mark: change && changeMarks[change.kind] },
      branches: call === undefined ? [] : joined(call),
    };
  });
  return pictureOf(many(drawn.length, "menu"), drawn);
}

/** The menus with their levels, level by level. */
function inLevels(
  menus: readonly Overviewed[],
  starts: ReadonlySet<string> | undefined,
): [Overviewed, number][] {
  const byKey = new Map(menus.map((menu) => [menu.key, menu]));
  const targets = new Set(menus.flatMap((menu) => linksOf(menu).filter((to) => to !== menu.key)));
  const first = menus.filter(({ key }) => starts?.has(key) ?? !targets.has(key));
  const levels = new Map(first.map((menu): [Overviewed, number] => [menu, 0]));
  // If menus lead only to each other, the first of them is on the left. A map grows while it is read.
  for (const next of [undefined, ...menus]) {
    if (next !== undefined && !levels.has(next)) levels.set(next, 0);
    for (const [menu, level] of levels) {
      for (const to of linksOf(menu)) {
        const target = byKey.get(to);
        if (target !== undefined && !levels.has(target)) levels.set(target, level + 1);
      }
    }
  }
  return [...levels].sort(([, a], [, b]) => a - b);
}

/** The keys of the menus that a menu leads to. */
export function linksOf({ call }: Pick<Overviewed, "call">): string[] {
  if (call === undefined) return [];
  return [...call.options, call.invalid, call.timeout].flatMap(({ destination }) =>
    destination.kind === "menu" ? destination.key : [],
  );
}

export function pictureOf(title: string, drawn: readonly Drawn[]): Picture {
  const places: Box[] = [];
  const known = new Map<string, number>();
  const indexOf = ({ id, lines, mark }: Place): number => {
    const identity = JSON.stringify([id, lines, mark ?? null]);
    const at = known.get(identity) ?? places.push({ lines, mark }) - 1;
    known.set(identity, at);
    return at;
  };
  const menuAt = new Map(drawn.map(({ id }, at) => [id, at]));
  const paths = drawn.flatMap(({ branches }, from) =>
    branches.map(({ trigger, place, mark }) => {
      const to = menuAt.get(place.id) ?? drawn.length + indexOf(place);
      return { ...trigger, from, to, mark };
    }),
  );
  const levels = drawn.map(({ level = 0 }) => level);
  return { title, menus: drawn.map(({ menu }) => menu), levels, places, paths };
}

export function branchesOf({ options, invalid, timeout }: CallMenu): Branch[] {
  const branch = (trigger: Trigger, destination: CallDestination): Branch => ({
    trigger,
    place: placeOf(destination),
  });
  return [
    ...options.map((option) => branch(onKey(option.key, option.for), option.destination)),
    branch(onWrongKey(invalid.retries), invalid.destination),
    branch(onSilence(timeout.wait, timeout.retries), timeout.destination),
  ];
}

/** Each destination once, with all keys that reach it and what they are for, without the retries. */
function joined({ options, invalid, timeout }: CallMenu): Branch[] {
  const reached = new Map<string, Joined>();
  const at = (destination: CallDestination) => {
    const place = placeOf(destination);
    const entry = reached.get(place.id) ?? { place, keys: [], purposes: [], otherwise: [] };
    reached.set(place.id, entry);
    return entry;
  };
  for (const { key, for: purpose, destination } of options) {
    const { keys, purposes } = at(destination);
    keys.push(key);
    if (purpose !== undefined && !purposes.includes(purpose)) purposes.push(purpose);
  }
  at(invalid.destination).otherwise.push("wrong key");
  at(timeout.destination).otherwise.push("silence");
  return [...reached.values()].map(({ place, keys, purposes, otherwise }) => {
    const purpose = purposes.length === 0 ? undefined : purposes.join(", ");
    return { trigger: { keys, purpose, otherwise }, place };
  });
}

interface Joined {
  readonly place: Place;
  readonly keys: string[];
  readonly purposes: string[];
  readonly otherwise: string[];
}

function placeOf(destination: CallDestination): Place {
  switch (destination.kind) {
    case "agent":
      return {
        id: `extension||${destination.eid}`,
        lines: agentWords(destination),
        mark: destination.blocked ? "blocked" : undefined,
      };
    case "menu":
      return {
        id: menuReference(destination.key),
        lines: [menuWords(destination.key)],
        mark: undefined,
      };
    case "other": {
      const { name, id } = destination;
      return { id: `${name}||${id}`, lines: [otherWords(destination)], mark: undefined };
    }
    case "unreachable": {
      const { name, why } = destination;
      return { id: `unreachable ${why} ${name}`, lines: [name, missing[why]], mark: "fault" };
    }
  }
}

const missing = {
  "not-listed": "not on the agent list",
  several: "several on the agent list",
  "no-extension": "without an extension",
  "no-menu": "no such menu",
  "invalid-menu": "menu with errors",
} as const;
