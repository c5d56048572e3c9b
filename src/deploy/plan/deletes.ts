import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { listed, many } from "../../util/many.ts";
import { type Hint, suggest, withSentence } from "../../util/suggest.ts";
import { phoneText } from "../../util/phone.ts";
import { numbersOnRecord, unlistedHelp } from "../state/numbers.ts";
import type { StateView } from "../state/state.ts";
import { type Leader, Leaders, addUncertain } from "./leaders.ts";
import type { LiveMenus } from "./live.ts";
import { LiveNumbers } from "./live-numbers.ts";
import { type Change, bindsOf, isCreating, isDeleting } from "./plan.ts";

/**
 * The keys of menus on record that the service does not list. Those that it was asked to delete do
 * not count. They may be gone, or the list may be cut off.
 */
export function missingIn({ keys }: StateView, live: LiveMenus): string[] {
  return [...keys].flatMap(([key, { current, pending }]) => {
    if (!current?.identified || pending?.action === "delete") return [];
    return live.see(current.identified.id, current.payload).kind === "missing" ? key : [];
  });
}

/** The ids of follow-ups whose menus the service does not list, like `missingIn`. */
export function missingFollowUps({ followUps }: StateView, live: LiveMenus): string[] {
  return [...followUps.values()].flatMap(({ id, record: { identified, payload }, pending }) => {
    if (identified === undefined || pending !== undefined) return [];
    return live.see(identified.id, payload).kind === "missing" ? id : [];
  });
}

/** The phone numbers on record that the service does not list. They may be gone, or the list may be cut off. */
export function unlistedNumbers(state: StateView, numbers: LiveNumbers): string[] {
  return [...numbersOnRecord(state)].filter((number) => numbers.find(number).length === 0).sort();
}

interface Input {
  readonly environment: string;
  readonly live: LiveMenus;
  readonly numbers: LiveNumbers;
  readonly state: StateView;
}

/**
 * Reports menus that must not be deleted, because something leads callers to them after the plan.
 * Phone numbers are bound before menus are deleted.
 */
export function guardDeletes(
  changes: readonly Change[],
  { environment, live, numbers, state }: Input,
  diagnostics: Diagnostics,
): void {
  const deleting = changes.filter(isDeleting);
  if (deleting.length === 0) return;
  const unlisted = unlistedNumbers(state, numbers);
  if (unlisted.length > 0) {
    diagnostics.addAt(
      "IVR635",
      { file: "ivrs" },
      `The service does not list ${many(unlisted.length, "phone number")} on record: ${listed(unlisted.map(phoneText))}. So nothing is deleted.`,
      withSentence("A list that is cut off looks like that.", unlistedHelp(unlisted, environment)),
    );
  }
  const updated = new Map(
    changes.flatMap((change) =>
      change.action === "update" ? [[change.id, change.after.payload] as const] : [],
    ),
  );
  const leaders = new Leaders(live, numbersAfter(numbers, changes), updated);
  const rebound = new Set(changes.flatMap(bindsOf).map(({ number }) => number));
  addUncertain(leaders, { state, numbers, rebound });
  for (const change of changes.filter(isCreating)) {
    leaders.addMenu(change.after.payload, { words: `the new menu ${change.key}` });
  }
  const deleted = new Set(deleting.map(({ id }) => id));
  for (const { key, id, followUpOf } of deleting) {
    const found = leaders.to(id, deleted);
    if (found.length === 0) continue;
    diagnostics.addAt(
      "IVR640",
      { file: "ivrs" },
      `\`${key}\` (id ${id}) cannot be deleted, because something leads to it: ${listed(found.map(({ words }) => words))}.`,
      helpFor(found, followUpOf === undefined ? key : undefined, environment),
    );
  }
}

/** What the phone numbers lead to after the binds of a plan. */
function numbersAfter(numbers: LiveNumbers, changes: readonly Change[]): LiveNumbers {
  const bound = new Map(changes.flatMap(bindsOf).map(({ id, after }) => [id, after]));
  const items = numbers.numbers.map((one) => {
    const destination = bound.get(one.id);
    return destination === undefined ? one : { ...one, destination };
  });
  return new LiveNumbers(items, numbers.unreadable, numbers.at);
}

/** How to go on. `key` is undefined for the menu of a follow-up. */
function helpFor(found: readonly Leader[], key: string | undefined, environment: string): Hint {
  const bound = found.flatMap((leader) => leader.bound ?? []);
  if (bound.length === found.length) {
    return {
      words: `A list can lag behind. Look at the console. If ${bound.length === 1 ? "the number leads" : "the numbers lead"} elsewhere, run:`,
      argv: suggest("state resolve", bound, environment, ["--absent"]),
    };
  }
  const elsewhere = "Let phone numbers and other menus lead elsewhere first.";
  return key === undefined
    ? elsewhere
    : {
        words: `${elsewhere} To keep the menu on the service, and delete only its record, run:`,
        argv: suggest("state rm", [key], environment),
      };
}

/**
 * Reports that a list may be cut off, if it lacks menus or the menus of follow-ups. Without a
 * complete list, ivrctl cannot see what leads to a menu.
 */
export function reportCutOff(
  missing: readonly string[],
  followUps: readonly string[],
  environment: string,
  diagnostics: Diagnostics,
): void {
  const report = (ids: readonly string[], what: string, command: string) => {
    if (ids.length === 0) return;
    diagnostics.addAt(
      "IVR635",
      { file: "ivrs" },
      `The service does not list ${many(ids.length, what)} on record: ${listed(ids)}. So nothing is deleted.`,
      {
        words: `A list that is cut off looks like that, and a menu that is not in it may lead to one that you delete. Check on the console that ${ids.length === 1 ? "it is" : "they are"} gone. Then run:`,
        argv: suggest(command, ids, environment),
      },
    );
  };
  report(missing, "menu", "state rm");
  report(followUps, "old menu", "state done");
}
