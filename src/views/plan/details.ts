import { differences } from "../../deploy/plan/digest.ts";
import type { Action, Change, MenuContent } from "../../deploy/plan/plan.ts";
import { maskedLabel, maskedTexts } from "./masks.ts";
import { needsId } from "../../deploy/state/records.ts";
import { type Argv, commandText, suggest } from "../../util/suggest.ts";
import type { Confirmed, Pending } from "../../schema/state.ts";
import { answerWords } from "../text.ts";
import { period, second } from "../../util/time.ts";
import { replaceTexts, restoreTexts } from "./reached.ts";
import { boundNumbers, numberParts } from "./numbers.ts";
import { meanwhileWords, waitWords } from "./waiting.ts";
import {
  createdAgain,
  deletedOnService,
  driftParts,
  driftPlaces,
  forgetTexts,
  linkNotes,
  lookedLines,
  missingLines,
  onConsole,
  updateTexts,
} from "./on-service.ts";
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
import { type MenuLine, describeDifference, menuLines, pathsOf } from "./words.ts";

/** The parts of a change. What callers notice comes first. */
export function partsOf(change: AnyChange, outlook: Outlook): Part[] {
  return [...contentParts(change, outlook), ...numberParts(change)];
}

function contentParts(change: AnyChange, outlook: Outlook): Part[] {
  switch (change.action) {
    case "create":
      return [wholeMenu(change.action, change.after, linesOf(menuLines(change.after)))];
    case "replace":
      return change.before === null
        ? [wholeMenu(change.action, change.after, linesOf(menuLines(change.after)))]
        : [...changedParts(change.before, change.after), ...driftParts(change, change.before)];
    case "update":
      return [
        ...changedParts(change.before, change.after, "update"),
        ...driftParts(change, change.before),
      ];
    case "drift":
      return driftParts(change, change.before);
    case "missing":
      return [
        {
          id: partId(change.action, change.key),
          details: missingLines(change, outlook),
        },
      ];
    case "move":
      return [{ id: change.action, details: [] }];
    case "bind":
      return [];
    case "forget":
      return [
        change.before === null
          ? { id: change.action, details: [] }
          : wholeMenu(
              change.action,
              change.before,
              linesOf(pathsOf(change.before)),
              // Menus that are kept for other reasons have other notes.
              "kept" in change ? change.kept : "gone" in change,
            ),
      ];
    case "delete":
      return [
        wholeMenu(change.action, change.before, linesOf(pathsOf(change.before))),
        ...driftParts(change, change.before),
      ];
    case "restore":
      return change.before === undefined
        ? [{ id: partId(change.action, change.key), details: [] }]
        : changedParts(change.before, change.after, change.action);
    case "waiting":
      return [waitingPart(change, contentOf(outlook).changes)];
    case "unknown":
      return [
        {
          id: partId(change.action, change.key),
          details: unknownLines(change, outlook),
        },
      ];
  }
}

/** What happens to callers of one menu, or of several menus with the same change. */
export function notesOf(change: AnyChange, outlook: Outlook, count: 1 | "several"): Detail[] {
  const [one, several] = noteTexts(change, outlook);
  const text = count === 1 ? one : several;
  const links = outlook.kind === "plan" ? linkNotes(change) : [];
  return text === undefined ? links : [...links, note(text)];
}

function noteTexts(change: AnyChange, outlook: Outlook): readonly [one?: string, several?: string] {
  const isPlan = outlook.kind === "plan";
  switch (change.action) {
    case "replace":
      if (change.before === null) return wasInvalid;
      return isPlan ? replaceTexts(change, outlook.plan) : [];
    case "move":
      if ("bind" in change) return onlyKeyAndNumbers;
      return isPlan ? onlyKeyUnsent : onlyKey;
    case "bind":
      return onlyNumbers;
    case "forget":
      return isPlan ? forgetTexts(change) : deleted;
    case "delete":
      return deletedOnService;
    case "restore":
      return restoreTexts(change);
    case "update":
      return updateTexts(change);
    case "drift":
      return onConsole;
    case "create":
      return change.action === "create" && "recreates" in change ? createdAgain : [];
    case "missing":
    case "waiting":
    case "unknown":
      return [];
  }
}

const onlyKey = ["Only the menu key changes.", "Only the menu keys change."] as const;
const onlyKeyUnsent = [
  "Only the menu key changes. Nothing is sent.",
  "Only the menu keys change. Nothing is sent.",
] as const;
const onlyKeyAndNumbers = [
  "Only the menu key and what the phone numbers lead to change.",
  "Only the menu keys and what the phone numbers lead to change.",
] as const;
const onlyNumbers = [
  "The menu stays as it is. Callers of the number notice it at once.",
  "The menus stay as they are. Callers of the numbers notice it at once.",
] as const;
const deleted = ["The file was deleted.", "The files were deleted."] as const;
const wasInvalid = [
  "The old file was invalid, so the whole menu is shown.",
  "The old files were invalid, so the whole menu is shown.",
] as const;

/** A menu as a whole. Menus that differ only in their names have the same part. */
function wholeMenu(
  action: Action,
  { payload }: MenuContent,
  details: Detail[],
  notes: unknown = null,
): Part {
  const { name, description, ...content } = payload;
  const shared = details.map(({ label, ...own }) => ({ label: maskedLabel(label, name), ...own }));
  return { id: partId(action, content, shared, notes), details, shared };
}

