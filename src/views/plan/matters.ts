import { subjectText } from "../../schema/ref.ts";
import type { Change } from "../../deploy/plan/changes.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import { linkedBy } from "../../deploy/plan/menu-ids.ts";
import { isLost } from "../../deploy/plan/reconcile.ts";
import { unknownHint, unknownMatters } from "../../deploy/state/open-matters.ts";
import { outcomeText } from "../../deploy/state/records.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, suggest, suggestId, withSentence } from "../../util/suggest.ts";
import { clockTime } from "../../util/time.ts";
import { followUpsHint, remainingFollowUps, phoneNumbersText } from "../follow-ups.ts";
import { callerLines, follows } from "./lines.ts";
import { describeChange } from "../../model/field-words.ts";

// ---- What only follows from the changes ----

/** What only follows from the changes, one sentence for each kind. */
export function followingLines(plan: Plan, isPlan: boolean): string[] {
  const { changes } = plan;
  const links = consequences(changes);
  const keysOf = (some: readonly Change[]) => some.map(({ key }) => key);
  const moved = changes.filter(({ movedFrom }) => movedFrom !== undefined);
  const numbers = changes.flatMap((change) =>
    change.bind.filter((binding) => follows(binding, change)),
  );
  const deleted = isPlan ? changes.filter(({ action }) => action === "delete") : [];
  const sentences: [names: readonly string[], one: string, several: string][] = [
    [
      keysOf(links.filter(({ action }) => action !== "update")),
      "menu is replaced because the menu it links to is",
      "menus are replaced because the menus they link to are",
    ],
    [
      keysOf(links.filter(({ action }) => action === "update")),
      "menu is updated because the menu it links to gets a new id",
      "menus are updated because the menus they link to get new ids",
    ],
    [
      keysOf(changes.filter(({ first }) => first !== undefined)),
      "menu is created first and linked afterwards",
      "menus are created first and linked afterwards",
    ],
    [
      keysOf(deleted),
      "menu is deleted on the service, which cannot be undone",
      "menus are deleted on the service, which cannot be undone",
    ],
    [
      moved.map(({ key, movedFrom }) => `${movedFrom} → ${key}`),
      "menu key changed, which callers do not notice",
      "menu keys changed, which callers do not notice",
    ],
    [
      numbers.map(({ number }) => phoneText(number)),
      "phone number will follow its menu",
      "phone numbers will follow their menus",
    ],
  ];
  return [
    ...sentences.flatMap(([names, one, several]) =>
      names.length === 0
        ? []
        : `${names.length} ${names.length === 1 ? one : several}: ${listed(names)}`,
    ),
    ...learnedLines(plan),
  ];
}

/** The menus that change only because the menus that they link to get new ids. */
function consequences(changes: readonly Change[]): Change[] {
  const kinds = new Set(["replace", "update", "waiting"]);
  return changes.filter((change) => kinds.has(change.action) && callerLines(change).length === 0);
}

/** What apply records because the list of the service proves it. */
function learnedLines({ list, learned = [] }: Plan): string[] {
  if (list === undefined) return [];
  const source = `the service (${listedWords(list)})`;
  const ids: string[] = [];
  const lines = learned.flatMap((event) => {
    if (event.kind === "identified" && event.follow_up === null)
      ids.push(`${event.key} ${event.id}`);
    if (event.kind === "changed-on-console") {
      return `${event.key}: changed on the console; the file already matches`;
    }
    if (event.kind !== "outcome") return [];
    return `${subjectText(event)}: ${outcomeText(event)} by an earlier run`;
  });
  return [
    ...lines.map((line) => `From ${source}: ${line}`),
    ...(ids.length === 0 ? [] : [`Ids from ${source}: ${listed(ids, 12)}`]),
  ];
}

function listedWords({ menus, at }: NonNullable<Plan["list"]>): string {
  return `${many(menus, "menu")} listed at ${clockTime(at)}`;
}

// ---- What needs manual action ----

interface Situation {
  readonly refused: boolean;
  /** Whether another run is in progress, whose requests look like unknown outcomes. */
  readonly running?: boolean | undefined;
  /** Whether apply shows them. The end of apply says how to go on with what it leaves. */
  readonly isApplied?: boolean | undefined;
}

