import type { Change, DescribedPlan } from "../../deploy/plan/plan.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Argv, suggest } from "../../util/suggest.ts";
import { clockTime, period } from "../../util/time.ts";
import { followUpsHint, leftOf, numbersOf } from "../follow-ups.ts";
import { answerWords } from "../text.ts";
import { follows, withNames } from "./lines.ts";
import { consequences } from "./rows.ts";
import { type Matter, matter } from "./matter.ts";
import { waitMatters } from "./waits.ts";
import { describeDifferences } from "./words.ts";

// ---- What only follows from the changes ----

/** What only follows from the changes, one sentence for each kind. */
export function followingLines(plan: DescribedPlan, isPlan: boolean): string[] {
  const { changes } = plan;
  const [inPlace, replaced] = [true, false].map((wanted) =>
    consequences(changes).filter(({ action }) => (action === "update") === wanted),
  );
  const moved = changes.filter(({ movedFrom }) => movedFrom !== undefined);
  const numbers = changes.flatMap((change) => change.bind.filter((one) => follows(one, change)));
  const circles = changes.filter(({ first }) => first !== undefined);
  const recorded = learnedLines(plan);
  return [
    ...sentence(replaced, (count) =>
      count === 1
        ? "1 menu is replaced because the menu it links to is"
        : `${count} menus are replaced because the menus they link to are`,
    ),
    ...sentence(inPlace, (count) =>
      count === 1
        ? "1 menu is updated because the menu it links to gets a new id"
        : `${count} menus are updated because the menus they link to get new ids`,
    ),
    ...sentence(circles, (count) =>
      count === 1
        ? "1 menu is created first and linked afterwards"
        : `${count} menus are created first and linked afterwards`,
    ),
    ...sentence(
      isPlan ? changes.filter(({ action }) => action === "delete") : [],
      (count) =>
        `${many(count, "menu")} ${count === 1 ? "is" : "are"} deleted on the service, which cannot be undone`,
    ),
    ...(moved.length === 0
      ? []
      : [
          `${many(moved.length, "menu key")} changed, which callers do not notice: ${listed(moved.map(({ key, movedFrom }) => `${movedFrom} → ${key}`))}`,
        ]),
    ...(numbers.length === 0
      ? []
      : [
          `${many(numbers.length, "phone number")} will follow ${numbers.length === 1 ? "its menu" : "their menus"}: ${listed(numbers.map(({ number }) => phoneText(number)))}`,
        ]),
    ...recorded,
  ];
}

function sentence(changes: readonly Change[] = [], words: (count: number) => string): string[] {
  return changes.length === 0
    ? []
    : [`${words(changes.length)}: ${listed(changes.map(({ key }) => key))}`];
}

/** What apply records because the list of the service proves it. */
function learnedLines({ list, learned = [] }: DescribedPlan): string[] {
  if (list === undefined || learned.length === 0) return [];
  const ids = new Map(
    learned.flatMap((event) =>
      event.kind === "identified" && event.follow_up === null ? [[event.key, event.id]] : [],
    ),
  );
  const outcomes = learned.flatMap((event) => {
    if (event.kind === "bind-resolved") {
      return `${event.key}: ${phoneText(event.number)}: ${bindWords[event.as]}`;
    }
    if (event.kind === "changed-on-console") {
      return `${event.key}: console change recorded; the file already matches`;
    }
    if (event.kind !== "resolved") return [];
    if (event.follow_up !== undefined) {
      return `${event.key}: follow-up ${event.follow_up}: ${outcomeWords[event.as]}`;
    }
    const id = ids.get(event.key);
    ids.delete(event.key);
    return `${event.key}: ${outcomeWords[event.as]}${id === undefined ? "" : ` (menu ${id})`}`;
  });
  const found = [...ids].map(([key, id]) => `${key} ${id}`);
  const where = `${many(list.menus, "menu")} listed at ${clockTime(list.at)}`;
  return [
    ...outcomes.map((line) => `From the service (${where}): ${line}`),
    ...(found.length === 0 ? [] : [`Ids from the service (${where}): ${listed(found, 12)}`]),
  ];
}

