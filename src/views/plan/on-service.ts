import { describePlace } from "../../deploy/plan/agent-findings.ts";
import { differences } from "../../deploy/plan/digest.ts";
import { referencesIn } from "../../deploy/plan/links.ts";
import type { Change, Drift, MenuContent, Plan } from "../../deploy/plan/plan.ts";
import type { Naming } from "../../schema/state.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { commandText, suggest } from "../../util/suggest.ts";
import { clockTime, timeBetween } from "../../util/time.ts";
import {
  type AnyChange,
  type Detail,
  type Outlook,
  type Part,
  changeWords,
  contentOf,
  note,
  partId,
} from "./parts.ts";
import { describeDifference } from "./words.ts";

/** What an update does. It may only put back what somebody changed on the console. */
export function updateTexts({
  before,
  after,
  drift,
  webhooks,
}: Extract<Change, { action: "update" }>): readonly [one: string, several: string] {
  const lost =
    webhooks.length === 0
      ? ""
      : ` The webhook of ${webhooks.map((key) => `key ${key}`).join(", ")} is removed.`;
  const back =
    drift === undefined
      ? ""
      : before.digest === after.digest
        ? " What was changed on the console is put back to what the file says. To keep it, write it into the file."
        : " What was changed on the console is overwritten by what the file says.";
  return [
    `The menu is changed in place. Callers notice it at once.${back}${lost}`,
    `The menus are changed in place. Callers notice it at once.${back}${lost}`,
  ];
}

/** What happens to callers if a menu is deleted. */
export const deletedOnService = [
  "The file was deleted, so the menu is deleted on the service. This cannot be undone: a new menu has another id.",
  "The files were deleted, so the menus are deleted on the service. This cannot be undone: new menus have other ids.",
] as const;

/** What happens to a menu whose file was deleted, if nothing is sent for it. */
export function forgetTexts(
  change: Extract<AnyChange, { action: "forget" }>,
): readonly [one: string, several: string] {
  const gone = "gone" in change ? change.gone : undefined;
  const kept = "kept" in change ? change.kept : undefined;
  if (gone !== undefined) {
    return [
      `The file was deleted, and the service does not list menu ${gone} any more. Only its record is deleted, and there is no follow-up.`,
      "The files were deleted, and the service does not list these menus any more. Only their records are deleted, and there are no follow-ups.",
    ];
  }
  const [one, several] = kept === undefined ? ["", ""] : keptTexts[kept];
  return [
    `The file was deleted. Callers still reach this menu until someone removes it on the console (tracked as a follow-up).${one}`,
    `The files were deleted. Callers still reach these menus until someone removes them on the console (tracked as follow-ups).${several}`,
  ];
}

type Kept = NonNullable<Extract<Change, { action: "forget" }>["kept"]>;

const keptTexts: Readonly<Record<Kept, readonly [one: string, several: string]>> = {
  "not-allowed": [
    " To delete it on the service instead, add --allow delete.",
    " To delete them on the service instead, add --allow delete.",
  ],
  unidentified: [
    " ivrctl cannot delete it, because its id is not on record.",
    " ivrctl cannot delete them, because their ids are not on record.",
  ],
  unreadable: [
    " ivrctl cannot delete it, because it does not understand the record in the list.",
    " ivrctl cannot delete them, because it does not understand their records in the list.",
  ],
};

/** What to do about a menu that somebody changed on the console. */
export const onConsole = [
  "Somebody changed this menu on the console. Change it back there, or write the change into the file.",
  "Somebody changed these menus on the console. Change them back there, or write the changes into the files.",
] as const;
/** Why a menu on record is created. */
export const createdAgain = [
  "The service does not list this menu any more, so it is created again.",
  "The service does not list these menus any more, so they are created again.",
] as const;

/** What somebody changed on the console, from what was applied to what the service has. */
export function driftParts(
  change: Pick<AnyChange, "action"> & { readonly drift?: Drift },
  before: Pick<MenuContent, "naming">,
): Part[] {
  const { action, drift } = change;
  return (drift?.differences ?? []).map((difference) => {
    const { what, ...values } = describeDifference(difference, before, withDrift(before, drift));
    const details = [{ label: "changed on the console", text: `${what}: ${changeWords(values)}` }];
    return { id: partId(action, "drift", difference, details), details };
  });
}

/** The places of a menu that somebody changed on the console; empty if nobody did. */
export function driftPlaces(drift: Drift | undefined, before: Pick<MenuContent, "naming">): string {
  const places = (drift?.differences ?? []).map((difference) => {
    return describeDifference(difference, before, withDrift(before, drift)).what;
  });
  return places.length === 0 ? "" : `changed on the console: ${places.join(", ")}`;
}

function withDrift(content: Named, drift: Drift | undefined): Named {
  return drift === undefined ? content : withNames(content, drift.naming);
}

type Named = Pick<MenuContent, "naming">;

/** The names in a menu that was changed on the console: its own, and those of what was changed. */
export function withNames({ naming }: Named, { agents, menus }: Naming): Named {
  return {
    naming: {
      ...naming,
      agents: [...agents, ...naming.agents],
      menus: { ...naming.menus, ...menus },
    },
  };
}

type Missing = Extract<Change, { action: "missing" }>;

/** How to go on with a menu that is gone from the service. */
export function missingLines({ id, leaders = [] }: Missing, outlook: Outlook): Detail[] {
  const list = listOf(outlook);
  const among = list === undefined ? "" : ` (${listWords(list)})`;
  const { environment } = contentOf(outlook);
  const recreate = suggest("apply", [], environment, ["--allow", "recreate"]);
  return [
    note(`The service does not list menu ${id}${among}. Nothing is sent for it.`),
    ...(leaders.length === 0
      ? []
      : [note(`If it is gone, callers reach nothing here: ${leaderWords(leaders)}.`)]),
    {
      label: "If the console shows that it is gone, and you want it again",
      text: commandText(recreate),
      argv: recreate,
    },
  ];
}