/** Everything that a person has to do, as far as no error says it. */
export function mattersIn(
  plan: Plan,
  { refused, running = false, isApplied = false }: Situation,
): Hint[] {
  const { changes, environment } = plan;
  const of = (action: Change["action"]) => changes.filter((change) => change.action === action);
  const left = remainingFollowUps(plan);
  return [
    ...(isApplied ? [] : unknownIn(plan, running)),
    ...of("missing").map((change) => missingMatter(change, plan)),
    ...of("drift").map(driftMatter),
    ...(isApplied ? [] : waitMatters(changes, environment, refused)),
    ...numberMatters(changes),
    ...(refused ? [] : [...pointMatters(plan), ...linkMatters(plan), ...keptMatters(of("forget"))]),
    ...changes.flatMap(({ key, webhooks }) =>
      webhooks.length === 0
        ? []
        : `${key}: the webhook of ${listed(webhooks.map((pressed) => `key ${pressed}`))} is removed.`,
    ),
    ...(left.length === 0 || isApplied ? [] : [followUpsHint(left, environment)]),
  ];
}

function unknownIn({ changes, environment, list }: Plan, isRunning: boolean): Hint[] {
  const all = changes.flatMap(({ key, pending }) => (pending ? { name: key, pending } : []));
  const unknown = all.filter(({ pending }) => !isLost(pending.seen?.message));
  const lost = all.filter((request) => !unknown.includes(request)).map(({ name }) => name);
  if (isRunning && unknown.length > 0) {
    const keys = listed(unknown.map(({ name }) => name));
    return [`Requests of the run in progress: ${keys}. Their outcomes are not known yet.`];
  }
  const looked = list ? `The ${listedWords(list)} do not prove it either way.` : "";
  return [
    ...unknownMatters(unknown, environment, looked).map(({ message, hint }) =>
      withSentence(message, hint),
    ),
    ...lostMatters(lost, environment),
  ];
}

/** In a recovered state, menus without a record. */
export function lostMatters(keys: readonly string[], environment: string): Hint[] {
  if (keys.length === 0) return [];
  return [
    {
      words: `${listed(keys)}: not on record since the state was lost, so ${keys.length === 1 ? "it" : "each"} may or may not exist. Nothing is sent until you record what the console shows, with a key or pattern and --created or --absent, or one after the other:`,
      argv: suggest("state resolve", [], environment),
    },
  ];
}

function missingMatter({ key, id }: Change, { environment, list }: Plan): Hint {
  const among = list ? ` (${listedWords(list)})` : "";
  return {
    words: `${key}: the service does not list menu ${id}${among}. Nothing is sent for it. If the console shows that it is gone, and you want it again, run:`,
    argv: suggest("apply", [], environment, ["--allow", "recreate"]),
  };
}

function driftMatter({ key, drift }: Change): Hint {
  const places = (drift?.differences ?? []).map((change) => {
    const { what, before: file, after: seen } = describeChange(change);
    return `${what}: ${seen ?? "nothing"} (file: ${file ?? "nothing"})`;
  });
  return `${key} was changed on the console, and the service cannot change it back. Callers reach: ${listed(places)}. Change it back on the console, or write it into the file.`;
}

/** The phone numbers that stay elsewhere. */
function numberMatters(changes: readonly Change[]): Hint[] {
  return changes.flatMap(({ action, key, reachedBy = [] }) => {
    const age = action === "restore" ? "newer" : "old";
    const where = action === "forget" ? key : `the ${age} menu of ${key}`;
    return reachedBy.map((number) => `${phoneText(number)} still points to ${where}.`);
  });
}

/** The replaced and restored menus that callers reach only when somebody points phone numbers at them. */
function pointMatters({ changes, desired }: Plan): Hint[] {
  const linked = linkedBy(desired);
  const isOpen = ({ key, reachedBy, after }: Change) =>
    reachedBy === undefined && (!linked.has(key) || after?.numbers !== undefined);
  return (["replace", "restore"] as const).flatMap((action) => {
    const unreached = changes.filter(
      (change) => change.action === action && change.before !== undefined && isOpen(change),
    );
    const [first, ...more] = unreached;
    if (first?.after === undefined) return [];
    const [where, old] =
      action === "replace" ? ["the new menu", "the old"] : ["the restored menu", "the newer"];
    return more.length === 0
      ? `Callers of ${first.key} reach ${old} menu until someone points ${phoneNumbersText(first.after)} at ${where}.`
      : `Callers of ${unreached.length} menus reach ${old} menus until someone points the phone numbers at ${where}s: ${listed(unreached.map(({ key }) => key))}.`;
  });
}