const bindWords = {
  bound: "the earlier bind succeeded",
  "not-bound": "the service does not have the earlier bind",
} as const;

const outcomeWords = {
  created: "the earlier create succeeded",
  absent: "the earlier create did not succeed",
  updated: "the earlier update succeeded",
  "not-updated": "the service does not have the earlier update",
  deleted: "the earlier delete succeeded",
  "not-deleted": "the earlier delete did not succeed",
} as const;

// ---- What needs manual action ----

interface Situation {
  readonly refused: boolean;
  /** Whether another run is in progress, whose requests look like unknown outcomes. */
  readonly running: boolean;
  /** Whether apply shows them. The end of apply says how to go on with what it leaves. */
  readonly isApplied?: boolean;
}

/** Everything that a person has to do, as far as no error says it. */
export function mattersIn(
  plan: DescribedPlan,
  { refused, running, isApplied = false }: Situation,
): Matter[] {
  const { changes, environment } = plan;
  const of = (action: Change["action"]) => changes.filter((one) => one.action === action);
  const left = leftOf(plan);
  const hint = followUpsHint(left, environment);
  return [
    ...(isApplied ? [] : unknownMatters(of("unknown"), plan, running)),
    ...of("missing").map((change) => missingMatter(change, plan)),
    ...of("drift").map(driftMatter),
    ...blockedMatters(of("blocked")),
    ...(isApplied ? [] : waitMatters(plan, refused)),
    ...numberMatters(changes),
    ...(refused ? [] : [...pointMatters(plan), ...keptMatters(of("forget"))]),
    ...webhookMatters(changes),
    ...(left.length === 0 || isApplied ? [] : [matter(hint.words, hint.argv)]),
  ];
}

function unknownMatters(
  changes: readonly Change[],
  plan: DescribedPlan,
  running: boolean,
): Matter[] {
  if (changes.length === 0) return [];
  const keys = changes.map(({ key }) => key);
  if (running) {
    return [
      matter(`Requests of the run in progress: ${listed(keys)}. Their outcomes are not known yet.`),
    ];
  }
  const { words, argv } = unknownHint(keys, plan.environment);
  const [first, ...more] = changes;
  const details =
    more.length === 0 && first
      ? [matter(unknownWords(first, plan))]
      : [
          ...changes.slice(0, mostShown).map((one) => matter(unknownWords(one, plan))),
          ...(changes.length > mostShown
            ? [matter(`and ${changes.length - mostShown} more with an unknown outcome`)]
            : []),
        ];
  return [...details.slice(0, -1), matter(`${details.at(-1)?.words ?? ""} ${words}`, argv)];
}

const mostShown = 10;

/** `front-desk: the outcome of a create is unknown (sent …, HTTP 502). Nothing is sent until …` */
function unknownWords({ key, pending }: Change, { list }: DescribedPlan): string {
  if (pending === undefined) return key;
  const { seen } = pending;
  const answer = seen ? answerWords(seen.status, seen.message) : "no answer was recorded";
  const where = list && `${many(list.menus, "menu")} listed at ${clockTime(list.at)}`;
  const looked = where === undefined ? "" : ` The ${where} do not prove it either way.`;
  return `${key}: the outcome of a ${pending.action} is unknown (sent ${period(pending.sent_at, pending.until)}; ${answer}).${looked} Nothing is sent for it until you resolve this.`;
}

/** How to resolve the unknown outcomes of some menus. */
export function unknownHint(
  keys: readonly string[],
  environment: string,
): { readonly words: string; readonly argv: Argv } {
  return keys.length === 1
    ? {
        words: "To see how to resolve the unknown outcome, run:",
        argv: suggest("state show", keys, environment),
      }
    : {
        words: "To resolve the unknown outcomes one after the other, run:",
        argv: suggest("state resolve", [], environment),
      };
}

