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
 * paths between them. The text may come from outside, and each format escapes it in one place.
 */
export interface Picture {
  readonly title: string;
  readonly menus: readonly Box[];
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
  /** The index of the place. */
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
  readonly branches: readonly Branch[];
}

/** The colors of each mark, readable on light and dark pages. */
export const palette = {
  added: { fill: "#dafbe1", stroke: "#1a7f37", line: "stroke-width:2px" },
  changed: { fill: "#fff8c5", stroke: "#9a6700", line: "stroke-width:3px" },
  removed: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-dasharray:6 4" },
  unknown: { fill: "#fbefff", stroke: "#8250df", line: "stroke-dasharray:2 3" },
  blocked: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-width:3px" },
  fault: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-dasharray:6 4" },
} as const;

export const markInk = "#1f2328";

export const marks = ["added", "changed", "removed", "unknown", "blocked", "fault"] as const;

/** The picture of one menu with all its paths. */
export function menuPicture(menu: CallMenu): Picture {
  const { key, name, recording } = menu;
  const says = recording.says === undefined ? [] : [`“${recording.says}”`];
  const lines = [name, key, `plays ${recordingName(recording)}`, ...says];
  return pictureOf(name, [{ menu: { lines, mark: undefined }, branches: branchesOf(menu) }]);
}

/** A menu in an overview. Without `call`, its paths are unknown, because the menu has errors. */
interface Overviewed {
  readonly key: string;
  readonly name?: string | undefined;
  readonly call?: CallMenu | undefined;
}

/** All menus and the agents they share, with one path from a menu to each agent. */
export function overview(menus: readonly Overviewed[]): Picture {
  const drawn = menus.map(({ key, name, call }): Drawn => {
    const named = [...(name === undefined ? [] : [name]), key];
    return call === undefined
      ? { menu: { lines: [...named, "has errors"], mark: "fault" }, branches: [] }
      : { menu: { lines: named, mark: undefined }, branches: joined(call) };
  });
  return pictureOf(many(drawn.length, "menu"), drawn);
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
  const paths = drawn.flatMap(({ branches }, from) =>
    branches.map(({ trigger, place, mark }) => ({ ...trigger, from, to: indexOf(place), mark })),
  );
  return { title, menus: drawn.map(({ menu }) => menu), places, paths };
}

function branchesOf({ options, invalid, timeout }: CallMenu): Branch[] {
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

/** Each destination once, with all keys that reach it, without the retries. */
function joined({ options, invalid, timeout }: CallMenu): Branch[] {
  const reached = new Map<string, { place: Place; keys: string[]; otherwise: string[] }>();
  const at = (destination: CallDestination) => {
    const place = placeOf(destination);
    const entry = reached.get(place.id) ?? { place, keys: [], otherwise: [] };
    reached.set(place.id, entry);
    return entry;
  };
  for (const { key, destination } of options) at(destination).keys.push(key);
  at(invalid.destination).otherwise.push("wrong key");
  at(timeout.destination).otherwise.push("silence");
  return [...reached.values()].map(({ place, keys, otherwise }) => ({
    trigger: { keys, purpose: undefined, otherwise },
    place,
  }));
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
