import type { Code } from "../../diagnostics/codes.ts";
import type { Severity } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { didYouMean, nearest, shorten } from "../../util/nearest.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, commandText, suggest, suggestId, withSentence } from "../../util/suggest.ts";
import { liveRecord, menuRecord } from "../state/view.ts";
import { unknownHint } from "../state/open-matters.ts";
import { pathBetween } from "./menu-ids.ts";
import { linkTargets } from "./steps/plan-steps.ts";
import { asInFiles } from "./numbers.ts";
import type { Decided as Input, WantedMenu } from "./decided.ts";
import { reachedOn } from "./names.ts";
import { isAbsent, isNamed } from "./steps/guards.ts";
import type { Link } from "./steps/resource.ts";
import { type Ref, isMenu, isNumber, isOld, menuRef, nameIn } from "../../schema/ref.ts";
import type { Step, Why } from "./steps/step.ts";

/** A problem with a plan, and how to fix it. */
export interface Problem {
  readonly code: Code;
  /** Absent if it is about the whole project. */
  readonly at?: Span | { readonly file: string };
  readonly message: string;
  readonly hint: Hint;
  readonly severity?: Severity;
}

/** A step that is held back. `of` is what the hold is about besides, and `menu` the file of the step. */
interface Held {
  readonly step: Step;
  readonly of: string;
  readonly menu: WantedMenu | undefined;
}

/** Describes all steps that are held back for the same reason. */
type HoldWords = (held: readonly Held[], input: Input) => Problem[];

/** Describes each step on its own. */
function each(
  describe: (step: Step, of: string, menu: WantedMenu, input: Input) => Problem | undefined,
): HoldWords {
  return (held, input) =>
    held.flatMap(({ step, of, menu }) => (menu && describe(step, of, menu, input)) ?? []);
}

