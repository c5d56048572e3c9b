import { type OpenRequest, isLost, needsId } from "../deploy/state/records.ts";
import { changedFields } from "../model/menu-diff.ts";
import { describeChange } from "../model/field-words.ts";
import type { EntryWithEffects } from "../deploy/state/history.ts";
import { recordedLinks } from "../deploy/state/inbound-links.ts";
import type { Fate, Subject } from "../deploy/state/resolve.ts";
import {
  type StateView,
  followUpRecord,
  liveRecord,
  recordsOf,
  creationTime,
} from "../deploy/state/view.ts";
import { menuRef, nameIn } from "../schema/ref.ts";
import type { Confirmed, Pending } from "../schema/state.ts";
import { followUpLines } from "./follow-ups.ts";
import { arrow } from "./plan/field-names.ts";
import { describeEntry } from "./state-history.ts";
import { pendingLines } from "./state-lists.ts";
import { type Terminal, visible } from "./terminal.ts";
import { phoneText } from "../util/phone.ts";
import { type LabelledLine, labelled } from "./text.ts";
import { period } from "../util/time.ts";

/** What a command recorded, one line for each event. */
export function changedText(entries: readonly EntryWithEffects[]): string {
  return entries
    .filter(({ entry }) => entry.event.kind !== "begun")
    .map((change) => {
      const { event } = change.entry;
      const isOpen =
        event.kind === "absent" ||
        ("as" in event && (event.as === "not-done" || event.as === "not-bound"));
      const next = isOpen ? "; the next plan offers it again" : "";
      return `${visible(describeEntry(change) + next)}.\n`;
    })
    .join("");
}

/** Notes about records that may be the same menu as one that had no record. */
export function alikeText({ content }: Subject, state: StateView): string {
  const name = content?.name;
  return recordsOf(state, "menu")
    .filter(
      ({ current, pending }) => name && [current, pending].some((menu) => menu?.menu.name === name),
    )
    .map(({ key }) => visible(`Note: ${key} also has a record with the name “${name}”.`) + "\n")
    .join("");
}

export function rmQuestion(keys: readonly string[], state: StateView, environment: string): string {
  const linksTo = recordedLinks(state);
  const lines = keys.map((key) => {
    const current = liveRecord(state, menuRef(key));
    const menuText = current && `  “${current.menu.name}”, ${creationTime(current)}`;
    const sources = current ? linksTo(current) : [];
    const linked = sources.length === 0 ? "" : `. Menus that link to it: ${sources.join(", ")}`;
    return visible(`  ${key}${menuText ?? ""}${linked}`);
  });
  const [what, menus] =
    keys.length === 1 ? ["this record", "menu"] : [`these ${keys.length} records`, "menus"];
  return [
    ...lines,
    `The service keeps the ${menus}, and no follow-up reminds you.`,
    `Delete ${what} from the state of ${environment}?`,
  ].join("\n");
}

/** What to ask about a request with an unknown outcome. */
export function outcomeQuestion({ action }: Pick<OpenRequest, "action">): string {
  if (action === "update") return "Does the console show this content?";
  return action === "delete" ? "Is it still on the console?" : "Is it on the console?";
}

/** What to look for on the console. */
export function unknownText(
  { ref, current, pending, made }: Subject,
  { number, of }: { readonly number: number; readonly of: number },
  { style, prose }: Pick<Terminal, "style" | "prose">,
): string {
  if (made?.pending) {
    const { sent_at: from, until, make } = made.pending;
    const title = `${number} of ${of}: ${style("bold", visible(nameIn(ref)))}  recording`;
    const sent = ["sent", period(from, until)] as const;
    const text = ["made from", visible(`“${make.data}”`)] as const;
    return [title, ...labelled([sent, text], prose), ""].join("\n");
  }
  if (pending === null) return "";
  const what = isLost(pending.seen?.message) ? "not recorded" : pending.action;
  const title = `${number} of ${of}: ${style("bold", visible(nameIn(ref)))}  “${visible(pending.menu.name)}”, ${what}`;
  const old = current === null || needsId(pending) ? [] : oldMenuLines(current, pending);
  const lines = [...pendingLines(current, pending), ...old];
  const gap = number > 1 ? "\n" : "";
  return gap + [title, ...labelled(lines, prose), ""].join("\n");
}

/** Describes the old menu of a replace, so that a person does not mistake it for the new one. */
function oldMenuLines(before: Confirmed, pending: Pending): LabelledLine[] {
  return [
    [
      "note",
      visible(
        `The old menu, “${before.menu.name}”, ${creationTime(before)}, is on the console too. The new one differs in:`,
      ),
    ],
    ...changedFields(before.menu, pending.menu).map((change): LabelledLine => {
      const { what, before: was, after: is } = describeChange(change);
      return ["", visible(`${what}: ${arrow(was, is)}`)];
    }),
  ];
}

export function resolveQuestion(
  subjects: readonly Subject[],
  fate: Fate,
  environment: string,
): string {
  const lines = subjects.map(({ ref, pending, content, id }) => {
    const name = (pending?.menu ?? content)?.name;
    const isSent = pending && !isLost(pending.seen?.message);
    const how = isSent ? `sent ${period(pending.sent_at, pending.until)}` : "without a record";
    const nameText = name === undefined ? "" : `  “${name}”, ${how}`;
    return visible(`  ${nameIn(ref)}${nameText}${id === undefined ? "" : `, id ${id}`}`);
  });
  const what = subjects.length === 1 ? "this menu" : `these ${subjects.length} menus`;
  const shows = fate === "created" ? "shows" : "does not show";
  return [
    ...lines,
    `Record in the state of ${environment} that the console ${shows} ${what}?`,
  ].join("\n");
}

/** A phone number, and the menu to which a person has pointed it. */
export interface Pointed {
  readonly key: string;
  readonly number: string;
}

export function doneQuestion(
  { ids, pointed }: { readonly ids: readonly string[]; readonly pointed: readonly Pointed[] },
  state: StateView,
  environment: string,
  { columns }: Pick<Terminal, "columns">,
): string {
  const [what, menus] =
    ids.length === 1
      ? ["this follow-up", "the old menu is"]
      : [`these ${ids.length} follow-ups`, "all of the old menus are"];
  const numbers = pointed.map(({ key, number }) => {
    const current = liveRecord(state, menuRef(key));
    const name = current ? `“${current.menu.name}”, ${creationTime(current)}` : "";
    return visible(`  ${phoneText(number)}  ${key}  ${name}`);
  });
  const asked = [
    ...numbers,
    "Continue only if these phone numbers point to these menus on the console.",
  ];
  if (ids.length === 0) {
    return [...asked, `Record that in the state of ${environment}?`].join("\n");
  }
  return [
    ...(numbers.length > 0 ? asked : []),
    ...followUpLines(
      ids.flatMap((id) => followUpRecord(state, id) ?? []),
      columns,
    ),
    `Continue only if ${menus} out of service.`,
    `Mark ${what} as done in the state of ${environment}?`,
  ].join("\n");
}
