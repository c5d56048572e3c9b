import { subjectText } from "../../schema/ref.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import { describeList } from "../../deploy/listed/reconcile.ts";
import { outcomeText } from "../../deploy/state/records.ts";
import { shorten } from "../../util/nearest.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { destinationsOf } from "../../model/menu.ts";
import { changedFields } from "../../model/menu-diff.ts";
import { noticedBy, toPoint } from "../../reach/findings.ts";
import { isUnheard } from "../../reach/instance.ts";
import { callerLines, follows } from "./caller-lines.ts";

/** What only follows from the changes, one sentence for each kind. */
export function followingLines(plan: Plan, isPlan: boolean): string[] {
  const { changes } = plan;
  const keysOf = (some: readonly Change[]) => some.map(({ key }) => key);
  const unheard = onlyUnheard(plan);
  const unheardKeys = new Set(keysOf(unheard));
  const links = consequences(plan).filter(({ key }) => !unheardKeys.has(key));
  const [corrected, renewed] = byReason(links, changes);
  const moved = changes.filter(({ movedFrom }) => movedFrom !== undefined);
  const numbers = changes.flatMap((change) =>
    change.bind.filter((binding) => follows(binding, change)),
  );
  const deleted = isPlan ? changes.filter(({ action }) => action === "delete") : [];
  const sentences: [names: readonly string[], one: string, several: string][] = [
    [
      keysOf(corrected),
      "menu is sent again because the recorded id of a menu it links to has changed",
      "menus are sent again because the recorded ids of menus they link to have changed",
    ],
    [
      keysOf(renewed.filter(({ action }) => action !== "update")),
      "menu is replaced because the menu it links to is",
      "menus are replaced because the menus they link to are",
    ],
    [
      keysOf(renewed.filter(({ action }) => action === "update")),
      "menu is updated because the menu it links to gets a new id",
      "menus are updated because the menus they link to get new ids",
    ],
    [
      keysOf(unheard),
      "menu gets a new name or description, which callers do not notice",
      "menus get new names or descriptions, which callers do not notice",
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
    ...recordingLines(plan, isPlan),
    ...(isPlan ? laterLine(plan) : []),
    ...sentences.flatMap(([names, one, several]) =>
      names.length === 0
        ? []
        : `${names.length} ${names.length === 1 ? one : several}: ${listed(names)}`,
    ),
    ...learnedLines(plan),
  ];
}

/** The recordings that apply makes first, and how long that may take. */
function recordingLines({ changes, recordingTimeout = 0 }: Plan, isPlan: boolean): string[] {
  const toMake = changes.flatMap(({ action, name, recording }) =>
    action === "record" && recording ? { name, ...recording } : [],
  );
  if (toMake.length === 0) return [];
  const what = toMake.map(({ name, data, language, usedBy }) => {
    const spoken = language === undefined ? "" : ` (${language})`;
    return `${name} “${shorten(data)}”${spoken}, used by ${many(usedBy.length, "menu")}`;
  });
  const it = toMake.length === 1 ? "it is" : "they are";
  const waits = `Apply waits until ${it} ready, at most ${minutes(recordingTimeout)}.`;
  const lead = `${many(toMake.length, "recording")} to make: ${listed(what, 12)}`;
  return [isPlan ? `${lead}. ${waits}` : lead];
}

function minutes(seconds: number): string {
  return seconds % 60 === 0 ? many(seconds / 60, "minute") : many(seconds, "second");
}

/** Says that apply alone changes nothing for callers, because the service cannot point numbers. */
function laterLine({ changes, worlds, knownState, seen }: Plan): string[] {
  if (seen.lists.numbers || toPoint(worlds).every(({ makes }) => !makes)) return [];
  const noticed = noticedBy(worlds);
  const changed = changes.filter((change) => callerLines(change, knownState.recordings).length > 0);
  const when = new Set(changed.map(({ key }) => noticed(key)));
  return when.has("later") && !when.has("apply")
    ? ["Callers notice this only when a person has pointed the phone numbers to the new menus."]
    : [];
}

/** The menus of which only what callers do not hear changes. */
function onlyUnheard({ changes, knownState }: Plan): Change[] {
  return changes.filter((change) => {
    const { before, after, drift } = change;
    if (!before || !after || callerLines(change, knownState.recordings).length > 0) return false;
    return changedFields((drift ?? before).menu, after).some(({ row }) => isUnheard(row));
  });
}

/** The menus that change only because the menus that they link to get new ids. */
function consequences({ changes, knownState }: Plan): Change[] {
  const kinds = new Set(["replace", "update", "waiting"]);
  return changes.filter(
    (change) => kinds.has(change.action) && callerLines(change, knownState.recordings).length === 0,
  );
}

/** The menus that link to a menu whose recorded id has changed, by a person or an earlier apply, and those that link to one that will have a new id. */
function byReason(links: readonly Change[], changes: readonly Change[]): [Change[], Change[]] {
  const newIds = new Set(
    changes.flatMap(({ key, action }) => (action === "update" || action === "bind" ? [] : key)),
  );
  const isRenewed = ({ after }: Change) =>
    after === undefined ||
    destinationsOf(after).some((to) => to.kind === "menu" && newIds.has(to.key ?? ""));
  return [links.filter((change) => !isRenewed(change)), links.filter(isRenewed)];
}

/** What apply records because the list of the service proves it. */
function learnedLines({ list, learned = [] }: Plan): string[] {
  if (list === undefined) return [];
  const source = `the service (${describeList({ count: list.menus, at: list.at })})`;
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
