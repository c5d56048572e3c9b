import type { Trigger } from "../call/words.ts";

/**
 * What a picture shows, before any format: menus on the left, who is reached on
 * the right, and the ways between them. All text in it may come from outside;
 * each format escapes it in one place of its own.
 */
export interface Picture {
  readonly title: string;
  readonly menus: readonly Box[];
  readonly places: readonly Box[];
  /** Those of one menu stand together, in the order in which its callers hear of them. */
  readonly ways: readonly Way[];
}

export interface Box {
  /** The first is its name. */
  readonly lines: readonly string[];
  readonly mark: Mark | undefined;
}

/** How a part differs from the others: shown by colour, and always said in a line as well. */
export type Mark = "added" | "changed" | "removed" | "unknown" | "blocked" | "fault";

export interface Way extends Trigger {
  /** Which of the menus. */
  readonly from: number;
  /** Which of the places. */
  readonly to: number;
  readonly mark: Mark | undefined;
}

/** One way out of a menu, with what is drawn at its end. */
export interface Branch {
  readonly trigger: Trigger;
  readonly place: Place;
  readonly mark?: Mark | undefined;
}

export interface Place extends Box {
  /** Who it is, whatever the name: ways to one place end in one box, if that says the same. */
  readonly id: string;
}

export interface Drawn {
  readonly menu: Box;
  readonly branches: readonly Branch[];
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
  const ways = drawn.flatMap(({ branches }, from) =>
    branches.map(({ trigger, place, mark }) => ({ ...trigger, from, to: indexOf(place), mark })),
  );
  return { title, menus: drawn.map(({ menu }) => menu), places, ways };
}

/** The colours of a mark: readable on a light and on a dark page. */
export const palette: Readonly<Record<Mark, Colours>> = {
  added: { fill: "#dafbe1", stroke: "#1a7f37", line: "stroke-width:2px" },
  changed: { fill: "#fff8c5", stroke: "#9a6700", line: "stroke-width:3px" },
  removed: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-dasharray:6 4" },
  unknown: { fill: "#fbefff", stroke: "#8250df", line: "stroke-dasharray:2 3" },
  blocked: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-width:3px" },
  fault: { fill: "#ffebe9", stroke: "#cf222e", line: "stroke-dasharray:6 4" },
};

export const markInk = "#1f2328";

export const marks = ["added", "changed", "removed", "unknown", "blocked", "fault"] as const;

interface Colours {
  readonly fill: string;
  readonly stroke: string;
  readonly line: string;
}
