import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import { commandText, suggest, suggestId, withSentence } from "../../util/suggest.ts";
import { liveRecord, menuRecord } from "../state/view.ts";
import { pathBetween, referencesIn } from "./menu-ids.ts";
import { unknownHint } from "../matters/resolving.ts";
import { linkTargets } from "./steps/plan-steps.ts";
import { numberHolds } from "./numbers.ts";
import type { Decided as Input, Held, HoldWords, Problem, WantedMenu } from "./decided.ts";
import { isAbsent, isNamed } from "./steps/guards.ts";
import type { Link } from "./steps/resource.ts";
import {
  type Ref,
  type RefKind,
  isOld,
  kindOf,
  menuRef,
  nameIn,
  refText,
} from "../../schema/ref.ts";
import { type Why, isHeldBy, ownerOf } from "./steps/step.ts";

/** What a user reads about a hold, if the file of the menu is there. The view of the steps says the rest. */
const inFile: HoldWords = {
  lookalike: ({ of, menu: { key, at }, input: { environment } }) => ({
    code: "IVR615",
    at: at("name"),
    message: `\`${key}\` has the same name as \`${nameIn(of)}\`, whose outcome is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
    hint: withSentence(
      `Add \`moved_from: ${nameIn(of)}\` if you renamed the file.`,
      unknownHint([nameIn(of)], environment),
    ),
  }),
  unknown({ menu: { key, movedFrom, at }, input: { environment, state } }) {
    if (movedFrom === undefined || menuRecord(state, key)) return undefined;
    return {
      code: "IVR615",
      at: at("moved_from"),
      message: `The outcome of \`${movedFrom}\` is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
      hint: unknownHint([movedFrom], environment),
    };
  },
  namesake({ step: { ref, base }, menu: { key, content, at }, input: { environment, resources } }) {
    const { namesakes = [], prior } = resources.find((one) => one.ref === ref) ?? {};
    const [id] = namesakes;
    const isOther = prior?.id !== undefined;
    const second = "To create one more menu with this name, add --allow same-name.";
    const record =
      content && referencesIn(content).length === 0
        ? suggestId([`${key}=${namesakes.length === 1 && id ? id : "ID"}`], environment)
        : // A menu cannot be recorded without those that it links to.
          suggest("import", [], environment, ["--live"]);
    return {
      code: "IVR639",
      at: at("name"),
      message: `\`${key}\` is not ${base ? "replaced" : "created"}: ${describeNamesakes(content?.name ?? key, namesakes)}.`,
      hint: isOther
        ? `If it is an old menu, delete it on the console. If a newer state has it, restore that state. ${second}`
        : { words: `${second} If it is the same menu, record it instead:`, argv: record },
    };
  },
  rename: ({ of, menu: { key, at }, input: { environment } }) => ({
    code: "IVR609",
    at: at("name"),
    message: `\`${key}\` has the same name as \`${nameIn(of)}\`, whose file is gone. Was the file renamed?`,
    hint: {
      words: `Add \`moved_from: ${nameIn(of)}\` if it was. If you want both menus, first delete the old record:`,
      argv: suggest("state rm", [nameIn(of)], environment),
    },
  }),
  twice: ({ menu: { key, movedFrom = "", at }, input: { environment } }) => ({
    code: "IVR611",
    at: at("moved_from"),
    message: `Both \`${movedFrom}\` and \`${key}\` are in the state, so \`${movedFrom}\` cannot be moved.`,
    hint: {
      words: `Remove \`moved_from\`, or delete the old record:`,
      argv: suggest("state rm", [movedFrom], environment),
    },
  }),
  refused: ({ menu: { key, at } }) => ({
    code: "IVR610",
    at: at(),
    message: `\`${key}\` would change, but it has \`on_change: refuse\`.`,
    hint: "Undo the change, or remove `on_change: refuse`.",
  }),
  circle({ step: { ref }, of, menu: { key, at }, input: { resources, can } }) {
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
  },
  loses: ({ step: { webhooks = [] }, menu: { key, at } }) => ({
    code: "IVR636",
    at: at(),
    message: `\`${key}\` has a webhook that was set on the console (${webhooks.map((one) => `key ${one}`).join(", ")}). The update would remove it.`,
    hint: "Add --allow webhook-loss if the webhook is not needed, or if you will set it again.",
  }),
  unreadable: ({ step, menu, input }) => describeUnreadable(step.ref, menu, input, "error"),
  ...numberHolds,
};