function missingMatter({ key, id }: Change, { environment, list }: DescribedPlan): Matter {
  const among = list ? ` (${many(list.menus, "menu")} listed at ${clockTime(list.at)})` : "";
  return matter(
    `${key}: the service does not list menu ${id}${among}. Nothing is sent for it. If the console shows that it is gone, and you want it again, run:`,
    suggest("apply", [], environment, ["--allow", "recreate"]),
  );
}

function driftMatter({ key, before, drift }: Change): Matter {
  const old = { naming: before?.naming ?? { agents: [], recordings: {}, purposes: {} } };
  const now = drift ? withNames(old, drift.naming) : old;
  const places = describeDifferences(drift?.differences ?? [], old, now).map(
    ({ what, before: file, after: seen }) =>
      `${what}: ${seen ?? "nothing"} (file: ${file ?? "nothing"})`,
  );
  return matter(
    `${key} was changed on the console, and the service cannot change it back. Callers reach: ${listed(places)}. Change it back on the console, or write it into the file.`,
  );
}

function blockedMatters(changes: readonly Change[]): Matter[] {
  const keys = changes.map(({ key }) => key);
  if (keys.length === 0) return [];
  const [who, name] = keys.length === 1 ? ["is", "names"] : ["are", "name"];
  return [
    matter(
      `${listed(keys)} ${who} held back, because ${keys.length === 1 ? "it" : "they"} ${name} an agent who is blocked. Name a different agent, or unblock the agent on the console.`,
    ),
  ];
}

/** The phone numbers that stay elsewhere. */
function numberMatters(changes: readonly Change[]): Matter[] {
  return changes.flatMap(({ action, key, reachedBy = [] }) =>
    reachedBy.map((number) =>
      matter(
        action === "forget"
          ? `${phoneText(number)} still leads to ${key}.`
          : `${phoneText(number)} still leads to the ${action === "restore" ? "newer" : "old"} menu of ${key}.`,
      ),
    ),
  );
}

/** The replaced and restored menus that callers reach only when somebody points phone numbers at them. */
function pointMatters({ changes, linked }: DescribedPlan): Matter[] {
  const isOpen = ({ key, reachedBy, after }: Change) =>
    reachedBy === undefined && (!linked.has(key) || after?.naming.numbers !== undefined);
  return (["replace", "restore"] as const).flatMap((action) => {
    const own = changes.filter(
      (one) => one.action === action && one.before !== undefined && isOpen(one),
    );
    const [first, ...more] = own;
    if (first?.after === undefined) return [];
    const where = action === "replace" ? "the new menu" : "the restored menu";
    const old = action === "replace" ? "the old" : "the newer";
    return [
      matter(
        more.length === 0
          ? `Callers of ${first.key} reach ${old} menu until someone points ${numbersOf(first.after.naming)} at ${where}.`
          : `Callers of ${own.length} menus reach ${old} menus until someone points the phone numbers at ${where}s: ${listed(own.map(({ key }) => key))}.`,
      ),
    ];
  });
}

function keptMatters(changes: readonly Change[]): Matter[] {
  return [...groupBy(changes, ({ kept }) => kept)].flatMap(([kept, own]) => {
    const keys = listed(own.map(({ key }) => key));
    if (kept === undefined) return [];
    return [
      matter(
        kept === "not-allowed"
          ? `To delete ${keys} on the service instead, add --allow delete.`
          : `ivrctl cannot delete ${keys}: ${kept === "unidentified" ? "the id is not on record" : "it does not understand the record in the list"}.`,
      ),
    ];
  });
}

function webhookMatters(changes: readonly Change[]): Matter[] {
  return changes.flatMap(({ key, webhooks }) =>
    webhooks.length === 0
      ? []
      : matter(`${key}: the webhook of ${listed(webhooks.map((one) => `key ${one}`))} is removed.`),
  );
}