/** The places that lead to a menu: `front-desk (key 2, silence), menu “Night” with the id 7926 (key 1)`. */
function leaderWords(leaders: NonNullable<Missing["leaders"]>): string {
  return listed(
    leaders.map(({ id, name, key = `menu “${name}” with the id ${id}`, places }) => {
      return `${key} (${places.map(describePlace).join(", ")})`;
    }),
  );
}

function listOf(outlook: Outlook): Plan["list"] {
  return outlook.kind === "plan" ? outlook.plan.list : undefined;
}

/** `212 menus listed at 18:05:12 UTC` */
function listWords({ menus, at }: NonNullable<Plan["list"]>): string {
  return `${many(menus, "menu")} listed at ${clockTime(at)}`;
}

/** What the list shows of a request with an unknown outcome. */
export function lookedLines(
  { pending, before, candidates = [] }: Extract<Change, { action: "unknown" }>,
  outlook: Outlook,
): Detail[] {
  const list = listOf(outlook);
  if (list === undefined) return [];
  const after = timeBetween(pending.sent_at, list.at);
  const where = `among ${listWords(list)}, ${after} after it was sent`;
  const looked = (text: string): Detail[] => [{ label: "looked", text }];
  if (pending.action === "delete") {
    const id = before?.identified?.id ?? "?";
    return looked(
      candidates.length === 0
        ? `menu ${id} is not ${where}. The list lacks other menus that are on record, so it may be cut off.`
        : `menu ${id} is ${where}, but not with this content`,
    );
  }
  if (pending.action === "update") {
    return looked(`menu ${before?.identified?.id ?? "?"} is not ${where}`);
  }
  if (candidates.length === 0) return looked(`not ${where}. A list can lag behind.`);
  const found = `${candidates.length === 1 ? "menu" : "menus"} ${candidates.join(", ")}`;
  return looked(
    pending.listed === undefined
      ? `${found} with this name, ${where}. It is not known whether it was there before.`
      : `${found} with this name, ${where}, but not exactly one with this content`,
  );
}

/** What apply records because the list of the service proves it, one line for each outcome. */
export function learnedLines(outlook: Outlook): {
  readonly title: string;
  readonly lines: string[];
} {
  const list = listOf(outlook);
  if (outlook.kind === "diff" || list === undefined) return { title: "", lines: [] };
  const { learned = [] } = outlook.plan;
  const ids = new Map(
    learned.flatMap((event) =>
      event.kind === "identified" && event.follow_up === null ? [[event.key, event.id]] : [],
    ),
  );
  const outcomes = learned.flatMap((event) => {
    if (event.kind !== "resolved") return [];
    if (event.follow_up !== undefined) {
      return `${event.key}: follow-up ${event.follow_up}: ${outcomeWords[event.as]}`;
    }
    const id = ids.get(event.key);
    ids.delete(event.key);
    return `${event.key}: ${outcomeWords[event.as]}${id === undefined ? "" : ` (menu ${id})`}`;
  });
  const changed = learned.flatMap((event) =>
    event.kind === "changed-on-console"
      ? `${event.key}: what was changed on the console, because the file says the same`
      : [],
  );
  const binds = learned.flatMap((event) =>
    event.kind === "bind-resolved"
      ? `${event.key}: ${phoneText(event.number)}: ${bindWords[event.as]}`
      : [],
  );
  const shown = [...ids].slice(0, mostIds).map(([key, id]) => `${key}: id ${id}`);
  const more = ids.size - shown.length;
  const lines = [
    ...outcomes,
    ...changed,
    ...binds,
    ...shown,
    ...(more > 0 ? [`and the ids of ${more} more menus`] : []),
  ];
  return { title: `Apply records what the service shows (${listWords(list)}):`, lines };
}

const bindWords = {
  bound: "the earlier bind succeeded",
  "not-bound": "the service does not have the earlier bind",
} as const;

/** The most ids that are listed. */
const mostIds = 12;

const outcomeWords = {
  created: "the earlier create succeeded",
  absent: "the earlier create did not succeed",
  updated: "the earlier update succeeded",
  "not-updated": "the service does not have the earlier update",
  deleted: "the earlier delete succeeded",
  "not-deleted": "the earlier delete did not succeed",
} as const;

/** How a menu gets the ids of menus that the same apply creates. */
export function linkNotes(change: AnyChange): Detail[] {
  if (change.action !== "create" && change.action !== "replace" && change.action !== "update") {
    return [];
  }
  const { after } = change;
  const keys = referencesIn(after);
  if (keys.length === 0) return [];
  const first = "first" in change ? change.first : undefined;
  if (first === undefined) {
    const [id, it] = keys.length === 1 ? ["id", "it is"] : ["ids", "they are"];
    return [
      note(
        `Leads to ${keys.join(" and ")}: ${id} known after apply, as soon as ${it} in the list.`,
      ),
    ];
  }
  const words = differences(first.payload, after.payload).map((difference) => {
    const { what, before, after: now } = describeDifference(difference, first, after);
    return { what, before: before ?? "", change: changeWords({ before, after: now }) };
  });
  return [
    {
      label: "step 1",
      text: `created with ${words.map(({ what, before }) => `${what}: ${before}`).join(", ")}, because the id of ${keys.join(" and ")} is known after apply`,
    },
    {
      label: "step 2",
      text: `updated with ${words.map(({ what, change: text }) => `${what}: ${text}`).join(", ")}`,
    },
  ];
}
