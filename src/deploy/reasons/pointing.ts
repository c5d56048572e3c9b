import { listed, many } from "../../util/many.ts";
import { type Argv, suggest } from "../../util/suggest.ts";
import { type KindOfMatter, mostShown } from "./matter.ts";

/* Which phone numbers a person points elsewhere on the console, and which old menus callers reach until then. */

/** A number, what it points to, and the menu that the files want. */
interface Point {
  readonly number: string;
  /** `+91 22 4123 4567` */
  readonly text: string;
  /** `“Day” (id 9019, created 2026-11-19 14:03:44 UTC)` */
  readonly to: string;
  /** `the old menu “Day” (id 9003, created …)` */
  readonly until: string;
}

/**
 * `noticed`: callers reach something else until then. `same`: what they reach is the same for them.
 * `unknown`: nobody has recorded where the number points.
 */
export interface Points {
  readonly points: readonly [Point, ...Point[]];
  readonly how: "noticed" | "same" | "unknown";
}

export interface PointingFacts {
  "to-point": Points;
  /** The same, for menus that apply creates or uses again first. */
  "will-point": Points;
  /** Menus whose numbers are not in the files. */
  "will-point-unnamed": {
    readonly keys: readonly string[];
    /** What their callers reach after apply. */
    readonly reached: "old" | "newer" | "nothing";
    readonly isRestored: boolean;
  };
  "will-reach-nothing": { readonly callers: string; readonly keys: readonly string[] };
  "old-in-use": {
    readonly menus: readonly string[];
    /** The numbers that no file lists, or the menus that link there. */
    readonly by: readonly string[];
    readonly from: "numbers" | "files" | "menus";
    /** Whether --target leaves these menus out. */
    readonly isNarrow: boolean;
  };
}

export const pointing: { readonly [K in keyof PointingFacts]: KindOfMatter<PointingFacts[K]> } = {
  "to-point": {
    blocks: "nothing",
    isOnConsole: true,
    callers({ points: [{ text, until }, ...more], how }) {
      if (how !== "noticed") return undefined;
      return more.length === 0
        ? `Callers of ${text} still reach ${until}.`
        : `Callers of ${more.length + 1} phone numbers do not reach the menus that the files want yet.`;
    },
    words({ points: [{ text, to, until }, ...more], how }) {
      const numbers = many(more.length + 1, "phone number");
      if (more.length > 0) return `${groupWords[how](numbers)}:`;
      if (how === "noticed") return `The files want ${to}.`;
      if (how === "unknown") return `Nobody has recorded that ${text} points to ${to}.`;
      return `${text} points to ${until}. The files want ${to}, which is the same for callers.`;
    },
    items: pointItems,
    fix: ({ points }, environment) => [
      {
        words:
          points.length === 1
            ? "Point the number to it on the console. Then run:"
            : "Point the numbers there on the console. Then run:",
        argv: doneCommand(points, environment),
      },
    ],
  },
  "will-point": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words({ points: [{ text, to, until }, ...more], how }) {
      if (more.length > 0) {
        const left = how === "unknown" ? "" : ". Until then, callers reach what is on the left";
        return `After apply, point ${more.length + 1} phone numbers to these menus on the console${left}:`;
      }
      const meanwhile = {
        noticed: ` Until then, its callers reach ${until}.`,
        same: ` Until then, its callers reach ${until}, which is the same for them.`,
        unknown: "",
      }[how];
      return `After apply, point ${text} to the menu ${to} on the console.${meanwhile}`;
    },
    items: pointItems,
    fix: () => ["Apply shows the command that records it."],
  },
  "will-point-unnamed": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words({ keys, reached }) {
      const noun = keys.length === 1 ? "menu" : "menus";
      const what = reached === "nothing" ? reached : `the ${reached} ${noun}`;
      return keys.length === 1
        ? `Callers of ${keys[0]} reach ${what} after apply.`
        : `Callers of ${keys.length} menus reach ${what} after apply: ${listed(keys)}.`;
    },
    fix({ keys, isRestored }) {
      const where = isRestored ? "restored" : "new";
      return [
        keys.length === 1
          ? `Then point the phone number to the ${where} menu on the console.`
          : `Then point the phone numbers to the ${where} menus on the console.`,
      ];
    },
  },
  "will-reach-nothing": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ callers, keys }) =>
      `${callers} still reach nothing after apply, because --target leaves ${listed(keys)} out.`,
    fix: () => ["Apply without --target, or add these menus."],
  },
  "old-in-use": {
    blocks: "nothing",
    exit: 0,
    words({ menus, by, from }) {
      const verb = `${from === "numbers" ? "point" : "link"}${by.length === 1 ? "s" : ""}`;
      return `Callers still reach the old ${menus.length === 1 ? "menu" : "menus"} ${listed(menus, mostShown)}, because ${listed(by)} still ${verb} there.`;
    },
    fix: ({ from, isNarrow }, environment) => [
      from === "menus"
        ? "Let that menu link elsewhere on the console."
        : from === "numbers"
          ? "Point it to the current menu on the console, or in `numbers:` of a file."
          : isNarrow
            ? "Apply without --target, or add these menus."
            : {
                words: "To see what changes the link, run:",
                argv: suggest("plan", [], environment),
              },
    ],
  },
};

const right = "The files want the menus on the right";

const groupWords: Readonly<Record<Points["how"], (numbers: string) => string>> = {
  noticed: () => right,
  same: (numbers) => `${numbers} point to menus that are the same for callers. ${right}`,
  unknown: (numbers) => `Nobody has recorded that ${numbers} point to these menus`,
};

/** `+91 22 4123 4567: the old menu “Day” (id 9003) → “Day” (id 9019)` */
function pointText({ text, to, until }: Point, how: Points["how"]): string {
  return `${text}: ${how === "unknown" ? "" : `${until} → `}${to}`;
}

function pointItems({ points, how }: Points): string[] {
  return points.length === 1 ? [] : points.map((point) => pointText(point, how));
}

function doneCommand(points: Points["points"], environment: string): Argv {
  return points.length > mostShown
    ? suggest("state done", [], environment, ["--all"])
    : suggest(
        "state done",
        points.map(({ number }) => number),
        environment,
      );
}