/** What a user reads about a hold, whether there is a file or not. */
const anywhere: Partial<Record<Why, (held: Held) => Problem[]>> = {
  creates: ({ input: { steps, can, limitAt } }) => [
    {
      code: "IVR612",
      ...(limitAt && { at: limitAt }),
      message: `The plan creates ${many(steps.filter((step) => isHeldBy(step, "creates")).length, "menu")}, but the limit is ${can.maxCreates}.`,
      hint: "Check that the plan is right. Then raise `max_creates:`, add --max-creates N, or plan fewer menus with --target KEY.",
    },
  ],
  /** A list may be cut off, so nothing is deleted, and nothing is created again. */
  cutoff({ input: { environment, resources, can } }) {
    const absent = resources.filter((one) => isAbsent(one) && !isNamed(one, can));
    return [...groupBy(absent, ({ ref }) => kindOf(ref))].map(([kind, gone]): Problem => {
      const { noun, command, flags = [], again = "" } = whenGone[kind];
      const which = listed(gone.map(({ ref }) => refText(ref)));
      const names = gone.map(({ ref }) => nameIn(ref));
      return {
        code: "IVR635",
        message: `The service does not list ${many(gone.length, noun)} on record: ${which}. The list may be cut off, so nothing is deleted, and nothing is created again.`,
        hint: {
          words: `Check on the console that ${gone.length === 1 ? "it is" : "they are"} gone.${again} To remove the record, run:`,
          argv: suggest(command, names, environment, flags),
        },
      };
    });
  },
  /** Something sends callers to a menu that is to be deleted. */
  inbound({ step: { ref, id = "?", holds }, input: { environment, steps, links } }) {
    // A menu that stays only because it links to one that stays is no reason of its own.
    const deleting = new Set<string>(steps.flatMap((one) => (one.op === "delete" ? one.ref : [])));
    const found = new Set(
      holds.flatMap(({ why, of = "" }) => (why === "inbound" && !deleting.has(of) ? of : [])),
    );
    const inbound = links.filter(({ from, to }) => found.has(from) && (to ?? id) === id);
    if (inbound.length === 0) return [];
    const lagging = inbound.flatMap(({ from, kind }) => (kind === "lagging" ? nameIn(from) : []));
    const elsewhere = "Let phone numbers and other menus point elsewhere first.";
    return [
      {
        code: "IVR640",
        message: `\`${nameIn(ref)}\` (id ${id}) cannot be deleted, because something points to it: ${listed(describeInboundLinks(inbound))}.`,
        hint:
          lagging.length === inbound.length
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
};

/** What a user reads about the holds of all steps. */
export function describeHolds(input: Input): Problem[] {
  const menus = new Map<Ref, WantedMenu>([
    ...input.menus.map((menu) => [menuRef(menu.movedFrom ?? menu.key), menu] as const),
    ...input.menus.map((menu) => [menuRef(menu.key), menu] as const),
  ]);
  const holds = input.steps.flatMap((step) => step.holds.map((hold) => ({ step, ...hold })));
  const problems = [...groupBy(holds, ({ why }) => why).values()]
    .flat()
    .flatMap(({ step, why, of = "" }): Problem[] => {
      const held = { step, of, input };
      const menu = menus.get(ownerOf(step));
      const problem = menu && inFile[why]?.({ ...held, menu });
      return problem ? [problem] : (anywhere[why]?.(held) ?? []);
    });
  // Some holds of several steps are one problem.
  return [...new Map(problems.map((one) => [one.message, one])).values()];
}

/** The menus with the name of a new one: `the service already has a menu “Desk” that is not recorded (id 7)`. */
export function describeNamesakes(name: string, ids: readonly (string | null)[]): string {
  const which = listed(ids.map((id) => (id === null ? "without an id" : `id ${id}`)));
  const what = ids.length === 1 ? `a menu “${name}” that is` : `menus “${name}” that are`;
  return `the service already has ${what} not recorded (${which})`;
}

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
  const ids = lists.menus?.named(record.menu.name) ?? [];
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

/** How a person says that something is gone which a list lacks. */
const whenGone: Readonly<
  Record<RefKind, { noun: string; command: string; flags?: readonly string[]; again?: string }>
> = {
  menu: {
    noun: "menu",
    command: "state rm",
    again: " To create a menu again, name it with --target KEY.",
  },
  old: { noun: "old menu", command: "state done" },
  number: { noun: "phone number", command: "state resolve", flags: ["--absent"] },
};

/** What points to a menu, in words: `+91 22 4123 4567`, `menu “Front desk” (id 7926)`. */
export function describeInboundLinks(links: readonly Link[]): string[] {
  const best = [...groupBy(links, ({ from }) => from).values()].map(
    (alike) => alike.toSorted((a, b) => says.indexOf(a.kind) - says.indexOf(b.kind))[0] ?? alike[0],
  );
  const words = best.map(({ from, kind, words: given }) => {
    const name = refText(from);
    return {
      listed: given ?? name,
      unknown: `${name}, whose outcome is unknown`,
      lagging: `perhaps ${name}, which was bound to it, although the list does not show that`,
      planned: given ?? name,
      recorded: `perhaps ${given ?? name}, which links to it on record`,
    }[kind];
  });
  return [...new Set(words)];
}

/** What says most comes first. */
const says = ["listed", "unknown", "lagging", "planned", "recorded"] satisfies Link["kind"][];