/** What a user reads about each hold. The view of the steps says the rest. */
export const describeHolds: Partial<Record<Why, HoldWords>> = {
  lookalike: each((_, of, { key, at }, { environment }) => ({
    code: "IVR615",
    at: at("name"),
    message: `\`${key}\` has the same name as \`${nameIn(of)}\`, whose outcome is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
    hint: withSentence(
      `Add \`moved_from: ${nameIn(of)}\` if you renamed the file.`,
      unknownHint([nameIn(of)], environment),
    ),
  })),
  unknown: each((_, __, { key, movedFrom, at }, { environment, state }) => {
    if (movedFrom === undefined || menuRecord(state, key)) return undefined;
    return {
      code: "IVR615",
      at: at("moved_from"),
      message: `The outcome of \`${movedFrom}\` is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
      hint: unknownHint([movedFrom], environment),
    };
  }),
  rename: each((_, of, { key, at }, { environment }) => ({
    code: "IVR609",
    at: at("name"),
    message: `\`${key}\` has the same name as \`${nameIn(of)}\`, whose file is gone. Was the file renamed?`,
    hint: {
      words: `Add \`moved_from: ${nameIn(of)}\` if it was. If you want both menus, first delete the old record:`,
      argv: suggest("state rm", [nameIn(of)], environment),
    },
  })),
  twice: each((_, __, { key, movedFrom = "", at }, { environment }) => ({
    code: "IVR611",
    at: at("moved_from"),
    message: `Both \`${movedFrom}\` and \`${key}\` are in the state, so \`${movedFrom}\` cannot be moved.`,
    hint: {
      words: `Remove \`moved_from\`, or delete the old record:`,
      argv: suggest("state rm", [movedFrom], environment),
    },
  })),
  refused: each(({ holds, needs }, _, { key, at }, { steps }) => {
    const creates = new Set(steps.flatMap(({ op, ref }) => (op === "create" ? ref : [])));
    const waits = holds.some(({ why }) => why === "waiting");
    // Its own file may be the same as before.
    const target = waits ? needs.find((to) => creates.has(to)) : undefined;
    const why =
      target === undefined
        ? "has changed since it was applied"
        : `has to change, because it links to \`${nameIn(target)}\` and needs its new id`;
    return {
      code: "IVR610",
      at: at(),
      message: `\`${key}\` ${why}, but it has \`on_change: refuse\`.`,
      hint: "Undo the change, or remove `on_change: refuse`.",
    };
  }),
  circle: each(({ ref }, of, { key, at }, { resources, can }) => {
    const to = nameIn(of);
    const path = pathBetween(of, ref, linkTargets(resources)).map((one) => shorten(nameIn(one)));
    return {
      code: "IVR619",
      at: at(menuRef(to)),
      message:
        key === to
          ? `\`${key}\` links to itself, so its payload would have to contain its own id.`
          : `These menus link to each other in a circle: ${[...path, shorten(to)].join(" → ")}.`,
      hint: can.operations.has("update")
        ? "Let one key, `invalid` or `timeout` go to an agent. ivrctl creates the menu with that destination, and adds this link afterwards. This does not work with `on_change: replace`."
        : "Remove this link, or go to an agent instead. The service can only create menus, and every new menu has a new id.",
    };
  }),
  loses: each(({ webhooks = [] }, _, { key, at }) => ({
    code: "IVR636",
    at: at(),
    message: `\`${key}\` has a webhook that was set on the console (${webhooks.map((one) => `key ${one}`).join(", ")}). The update would remove it.`,
    hint: "Add --allow webhook-loss if the webhook is not needed, or if you will set it again.",
  })),
  unlisted: each(({ ref }, _, menu, { environment, lists }) => {
    const number = nameIn(ref);
    const ids = (lists.numbers?.find(number) ?? []).map(({ id }) => id);
    const near = didYouMean(nearest(number, (lists.numbers?.numbers ?? []).map(asInFiles)));
    const list = {
      words: "To see the numbers of the account, run:",
      argv: suggest("numbers", [], environment),
    };
    return {
      code: "IVR665",
      at: menu.at(ref),
      message:
        ids.length > 0
          ? `The list of phone numbers has ${phoneText(number)} more than once (ids ${ids.join(", ")}), so it is not clear which one to bind.`
          : `The account does not have the phone number ${phoneText(number)}.`,
      hint: ids.length > 0 || near === undefined ? list : withSentence(near.words, list),
    };
  }),
  foreign: each(({ ref, base }, _, menu, { state, lists, agents }) => {
    const before = base?.["destination"] || null;
    const reached = lists.menus && reachedOn(state, lists.menus, agents)(before);
    return {
      code: "IVR667",
      at: menu.at(ref),
      message: `${phoneText(nameIn(ref))} points to ${reached}, and not to a menu on record.`,
      hint: `Add --allow take-number if its callers should reach \`${menu.key}\` instead.`,
    };
  }),
  waiting: each(({ ref }, of, { key, at }, { environment, steps }) => {
    // Otherwise, the steps of the menu say what they wait for.
    if (!isNumber(ref) || steps.some((step) => step.ref === of)) return undefined;
    return {
      code: "IVR637",
      at: at(ref),
      message: `${phoneText(nameIn(ref))} is not bound, because the id of \`${key}\` is not on record.`,
      hint: {
        words: "Find the id on the console, and record it:",
        argv: suggestId([`${key}=ID`], environment),
      },
    };
  }),
  unreadable: each(({ ref }, _, menu, input) => describeUnreadable(ref, menu, input, "error")),
  creates: (held, { can, limitAt }) => [
    {
      code: "IVR612",
      ...(limitAt && { at: limitAt }),
      message: `The plan creates ${many(held.length, "menu")}, but the limit is ${can.maxCreates}.`,
      hint: "Check that the plan is right. Then raise `max_creates:`, add --max-creates N, or plan fewer menus with --target KEY.",
    },
  ],
  /** A list may be cut off, so nothing is deleted, and nothing is created again. */
  cutoff(_, { environment, resources, can }) {
    const absent = resources.filter((one) => isAbsent(one) && !isNamed(one, can));
    return kinds.flatMap(([is, what, command, flags]): Problem[] => {
      const names = absent.flatMap(({ ref }) => (is(ref) ? nameIn(ref) : []));
      if (names.length === 0) return [];
      const shown = listed(is === isNumber ? names.map(phoneText) : names);
      const again = is === isMenu ? " To create a menu again, name it with --target KEY." : "";
      return [
        {
          code: "IVR635",
          message: `The service does not list ${many(names.length, what)} on record: ${shown}. The list may be cut off, so nothing is deleted, and nothing is created again.`,
          hint: {
            words: `Check on the console that ${names.length === 1 ? "it is" : "they are"} gone.${again} To remove the record, run:`,
            argv: suggest(command, names, environment, flags),
          },
        },
      ];
    });
  },
  /** Something sends callers to menus that are to be deleted. */
  inbound(held, { environment, steps, links }) {
    // A menu that stays only because it links to one that stays is no reason of its own.
    const deleting = new Set<string>(steps.flatMap(({ ref, op }) => (op === "delete" ? ref : [])));
    return [...new Set(held.map(({ step }) => step))].flatMap(
      ({ ref, id = "?", holds }): Problem[] => {
        const found = new Set(
          holds.flatMap(({ why, of = "" }) => (why === "inbound" && !deleting.has(of) ? of : [])),
        );
        const inbound = links.filter(({ from, to }) => found.has(from) && (to ?? id) === id);
        if (inbound.length === 0) return [];
        const lagging = inbound.flatMap(({ from, kind }) =>
          kind === "lagging" ? nameIn(from) : [],
        );
        const elsewhere = "Let phone numbers and other menus point elsewhere first.";
        const isLagging = lagging.length === inbound.length;
        return [
          {
            code: "IVR640",
            message: `\`${nameIn(ref)}\` (id ${id}) cannot be deleted, because something points to it: ${listed(describeInboundLinks(inbound, steps))}.`,
            hint: isLagging
              ? {
                  words:
                    "A list can lag behind. If the console shows that they point elsewhere, run:",
                  argv: suggest("state resolve", lagging, environment, ["--absent"]),
                }
              : isOld(ref)
                ? elsewhere
                : {
                    words: `${elsewhere} To keep the menu on the service, and delete only its record, run:`,
                    argv: suggest("state rm", [nameIn(ref)], environment),
                  },
          },
        ];
      },
    );
  },
};