/** The menus that still link to replaced menus, because they are not part of the plan. */
function linkMatters({ changes, desired }: Plan): Hint[] {
  const planned = new Map(changes.map(({ key, action }) => [key, action]));
  const left = desired
    .filter((menu) => !planned.has(menu.key))
    .filter((menu) => [...linkedBy([menu])].some((to) => planned.get(to) === "replace"))
    .map(({ key }) => key);
  const them = left.length === 1 ? "it" : "them";
  return left.length === 0
    ? []
    : [
        `Callers of ${listed(left)} still reach the old menus, because --target leaves ${them} out.`,
      ];
}

function keptMatters(changes: readonly Change[]): Hint[] {
  return [...groupBy(changes, ({ kept }) => kept)].flatMap(([kept, alike]) => {
    const keys = listed(alike.map(({ key }) => key));
    if (kept === undefined) return [];
    return kept === "not-allowed"
      ? `To delete ${keys} on the service instead, add --allow delete.`
      : `ivrctl cannot delete ${keys}: ${kept === "unidentified" ? "the id is not on record" : "it does not understand the record in the list"}.`;
  });
}

// ---- What menus wait for ----

interface Waiter {
  readonly key: string;
  readonly waitsFor?: readonly WaitsFor[];
}

/**
 * How to get what menus wait for, in a plan or after an apply. The errors of a refused plan say why a
 * menu cannot be created.
 */
export function waitMatters(
  menus: readonly Waiter[],
  environment: string,
  isRefused = false,
): Hint[] {
  const waits = menus.flatMap(({ waitsFor = [] }) => waitsFor);
  const now = waits.filter(({ because }) => because === "unidentified");
  const later = isRefused ? [] : waits.filter(({ because }) => because === "sent");
  const start = now.length > 0 ? "Look up" : "After apply, look up";
  return [
    ...idMatters([...now, ...later], environment, start),
    ...(isRefused ? [] : otherMatters(waits, menus, environment)),
  ];
}

const mostCommands = 5;

/** How to record ids. */
function idMatters(waits: readonly WaitsFor[], environment: string, start: string): Hint[] {
  const keys = keysOf(waits);
  if (keys.length === 0) return [];
  const what =
    keys.length === 1
      ? `the id of ${keys[0]} on the console, and record it`
      : "the ids of these menus on the console, and record them";
  const subjects = keys.slice(0, mostCommands).map((key) => `${key}=ID`);
  return [
    {
      words: `${start} ${what}${moreThanShown(keys)}:`,
      argv: suggestId(subjects, environment),
    },
  ];
}

/** How to go on with menus that `--target` leaves out: those that do not exist, or whose outcome is unknown. */
function otherMatters(
  waits: readonly WaitsFor[],
  within: readonly { readonly key: string }[],
  environment: string,
): Hint[] {
  const inside = new Set(within.map(({ key }) => key));
  const left = (wanted: WaitsFor["because"]) =>
    keysOf(waits.filter(({ key, because }) => because === wanted && !inside.has(key)));
  const [absent, unknown] = [left("absent"), left("unknown")];
  const what = absent.length === 1 ? absent[0] : "the menus that these link to";
  const targets = absent.slice(0, mostCommands).flatMap((key) => ["--target", key]);
  const create = {
    words: `First create ${what}${moreThanShown(absent)}:`,
    argv: suggest("apply", [], environment, targets),
  };
  return [
    ...(absent.length === 0 ? [] : [create]),
    ...(unknown.length === 0 ? [] : [unknownHint(unknown, environment)]),
  ];
}

/** What a menu waits for after an apply: `support (not created), the ids of sales, night`. */
export function waitsBriefly(waitsFor: readonly WaitsFor[]): string {
  const ids = keysOf(waitsFor.filter(({ because }) => because === "unidentified"));
  const others = waitsFor.filter(({ because }) => because !== "unidentified");
  return [
    ...others.map(({ key, because }) => (because === "absent" ? `${key} (not created)` : key)),
    ...(ids.length === 0 ? [] : [`the ${ids.length === 1 ? "id" : "ids"} of ${ids.join(", ")}`]),
  ].join(", ");
}

function keysOf(waits: readonly WaitsFor[]): string[] {
  return [...new Set(waits.map(({ key }) => key))];
}

function moreThanShown({ length }: readonly string[]): string {
  return length > mostCommands ? ` (the first ${mostCommands} of ${length})` : "";
}