/** A menu that waits: what it becomes, what it waits for, and what callers reach until then. */
function waitingPart(
  change: Extract<Change, { action: "waiting" }>,
  all: readonly AnyChange[],
): Part {
  const { before, after, waitsFor, action } = change;
  const parts =
    before === null
      ? [wholeMenu(action, after, linesOf(menuLines(after)))]
      : [...changedParts(before, after), ...driftParts(change, before)];
  const waits = [
    ...waitsFor.map((one): Detail => ({ label: "waits for", text: waitWords(one, all) })),
    note(meanwhileWords(change)),
  ];
  return {
    id: partId(action, waits, ...parts.map(({ id }) => id)),
    details: [...parts.flatMap(({ details }) => details), ...waits],
    shared: [...parts.flatMap(({ details, shared = details }) => shared), ...waits],
  };
}

/** Two agents can have the same name, so the words alone do not identify a part. */
function changedParts(
  old: MenuContent,
  now: MenuContent,
  action: "replace" | "restore" | "update" = "replace",
): Part[] {
  return differences(old.payload, now.payload).map((difference) => {
    const described = describeDifference(difference, old, now);
    const detail = { label: described.what, text: changeWords(described) };
    const alike = maskedTexts(difference, old.payload.name, now.payload.name);
    const shared = {
      label: maskedLabel(described.what, now.payload.name),
      text: alike === undefined ? detail.text : changeWords(alike),
    };
    return {
      id: partId(action, difference.field, alike ?? difference, shared),
      details: [detail],
      shared: [shared],
    };
  });
}

function linesOf(lines: readonly MenuLine[]): Detail[] {
  return lines.map(({ place, leads }) => ({ label: place, text: leads }));
}

function unknownLines(change: Extract<Change, { action: "unknown" }>, outlook: Outlook): Detail[] {
  const { key, before, pending, file } = change;
  const { environment } = contentOf(outlook);
  return [
    ...lookForLines(before, pending),
    ...lookedLines(change, outlook),
    ...fileNotes[file],
    ...resolveCommands(key, environment, pending.action).map(({ when, argv }): Detail => ({
      label: when,
      text: commandText(argv),
      argv,
    })),
  ];
}

/** When a create with an unknown outcome was sent, and what to look for on the console. */
export function lookForLines(before: Confirmed | null, pending: Pending): Detail[] {
  const { seen } = pending;
  const paths = pathsOf(pending).map(({ place, leads }) => `${place} → ${leads}`);
  return [
    {
      label: needsId(pending) ? `${pending.action} sent` : "sent",
      text: period(pending.sent_at, pending.until),
    },
    { label: "answer", text: seen ? answerWords(seen.status, seen.message) : "none was recorded" },
    {
      label: "look for",
      text: `“${pending.payload.name}”${idOf(before, pending)} on the console, with ${paths.join(", ")}`,
    },
    ...(before === null || needsId(pending) ? [] : oldMenuDetails(before, pending)),
  ];
}

/** The id of a menu that was to be deleted. Another menu can have the same name. */
function idOf(before: Confirmed | null, { action }: Pending): string {
  const id = before?.identified?.id;
  return action === "delete" && id !== undefined ? ` (id ${id})` : "";
}

/** The commands that resolve an unknown outcome, and when to use each. */
export function resolveCommands(
  key: string,
  environment: string,
  action: string = "create",
): { readonly when: string; readonly argv: Argv }[] {
  const resolve = (fate: string) => suggest("state resolve", [key], environment, [fate]);
  if (action === "delete") {
    return [
      { when: "If it is not on the console any more", argv: resolve("--absent") },
      {
        when: "If it is still there (it can be deleted again)",
        argv: resolve("--created"),
      },
    ];
  }
  if (action === "update") {
    return [
      { when: "If the console shows this content", argv: resolve("--created") },
      { when: "If not (the next plan offers the update again)", argv: resolve("--absent") },
    ];
  }
  return [
    { when: "If it is on the console", argv: resolve("--created") },
    { when: "If it is not (the next apply sends it again)", argv: resolve("--absent") },
  ];
}

/** What is not known after a request without an outcome. */
export function doubtWords(action: string): string {
  if (action === "update") return "The menu exists, but the update may or may not have arrived.";
  if (action === "delete") return "The delete may or may not have arrived.";
  return "The menu may or may not exist.";
}

/** Describes the old menu of a replace, so that a person does not mistake it for the new one. */
function oldMenuDetails(before: Confirmed, pending: MenuContent): Detail[] {
  return [
    {
      label: "note",
      text: `The old menu, “${before.payload.name}”, created ${second(before.created_at)} UTC, is on the console too. The new one differs in:`,
    },
    ...changedParts(before, pending)
      .flatMap(({ details }) => details)
      .map(({ label, text }) => ({ label: "", text: `${label}: ${text}` })),
  ];
}

const fileNotes: Readonly<Record<"same" | "changed" | "gone", Detail[]>> = {
  same: [],
  changed: [note("The file has changed since. Nothing is sent until you resolve this outcome.")],
  gone: [note("The file was deleted.")],
};

/** The places of a menu that change: `key 2 (Billing), timeout.wait`. Empty if the whole menu is new or gone. */
export function changedPlaces(change: AnyChange): string {
  if (change.action === "move") return `from ${change.movedFrom}`;
  if (change.action === "waiting") {
    return `waits for ${change.waitsFor.map(({ key }) => key).join(", ")}`;
  }
  if (change.action === "drift") return driftPlaces(change.drift, change.before);
  const numbers = boundNumbers(change);
  const isChange = change.action === "replace" || change.action === "update";
  if (!isChange || change.before === null) return numbers;
  const drift = "drift" in change ? driftPlaces(change.drift, change.before) : "";
  return changedParts(change.before, change.after)
    .flatMap(({ details }) => details.map(({ label }) => label))
    .concat([drift, numbers].filter((part) => part !== ""))
    .join(", ");
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
