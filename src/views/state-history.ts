import { describeWireDestination } from "../call/words.ts";
import type { EntryWithEffects } from "../deploy/state/history.ts";
import type { StateHistoryContent } from "../schema/output/state.ts";
import type { StateEvent } from "../schema/state.ts";
import type { Result } from "../cli/result.ts";
import { isRequest } from "../deploy/state/records.ts";
import { answerText } from "./state.ts";
import { visible } from "./terminal.ts";
import { wrap } from "./text.ts";
import { phoneText } from "../util/phone.ts";
import { second } from "../util/time.ts";

interface Shown {
  readonly environment: string | null;
  readonly entries: readonly EntryWithEffects[];
}

/** Who did what and when, the oldest event first, in every format. */
export function historyResult({ environment, entries }: Shown, hasErrors: boolean): Result {
  return {
    text: ({ wordWrap }) => historyText(entries, wordWrap),
    notes:
      entries.length > 0 || hasErrors
        ? ""
        : `The environment ${environment} has no history yet: nothing has been applied.\n`,
    json: (): StateHistoryContent => ({ environment, entries: entries.map(({ entry }) => entry) }),
  };
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
    .map((one, at) => {
      const lead = `${second(one.entry.at)} UTC  ${(names[at] ?? "").padEnd(width)}  `;
      const text = visible(describeEntry(one));
      return `${lead}${wrap(text, hanging, columns, lead.length - hanging.length).trimStart()}\n`;
    })
    .join("");
}

/** The indentation of wrapped lines, so that the times stay visible. */
const hanging = " ".repeat("2026-11-15 04:10:00 UTC".length + 4);

function describeEntry({ entry, opened, closed, request }: EntryWithEffects): string {
  const { event } = entry;
  const not = request === "update" || request === "delete" ? `not ${request}d` : "not created";
  const followUp = (menu: string) =>
    opened === undefined ? "" : `; ${menu} is follow-up ${opened.id}`;
  const left = followUp("the old menu");
  // A request can be about the menu of a follow-up.
  const whose =
    isRequest(event) && event.follow_up !== undefined
      ? `${event.key}: follow-up ${event.follow_up}`
      : "key" in event
        ? event.key
        : "";
  switch (event.kind) {
    case "begun": {
      const how = event.recovered === undefined ? "begun" : "begun again after it was lost";
      return `state ${event.id} of ${event.environment} ${how} (service: ${event.address})`;
    }
    case "absent":
      return `${event.key}: not on the service${proof(event.evidence)}`;
    case "completed":
      return "the recovered state is complete";
    case "intent":
      return `${whose}: about to ${event.action} “${event.payload.name}”`;
    case "created":
      return `${whose}: created (${answerText(event.status, event.message)})${left}`;
    case "updated":
      return `${whose}: updated (${answerText(event.status, event.message)})`;
    case "deleted":
      return `${whose}: deleted (${answerText(event.status, event.message)})`;
    case "failed":
      return `${whose}: ${not} (${answerText(event.status, event.message)})`;
    case "not-processed":
      return `${whose}: ${not} (${answerText(event.status, event.message)}); can be tried again`;
    case "unknown":
      return `${whose}: outcome unknown (${answerText(event.status, event.message)})`;
    case "resolved":
      return `${whose}: resolved as ${resolvedWords[event.as]}${left}${proof(event.evidence)}`;
    case "created-after-all":
      return event.as === "current"
        ? `${event.key}: created (${answerText(event.status, event.message)}), although it was recorded as not created${left}`
        : `${event.key}: a second menu “${event.payload.name}” was created (${answerText(event.status, event.message)}), although it was recorded as not created${followUp("the second menu")}`;
    case "moved":
      return `${event.from}: record moved to ${event.key}`;
    case "named":
      return `${event.key}: names in the record updated; nothing was sent`;
    case "removed":
      return `${event.key}: its file was deleted${followUp("the menu")}`;
    case "restored":
      return opened === undefined
        ? `${event.key}: its file is back; follow-up ${event.follow_up} marked as done`
        : `${event.key}: rolled back to the menu of follow-up ${event.follow_up}${followUp("the other menu")}`;
    case "done":
      return `${closed?.key ?? "?"}: follow-up ${event.follow_up} marked as done${proof(event.evidence)}`;
    case "adopted":
      return `${event.key}: adopted “${event.payload.name}”${proof(event.evidence)}`;
    case "changed-on-console":
      return `${event.key}: changed on the console to what the file says${proof(event.evidence)}`;
    case "dropped":
      return `${event.key}: record deleted${event.evidence === undefined ? "" : proof(event.evidence)}`;
    case "identified": {
      const whose = event.follow_up === null ? "" : `the menu of follow-up ${event.follow_up} `;
      const from = event.how === "list" ? " (from the service's list)" : "";
      return `${event.key}: ${whose}has the id ${event.id}${from}${proof(event.evidence)}`;
    }
    case "bind-intent":
      return `${event.key}: about to bind ${phoneText(event.number)} (it points to ${reachedText(event.before)})`;
    case "bound":
    case "not-bound":
    case "bind-unknown":
      return `${event.key}: ${phoneText(event.number)} ${bindWords[event.kind]} (${answerText(event.status, event.message)})`;
    case "bind-resolved":
      return `${event.key}: ${phoneText(event.number)} resolved as ${bindWords[event.as]}${proof(event.evidence)}`;
    case "rebound":
      return `state now belongs to ${event.address}${proof(event.evidence)}`;
  }
}

/** The history does not know the names of agents. */
function reachedText(destination: string | null): string {
  return destination === null
    ? "nothing"
    : describeWireDestination(destination).replace(/^(?:extension|agent)\|\|/, "extension ");
}

const bindWords = {
  bound: "bound",
  "not-bound": "not bound",
  "bind-unknown": "outcome unknown",
} as const;

const resolvedWords: Readonly<Record<Extract<StateEvent, { kind: "resolved" }>["as"], string>> = {
  created: "created",
  absent: "not created",
  updated: "updated",
  "not-updated": "not updated",
  deleted: "deleted",
  "not-deleted": "not deleted",
};

function proof(evidence: string | null): string {
  return evidence === null ? "; no evidence given" : `; evidence: ${evidence}`;
}
