import { destinationWords, recordingName } from "../model/field-words.ts";
import type { EntryWithEffects } from "../deploy/state/history.ts";
import type { StateHistoryContent } from "../schema/output/state-output.ts";
import { subjectText } from "../schema/ref.ts";
import type { Entry } from "../schema/state.ts";
import { menuJson } from "./menu-json.ts";
import type { ResultIn } from "./result.ts";
import { outcomeText } from "../deploy/state/records.ts";
import { describeAnswer } from "../util/answer.ts";
import { visible } from "./terminal.ts";
import { wrap } from "./text.ts";
import { phoneText } from "../util/phone.ts";
import { second } from "../util/time.ts";

/** Who did what and when, the oldest event first, in every format. */
export function historyResult(
  environment: string,
  entries: readonly EntryWithEffects[],
): ResultIn<"json"> {
  return {
    text: ({ wordWrap }) => historyText(entries, wordWrap),
    formats: { json: () => historyJson(environment, entries) },
  };
}

export function historyJson(
  environment: string | null,
  entries: readonly EntryWithEffects[] = [],
): StateHistoryContent {
  return { environment, entries: entries.map(({ entry }) => entryJson(entry)) };
}

function entryJson(entry: Entry): StateHistoryContent["entries"][number] {
  const { event } = entry;
  return { ...entry, event: "menu" in event ? { ...event, menu: menuJson(event.menu) } : event };
}

/** The maximum width of the column of names. Longer names are not aligned. */
const maxWho = 24;

function historyText(entries: readonly EntryWithEffects[], columns: number): string {
  const names = entries.map(({ entry }) => visible(entry.by));
  const width = Math.min(
    names.reduce((widest, { length }) => Math.max(widest, length), 0),
    maxWho,
  );
  return entries
    .map((change, at) => {
      const lead = `${second(change.entry.at)} UTC  ${(names[at] ?? "").padEnd(width)}  `;
      const { event } = change.entry;
      const proof = "evidence" in event ? describeEvidence(event.evidence) : "";
      const text = visible(describeEntry(change) + proof);
      return `${lead}${wrap(text, hanging, columns, lead.length - hanging.length).trimStart()}\n`;
    })
    .join("");
}

/** The indentation of wrapped lines, so that the times stay visible. */
const hanging = " ".repeat("2026-11-15 04:10:00 UTC".length + 4);

/** What an event did, without its evidence. */
export function describeEntry({ entry, opened, closed, text }: EntryWithEffects): string {
  const { event } = entry;
  const followUp = (menu: string) =>
    opened === undefined ? "" : `; ${menu} is follow-up ${opened.id}`;
  const left = followUp("the old menu");
  switch (event.kind) {
    case "begun": {
      const how =
        event.recovered === undefined ? "initialized" : "initialized again after it was lost";
      return `state ${event.id} of ${event.environment} ${how} (service: ${event.address})`;
    }
    case "absent":
      return `${event.key}: not on the service`;
    case "completed":
      return "The recovered state is complete";
    case "intent":
      return event.action === "bind"
        ? `${event.key}: about to bind ${phoneText(event.number)} (it points to ${event.before ? destinationWords(event.before) : "nothing"})`
        : event.action === "record"
          ? `${subjectText(event)}: about to make it from “${event.make.data}”`
          : `${subjectText(event)}: about to ${event.action} “${event.menu.name}”`;
    case "outcome": {
      const word = event.as === "unknown" ? "outcome unknown" : outcomeText(event);
      return event.how === "answer"
        ? `${subjectText(event)}: ${word} (${describeAnswer(event.status, event.message)})${left}`
        : `${subjectText(event)}: resolved as ${word}${left}`;
    }
    case "created-after-all":
      return event.as === "current"
        ? `${event.key}: created (${describeAnswer(event.status, event.message)}), although it was recorded as not created${left}`
        : `${event.key}: a second menu “${event.menu.name}” was created (${describeAnswer(event.status, event.message)}), although it was recorded as not created${followUp("the second menu")}`;
    case "moved":
      return `${event.from}: record moved to ${event.key}`;
    case "named":
      return `${event.key}: names in the record updated; nothing was sent`;
    case "text": {
      const name = recordingName({ id: event.recording, alias: event.alias });
      const [was, is] = [text?.before?.open?.follow_up, text?.after.open?.follow_up];
      const next = is === undefined ? "" : `; record it again (follow-up ${is})`;
      const done = was === undefined || is !== undefined ? "" : `; follow-up ${was} marked as done`;
      return `${name}: its text is “${event.says}”${next}${done}`;
    }
    case "removed":
      return `${event.key}: its file was deleted${followUp("the menu")}`;
    case "restored":
      return opened === undefined
        ? `${event.key}: its file is back; follow-up ${event.follow_up} marked as done`
        : `${event.key}: rolled back to the menu of follow-up ${event.follow_up}${followUp("the other menu")}`;
    case "done":
      return `${closed?.key ?? (text ? recordingName(text.after) : "?")}: follow-up ${event.follow_up} marked as done`;
    case "adopted":
      return `${event.key}: recorded “${event.menu.name}”`;
    case "changed-on-console":
      return `${event.key}: changed on the console to what the file says`;
    case "dropped":
      if (event.recording) return `${subjectText(event)}: not on the service`;
      return `${event.key}: record deleted${event.evidence === undefined ? "; the service keeps the menu" : ""}`;
    case "identified": {
      const whose = event.follow_up === null ? "" : `the menu of follow-up ${event.follow_up} `;
      const from = event.how === "list" ? " (from the service's list)" : "";
      return event.recording
        ? `${subjectText(event)} is ready, with the id ${event.id}`
        : `${event.key}: ${whose}has the id ${event.id}${from}`;
    }
    case "number-seen": {
      const word = event.as === "bound" ? "points" : "does not point";
      return `${subjectText(event)} ${word} to this menu`;
    }
    case "pointed":
      return `${event.key}: ${phoneText(event.number)} points to this menu`;
    case "applied":
      return `Applying commit ${event.commit.slice(0, 7)}${event.modified ? ", with changes that are not committed" : ""}`;
    case "rebound":
      return `The state now belongs to ${event.address}`;
  }
}

function describeEvidence(evidence: string | null | undefined): string {
  if (evidence === undefined) return "";
  return evidence === null ? "; no evidence given" : `; evidence: ${evidence}`;
}
