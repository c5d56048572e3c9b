import { type Difference, differences } from "../../deploy/plan/diff.ts";
import type { Made } from "../../deploy/plan/plan.ts";
import { visible } from "../terminal.ts";
import { type AnyChange, turned } from "./details.ts";
import { type Way, isDestination, menuLines, partOf, tell, waysOf } from "./words.ts";

/** How a part of the picture differs from the others: said in words, and shown by a class. */
type Mark = "added" | "changed" | "removed" | "unknown";

interface Box {
  readonly lines: readonly string[];
  readonly mark: Mark | undefined;
}

interface Branch extends Box {
  /** What leads there: `key 2 (Billing)`. */
  readonly way: string;
}

interface Picture {
  readonly menu: Box;
  readonly branches: readonly Branch[];
}

/**
 * A flowchart of a menu with what changes in it, or nothing where callers meet
 * no change. Names stand in labels only, and every sign in them as its number:
 * Mermaid then knows no way out of a label.
 */
export function flowchart(change: AnyChange): string[] {
  const picture = pictureOf(change);
  if (picture === undefined) return [];
  const boxes: readonly Box[] = [picture.menu, ...picture.branches];
  const marks = (["added", "changed", "removed", "unknown"] as const).flatMap((mark) => {
    const ids = boxes.flatMap((box, at) => (box.mark === mark ? `n${at}` : []));
    return ids.length === 0 ? [] : [classes[mark], `class ${ids.join(",")} ${mark}`];
  });
  return [
    "flowchart LR",
    `n0("${labelOf(picture.menu.lines)}")`,
    ...picture.branches.map(({ way, lines, mark }, at) => {
      const arrow = mark === "removed" ? "-.->" : "-->";
      return `n0 ${arrow}|"${labelOf([way])}"| n${at + 1}["${labelOf(lines)}"]`;
    }),
    ...marks,
  ];
}

/** What the forges' Mermaid refuses to draw is not worth a comment's room. */
export function isDrawable(lines: readonly string[]): boolean {
  return lines.length <= 400 && lines.join("\n").length <= 40_000;
}

/** Readable on a light and on a dark page. */
const classes: Readonly<Record<Mark, string>> = {
  added: "classDef added fill:#dafbe1,stroke:#1a7f37,color:#1f2328,stroke-width:2px",
  changed: "classDef changed fill:#fff8c5,stroke:#9a6700,color:#1f2328,stroke-width:3px",
  removed: "classDef removed fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:6 4",
  unknown: "classDef unknown fill:#fbefff,stroke:#8250df,color:#1f2328,stroke-dasharray:2 3",
};

function pictureOf(change: AnyChange): Picture | undefined {
  switch (change.action) {
    case "create":
      return whole(change.after, "added", "new");
    case "replace":
      return change.before === null
        ? whole(change.after, "changed", "changed")
        : difference(change.before, change.after);
    case "forget":
      return change.before === null
        ? undefined
        : whole(change.before, "removed", "no file any more");
    case "unknown":
      return whole(change.pending, "unknown", "unknown whether it exists");
    case "move":
    case "restore":
      return undefined;
  }
}

/** A menu that is new, or gone, as a whole. */
function whole(made: Made, mark: Mark, word: string): Picture {
  return {
    menu: { lines: [`${word}: ${quoted(made)}`, playing(made)], mark },
    branches: waysOf(made).map(({ place, leads }) => ({ way: place, lines: [leads], mark })),
  };
}

function difference(old: Made, now: Made): Picture {
  const found = differences(old.payload, now.payload);
  const [was, is] = [byPlace(waysOf(old)), byPlace(waysOf(now))];
  const branches = [...new Set([...is.keys(), ...was.keys()])].flatMap((at): Branch[] => {
    const [before, after] = [was.get(at), is.get(at)];
    if (after === undefined) {
      return before === undefined
        ? []
        : [{ way: before.place, lines: [`no longer: ${before.leads}`], mark: "removed" }];
    }
    if (before === undefined) {
      return [{ way: after.place, lines: [`new: ${after.leads}`], mark: "added" }];
    }
    const own = found.filter(({ field }) => partOf(field) === at);
    const lines = changedLines(own, old, now);
    const moved = own.some(({ field }) => isDestination(field));
    return [
      {
        way: after.place,
        lines: moved ? lines : [after.leads, ...lines],
        mark: own.length === 0 ? undefined : "changed",
      },
    ];
  });
  const about = found.filter(({ field }) => partOf(field) === "menu");
  const changed = new Set(about.map(({ field }) => field));
  return {
    menu: {
      lines: [
        ...(changed.has("name") ? [] : [quoted(now)]),
        ...(changed.has("recording") ? [] : [playing(now)]),
        ...changedLines(about, old, now),
      ],
      mark: about.length === 0 ? undefined : "changed",
    },
    branches,
  };
}

function changedLines(found: readonly Difference[], old: Made, now: Made): string[] {
  return found.map((difference) => {
    const told = tell(difference, old, now);
    return isDestination(difference.field)
      ? `changed: ${turned(told)}`
      : `changed: ${told.what} ${turned(told)}`;
  });
}

function byPlace(ways: readonly Way[]): ReadonlyMap<string, Way> {
  return new Map(ways.map((way) => [way.at, way]));
}

function quoted({ payload }: Made): string {
  return `“${payload.name}”`;
}

function playing(made: Made): string {
  const heard = menuLines(made).find(({ place }) => place === "plays");
  return `plays ${heard?.leads ?? ""}`;
}

function labelOf(lines: readonly string[]): string {
  return lines.map(escaped).join("<br/>");
}

/**
 * Letters, digits and spaces stay, as does what is not ASCII. Two things Mermaid
 * looks for only when a label is drawn, icons (`fa:fa-car`) and the signs by which
 * it marks its own codes: an invisible joiner parts them.
 */
function escaped(text: string): string {
  return visible(text).replace(
    /[!-/:-@[-`{-~]|[\uFB02\u00B6]/g,
    (sign, at: number, whole: string) => {
      if (sign > "~") return `${sign}${joiner}`;
      const number = `#${sign.charCodeAt(0)};`;
      return sign === ":" && /\S/.test(whole[at + 1] ?? "") ? number + joiner : number;
    },
  );
}

const joiner = "#8288;";
