import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import { listed } from "../../util/many.ts";
import { suggest, suggestId } from "../../util/suggest.ts";
import type { KindOfMatter } from "./matter.ts";

/* What menus wait for, and what the ids of others did to them. */

export interface WaitingFacts {
  "waiting-for-id": {
    readonly waiting: readonly string[];
    readonly ids: readonly string[];
    /** Those of them that exist, by name and time: `“Day” (created 2026-03-02 09:04:00 UTC)`. */
    readonly menus: readonly string[];
    /** Whether apply creates one of them first. */
    readonly isLater: boolean;
    /** Whether apply asks for them. */
    readonly isAsked?: boolean | undefined;
  };
  "waiting-for-menu": { readonly waiting: readonly string[]; readonly absent: readonly string[] };
  "waiting-for-others": { readonly waiting: readonly string[]; readonly keys: readonly string[] };
  /** The service confirmed the requests for these recordings, but has not given their ids yet. */
  "recording-not-ready": { readonly names: readonly string[]; readonly hasBatch: boolean };
  /** A person recorded the ids of menus that refused menus link to. */
  "id-refused": {
    readonly keys: readonly string[];
    readonly links: readonly { readonly to: string; readonly id: string }[];
  };
}

export const waiting: { readonly [K in keyof WaitingFacts]: KindOfMatter<WaitingFacts[K]> } = {
  "waiting-for-id": {
    words: ({ waiting, ids }) =>
      `${listed(waiting)}: not sent until the ${ids.length === 1 ? "id" : "ids"} of ${listed(ids)} ${ids.length === 1 ? "is" : "are"} recorded.`,
    fix({ ids, menus, isLater, isAsked = false }, environment) {
      if (isAsked) {
        const [it, when] = ids.length === 1 ? ["it", ids[0]] : ["them", "they"];
        const then = isLater
          ? ` as soon as ${when} ${ids.length === 1 ? "is" : "are"} created`
          : "";
        return [`Apply asks for ${it}${then}. Look ${it} up on the console.`];
      }
      const [noun, them] = ids.length === 1 ? ["id", "it"] : ["ids", "them"];
      const of = menus.length === ids.length ? ` of ${listed(menus)}` : "";
      const what = `the ${noun}${isLater ? "" : of} on the console, and record ${them}`;
      const subjects = ids.map((key) => `${key}=ID`);
      const words = `${isLater ? "After apply, look up" : "Look up"} ${what}:`;
      return [{ words, argv: suggestId(subjects, environment) }];
    },
  },
  "waiting-for-menu": {
    words: ({ waiting, absent }) =>
      `${listed(waiting)}: not sent until ${listed(absent)} ${absent.length === 1 ? "exists" : "exist"}.`,
    fix: ({ absent }, environment) => [
      {
        words: `First create ${absent.length === 1 ? absent[0] : "them"}:`,
        argv: suggest(
          "apply",
          [],
          environment,
          absent.flatMap((key) => ["--target", key]),
        ),
      },
    ],
  },
  "waiting-for-others": {
    words: ({ waiting, keys }) =>
      `${listed(waiting)}: not sent, because ${listed(keys)} must come first.`,
    fix: ({ keys }) => [
      `The next apply sends ${keys.length === 1 ? `it after ${keys[0]}` : "it after them"}.`,
    ],
  },
  "recording-not-ready": {
    words: ({ names, hasBatch }) =>
      hasBatch
        ? `The service has not given an id to ${names.length === 1 ? "the recording" : "the recordings"} ${listed(names)} yet.`
        : `The service accepted ${names.length === 1 ? "the recording" : "the recordings"} ${listed(names)}, but not in a way that shows when it is ready.`,
    fix({ names: [name = "NAME"], hasBatch }, environment) {
      const next = hasBatch ? "The next apply asks again, and does not send it again. " : "";
      return [
        {
          words: `${next}If the console shows the recording, record its id:`,
          argv: suggestId([`${name}=ID`], environment),
        },
        {
          words: "If the service could not make it, correct the text, or let apply make it again:",
          argv: suggest("state resolve", [name], environment, ["--absent"]),
        },
      ];
    },
  },
  "id-refused": {
    blocks: "nothing",
    words({ keys, links }) {
      const named = links.map(({ to, id }) => `${to} (id ${id})`);
      const what =
        keys.length === 1
          ? "the service refused it. It links"
          : "the service refused these menus. They link";
      return `${listed(keys)}: ${what} to ${listed(named)}, and a person recorded ${links.length === 1 ? "that id" : "those ids"}.`;
    },
    fix({ links }, environment) {
      const subjects = links.map(({ to }) => `${to}=ID`);
      const words = `If ${links.length === 1 ? "it is" : "one of them is"} not the id on the console, record the right one:`;
      return [{ words, argv: suggestId(subjects, environment) }];
    },
  },
};

/** What a menu waits for after an apply: `support (not created), the ids of sales, night`. */
export function waitsBriefly(waitsFor: readonly WaitsFor[]): string {
  const ids = waitsFor.filter(({ because }) => because === "unidentified").map(({ key }) => key);
  const others = waitsFor.filter(({ because }) => because !== "unidentified");
  return [
    ...others.map(({ key, because }) =>
      because === "absent"
        ? `${key} (not created)`
        : because === "recording"
          ? `the recording ${key}`
          : key,
    ),
    ...(ids.length === 0 ? [] : [`the ${ids.length === 1 ? "id" : "ids"} of ${listed(ids)}`]),
  ].join(", ");
}

/** The same in a plan: `waits for support, whose outcome is unknown`. */
export function waitsInPlan([first, ...more]: readonly WaitsFor[]): string {
  if (more.length > 0) return `waits for ${more.length + 1} menus`;
  const why = first?.because === "unknown" ? ", whose outcome is unknown" : "";
  const what = first?.because === "recording" ? "the recording " : "";
  return `waits for ${what}${first?.key}${why}`;
}