/** A menu that cannot be compared with the service. */
export function describeUnreadable(
  ref: Ref,
  { key, at }: WantedMenu,
  { environment, state, lists, resources }: Input,
  severity: "warning" | "error",
): Problem | undefined {
  const resource = resources.find((one) => one.ref === ref);
  const record = liveRecord(state, resource?.from ?? ref);
  const from = nameIn(resource?.from ?? ref);
  if (resource?.observed.kind !== "unreadable" || !record) return undefined;
  const message = (why: string) =>
    severity === "warning"
      ? `\`${key}\` cannot be compared with the service: ${why}.`
      : `\`${key}\` has changed, but it cannot be updated: ${why}.`;
  const about = { code: "IVR637", at: at(), severity } as const;
  if (record.identified) {
    return {
      ...about,
      message: message(
        `ivrctl does not understand its record in the list (${resource.observed.problem})`,
      ),
      hint: "Correct that record on the console. Or set `on_change: replace`, to create a new menu.",
    };
  }
  const ids = lists.menus?.named(record.payload.name) ?? [];
  const found = ids.length === 0 ? "" : ` (with its name: ${listed(ids)})`;
  const remove = commandText(suggest("state rm", [from], environment));
  return {
    ...about,
    message: message(
      `its id is not on record, and the list does not show which menu it is${found}`,
    ),
    hint: {
      words: `If the console no longer shows it, delete its record: \`${remove}\`. Otherwise, look up its id on the console, and record it:`,
      argv: suggestId([`${from}=ID`], environment),
    },
  };
}

/** What can be missing in a list, and how a person says that it is gone. */
const kinds = [
  [isMenu, "menu", "state rm", []],
  [isOld, "old menu", "state done", []],
  [isNumber, "phone number", "state resolve", ["--absent"]],
] as const;

/** What points to a menu, in words: `+91 22 4123 4567`, `menu “Front desk” (id 7926)`. */
export function describeInboundLinks(links: readonly Link[], steps: readonly Step[]): string[] {
  const best = [...groupBy(links, ({ from }) => from).values()].map(
    (alike) => alike.toSorted((a, b) => says.indexOf(a.kind) - says.indexOf(b.kind))[0] ?? alike[0],
  );
  const words = best.map(({ from, kind, words: given }) => {
    const name = isNumber(from) ? phoneText(nameIn(from)) : nameIn(from);
    const isNew = steps.some(({ ref, op }) => ref === from && op === "create");
    return {
      listed: given ?? name,
      unknown: `${name}, whose outcome is unknown`,
      lagging: `perhaps ${name}, which was bound to it, although the list does not show that`,
      planned: isNew ? `the new menu ${name}` : (given ?? name),
      recorded: `perhaps ${given ?? name}, which links to it on record`,
    }[kind];
  });
  return [...new Set(words)];
}

/** What says most comes first. */
const says = ["listed", "unknown", "lagging", "planned", "recorded"] satisfies Link["kind"][];
