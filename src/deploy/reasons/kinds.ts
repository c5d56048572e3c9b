import type { Ref } from "../../schema/ref.ts";
import { describeAnswer } from "../../util/answer.ts";
import { joined, listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { period } from "../../util/time.ts";
import type { HeldFacts } from "./hold.ts";
import { holding } from "./holding.ts";
import { type LeftFacts, left } from "./left.ts";
import type { AnyMatter, KindOfMatter } from "./matter.ts";
import { type OutsideFacts, outside } from "./outside.ts";
import { type PlannedFacts, planned } from "./planned.ts";
import { type PointingFacts, pointing } from "./pointing.ts";
import { refusing } from "./refusing.ts";
import { grouped } from "./grouped.ts";
import { type SavedFacts, saved } from "./saved.ts";
import { type Unknown, resolveCommands, unknownHint } from "./resolving.ts";
import { type WaitingFacts, waiting } from "./waiting.ts";

/**
 * Everything that can need a person, in one table. The order is the order in which every command shows
 * it: what callers notice comes first. A new kind needs its facts in `Facts` and its row in `kinds`.
 */
export type MatterKind = keyof Facts;
export type Matter = AnyMatter<MatterKind>;

/** What each kind has to know. Only plain data, so that the words can be tested without a service. */
export interface Facts
  extends
    OutsideFacts,
    HeldFacts,
    LeftFacts,
    SavedFacts,
    PlannedFacts,
    PointingFacts,
    WaitingFacts {
  locked: {
    /** Who holds the lock, in words. */
    readonly who: string;
    readonly id: string;
    /** Who could not take the lock; `plan` only reads. */
    readonly reader: "command" | "job" | "plan";
    /** What the platform of the pipeline knows. */
    readonly hasEnded?: boolean | undefined;
  };
  "two-menus": { readonly keys: readonly string[] };
  /** Outcomes that are only in a rescue file. */
  unrecorded: {
    readonly file: string;
    readonly run: string;
    readonly keys: readonly string[];
  };
  unknown: {
    readonly requests: readonly [Unknown, ...Unknown[]];
    readonly looked?: string;
    /** Whether this run sent it, so that the user has not read yet how to go on. */
    readonly isNew?: boolean;
  };
  "unknown-bind": { readonly key: string; readonly number: string };
  lost: { readonly keys: readonly string[] };
  "in-progress": { readonly keys: readonly string[] };
  "follow-up": { readonly count: number; readonly isListed: boolean };
  "old-unnamed": { readonly count: number; readonly isListed: boolean };
  "trial-menu": { readonly id: string; readonly menu: string };
  "text-to-record": { readonly id: string; readonly recording: string; readonly says: string };
}

/** These have a place of their own in the order, the others are together. */
const {
  "number-moved": moved,
  "wrong-id": wrongId,
  "same-name": sameName,
  lookalike,
  ...otherHolding
} = holding;

const table: { readonly [K in MatterKind]: KindOfMatter<Facts[K]> } = {
  locked: {
    blocks: "everything",
    exit: 4,
    code: "IVR601",
    words: ({ who }, environment) => `The state of ${environment} is locked by ${who}.`,
    fix({ id, reader, hasEnded }, environment) {
      const argv = suggest("unlock", [id], environment);
      if (hasEnded === undefined) return [{ words: whenLocked[reader], argv }];
      if (hasEnded) return ["That run has ended. The next apply releases its lock."];
      const inProgress =
        reader === "plan"
          ? "Its requests in flight are shown as unknown. Do not resolve them."
          : "Run this job again when it has ended.";
      return [`That run is in progress. ${inProgress}`];
    },
  },
  "dead-ends": outside["dead-ends"],
  missing: grouped.missing,
  "number-moved": moved,
  "other-agent": outside["other-agent"],
  "changed-outside": outside["changed-outside"],
  "number-elsewhere": outside["number-elsewhere"],
  "to-point": pointing["to-point"],
  "agents-cut-off": outside["agents-cut-off"],
  "agent-left": outside["agent-left"],
  "agent-renamed": outside["agent-renamed"],
  "agent-namesake": outside["agent-namesake"],
  "agent-without-extension": outside["agent-without-extension"],
  "agent-blocked": outside["agent-blocked"],
  "wrong-id": wrongId,
  drift: grouped.drift,
  "two-menus": {
    blocks: "nothing",
    exit: 0,
    words: ({ keys }) =>
      `Two menus exist for ${joined(keys, "and")}. Callers reach the one that the phone number points to.`,
    fix: (_, environment) => [
      {
        words:
          "Find out which one that is, and take the other one out of service. To see both, run:",
        argv: suggest("state list", [], environment, ["--follow-ups"]),
      },
    ],
  },
  unrecorded: {
    exit: 3,
    code: "IVR673",
    words: ({ file, run, keys }) =>
      `Run ${run} could not record the outcomes of ${listed(keys)} in the state. They are saved in ${file}.`,
    fix: ({ file }, environment) => [
      {
        words:
          "The next command here that changes the state records them. On a different machine, run:",
        argv: suggest("state push", [file], environment),
      },
    ],
  },
  unknown: {
    exit: 3,
    words({ requests: [first, ...more], looked = "", isNew = false }) {
      const { action, sent_at: from, until, seen } = first.pending;
      const answer = seen ? describeAnswer(seen.status, seen.message) : "no answer was recorded";
      // The run that sent it has shown the answer.
      const why = isNew ? "" : `; ${answer.replace(/[.\s]+$/, "")}`;
      const what =
        more.length === 0
          ? `${first.name}: the outcome of ${requestNames[action] ?? `a ${action}`} is unknown (sent ${period(from, until)}${why}).`
          : `The outcomes of ${listed([first, ...more].map(({ name }) => name))} are unknown.`;
      return [what, ...(looked === "" ? [] : [looked]), doubt([first, ...more])].join(" ");
    },
    fix({ requests: [first, ...more], isNew = false }, environment) {
      if (more.length > 0) return [unknownHint([first, ...more].map(nameOf), environment)];
      if (!isNew || first.menu === undefined) return [unknownHint([first.name], environment)];
      const look = `Look for “${first.menu}” on the console. To see what was sent, and when, run:`;
      return [
        { words: look, argv: suggest("state show", [first.name], environment) },
        ...resolveCommands(first.name, environment, first.pending.action).map(
          ({ when, argv }): Hint => ({ words: `${when}:`, argv }),
        ),
      ];
    },
  },
  "unknown-bind": {
    exit: 3,
    code: "IVR670",
    words: ({ key, number }) =>
      `${phoneText(number)} may or may not point to \`${key}\`: an answer was lost, and no list shows the number now.`,
    fix: ({ number }, environment) => [
      {
        words: "Look at the console. If the number is no longer there, run:",
        argv: suggest("state resolve", [number], environment, ["--absent"]),
      },
    ],
  },
  lost: {
    exit: 3,
    words: ({ keys }) =>
      `${listed(keys)}: the state was lost, so ${keys.length === 1 ? "it" : "each"} may or may not exist on the service.`,
    fix: (_, environment) => [
      {
        words:
          "Look at the console, and record what it shows, for each menu with --created or --absent, or one after the other:",
        argv: suggest("state resolve", [], environment),
      },
    ],
  },
  lookalike,
  "same-name": sameName,
  "not-comparable": left["not-comparable"],
  ...otherHolding,
  "number-waiting": left["number-waiting"],
  "number-kept": left["number-kept"],
  ...refusing,
  "old-menu-kept": left["old-menu-kept"],
  ...saved,
  ...waiting,
  "will-point": pointing["will-point"],
  "will-point-unnamed": pointing["will-point-unnamed"],
  "will-reach-nothing": pointing["will-reach-nothing"],
  "old-in-use": pointing["old-in-use"],
  ...planned,
  "in-progress": {
    exit: 0,
    words: ({ keys }) => `Requests of the run in progress: ${listed(keys)}.`,
    fix: () => ["Their outcomes are not known yet. Do not resolve them."],
  },
  "follow-up": {
    blocks: "nothing",
    exit: 0,
    words: ({ count, isListed }) =>
      `${isListed ? "No" : "As far as recorded, no"} caller reaches ${many(count, "old menu")} any more. Take ${count === 1 ? "it" : "them"} out of service on the console.`,
    fix: seeFollowUps,
  },
  "old-unnamed": {
    blocks: "nothing",
    exit: 0,
    words({ count, isListed }) {
      const those = `${many(count, "old menu")} may still be in use`;
      if (isListed) return `${those}: the lists do not show everything that callers reach.`;
      return count === 1
        ? `${those}: its phone number is not in the files. Point the number to the new menu on the console.`
        : `${those}: their phone numbers are not in the files. Point the numbers to the new menus on the console.`;
    },
    fix: seeFollowUps,
  },
  "trial-menu": {
    blocks: "nothing",
    exit: 0,
    words: ({ id, menu }) => `A trial created ${menu}, follow-up ${id}. Delete it on the console.`,
    fix: ({ id }, environment) => [
      { words: "When it is gone, run:", argv: suggest("state done", [id], environment) },
    ],
  },
  "text-to-record": {
    blocks: "nothing",
    exit: 0,
    words: ({ id, recording, says }) =>
      `Record ${recording} again (follow-up ${id}). Its new text: “${says}”`,
    fix: ({ id }, environment) => [
      { words: "When that is done, run:", argv: suggest("state done", [id], environment) },
    ],
  },
};

function seeFollowUps({ count }: { readonly count: number }, environment: string): [Hint] {
  const words = count === 1 ? "To see it, run:" : "To list them, run:";
  return [{ words, argv: suggest("state list", [], environment, ["--follow-ups"]) }];
}

const whenLocked = {
  command: "Wait for that run (--lock-timeout SECONDS). If it has ended, run:",
  job: "Run this job again when that run has ended. If it has left its lock, first run:",
  plan: "If that run has ended, release its lock:",
} as const;

/** All kinds, in the order in which every command shows them. */
export const matterKinds = Object.entries(table).map(
  ([kind, { blocks = "these menus", exit = 1, code }]) => ({ kind, blocks, exit, code }),
);

export function matter<K extends MatterKind>(
  kind: K,
  refs: readonly Ref[],
  facts: Facts[K],
  environment: string,
  more?: Pick<Matter, "since" | "at">,
): Matter {
  return matterOf(kind, table[kind], refs, facts, environment, more);
}

/** The same for a hold, whose row the caller has with the type of its facts. */
export function matterOf<F>(
  kind: MatterKind,
  {
    blocks = "these menus",
    exit = 1,
    code = "IVR684",
    words,
    callers,
    items,
    fix,
  }: KindOfMatter<F>,
  refs: readonly Ref[],
  facts: F,
  environment: string,
  more?: Pick<Matter, "since" | "at">,
): Matter {
  return {
    kind,
    refs,
    ...more,
    words: words(facts, environment),
    callers: callers?.(facts),
    ...(items && { items: items(facts) }),
    fix: fix(facts, environment),
    blocks,
    exit,
    code: typeof code === "string" ? code : code(facts),
  };
}

/** None if there is nothing that it is about, so that callers need not ask first. */
export function mattersAbout<K extends MatterKind>(
  kind: K,
  refs: readonly Ref[],
  facts: Facts[K],
  { environment }: { readonly environment: string },
  more?: Pick<Matter, "since" | "at">,
): Matter[] {
  return refs.length === 0 ? [] : [matter(kind, refs, facts, environment, more)];
}

/** What callers notice first. Matters of one kind stay in their order. */
export function inOrder(matters: readonly Matter[]): Matter[] {
  const rank = (kind: string) => matterKinds.findIndex((one) => one.kind === kind);
  return matters.toSorted((a, b) => rank(a.kind) - rank(b.kind));
}

export function isPlanned({ kind }: Matter): boolean {
  return table[kind].isPlanned === true;
}

/** Whether only a person can do it on the console, so that it is no failure of an apply. */
export function isOnConsole({ kind }: Matter): boolean {
  return table[kind].isOnConsole === true;
}

export function isInFile({ kind }: Matter): boolean {
  return table[kind].isInFile === true;
}

export function isChange({ kind }: Matter): boolean {
  return table[kind].isChange === true;
}

const requestNames: Readonly<Record<string, string>> = {
  update: "an update",
  record: "a request for this recording",
};

function doubt([{ pending }, ...more]: Facts["unknown"]["requests"]): string {
  if (more.length > 0) return "Each request may or may not have arrived.";
  const { action } = pending;
  if (action === "update") return "The menu exists, but the update may or may not have arrived.";
  if (action === "record") return "The recording may or may not exist.";
  return `The ${action === "delete" ? "delete may or may not have arrived" : "menu may or may not exist"}.`;
}

function nameOf({ name }: Unknown): string {
  return name;
}
