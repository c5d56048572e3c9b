import { isLost, type MenuRequest, needsId } from "../deploy/state/records.ts";
import { suggest } from "../util/suggest.ts";
import type { Matter } from "../deploy/reasons/kinds.ts";
import { resolveCommands } from "../deploy/reasons/resolving.ts";
import { nameIn, subjectRef } from "../schema/ref.ts";
import { State } from "../deploy/state/state.ts";
import {
  type StateView,
  menuRecord,
  openFollowUps,
  openTexts,
  recordsOf,
  sortedMenus,
} from "../deploy/state/view.ts";
import type { Lock } from "../deploy/state/lock.ts";
import { destinationWords, fieldName, fieldWords } from "../model/field-words.ts";
import type { Menu } from "../model/menu.ts";
import { fieldsIn } from "../model/menu-diff.ts";
import type {
  RecordedOutput,
  StateListContent,
  StateShowContent,
} from "../schema/output/state-output.ts";
import { recordingTexts, recordingsJson, recordingsTable } from "./made-recordings.ts";
import type { Confirmed, FollowUp, MenuRecord, Pending, PendingBind } from "../schema/state.ts";
import type { ResultIn } from "./result.ts";
import { describeAnswer } from "../util/answer.ts";
import { followUpsText } from "./follow-ups.ts";
import { menuJson } from "./menu-json.ts";
import { followUpJson, stateMoment } from "./plan/plan-json.ts";
import { describePaths } from "./plan/field-names.ts";
import { type Page, visible } from "./terminal.ts";
import { matterLines, mattersJson } from "./matter-lines.ts";
import { type LabelledLine, labelled, table } from "./text.ts";
import { phoneText } from "../util/phone.ts";
import { minute, period, second } from "../util/time.ts";

interface StateReport {
  readonly environment: string;
  readonly state: StateView;
  /** Whether the service of the environment can delete menus. */
  readonly canDelete: boolean;
}

/** A lock, and whether its process has certainly ended. */
type HeldLock = Lock & { readonly has_ended: boolean };

interface Listed extends StateReport {
  /** Where the state is kept. */
  readonly place: string;
  readonly lock: HeldLock | null;
  readonly matters: readonly Matter[];
  /** Whether to print the follow-ups without the menus. JSON always has both. */
  readonly onlyFollowUps: boolean;
}

/** The menus and follow-ups of a state, in every format. */
export function listResult(listed: Listed): ResultIn<"json"> {
  const { environment, place, state, lock, matters } = listed;
  return {
    text: (page) => listText(listed, page),
    notes: listNotes(listed),
    formats: { json: () => listJson(environment, place, state, lock, matters) },
  };
}

/** The JSON of `state list`. Without a state if it cannot be read. */
export function listJson(
  environment: string | null,
  place: string | null,
  state: StateView = new State(),
  lock: HeldLock | null = null,
  matters: readonly Matter[] = [],
): StateListContent {
  const content = stateJson(state, sortedMenus(state), openFollowUps(state));
  const open = mattersJson(matters);
  return { environment, place, ...content, matters: open, lock: lock && lockJson(lock) };
}

function lockJson({ id, by, command, since, host, pid, has_ended }: HeldLock) {
  return { id, by, command, since, host, pid, has_ended };
}

/** The part of the JSON that `state list` and `state show` share. */
function stateJson(
  state: StateView,
  records: readonly MenuRecord[],
  followUps: readonly FollowUp[],
  keys?: readonly string[],
) {
  return {
    address: state.origin?.address ?? null,
    state: stateMoment(state),
    menus: records.map((record) => recordJson(record, state)),
    ...recordingsJson(state, keys && new Set(keys)),
    follow_ups: followUps.map(followUpJson),
  };
}

function listNotes({ environment, state, onlyFollowUps }: Listed): string {
  if (state.origin === null) {
    return `The environment ${environment} has no state yet: nothing has been applied.\n`;
  }
  const records = onlyFollowUps
    ? [...openFollowUps(state), ...openTexts(state)]
    : recordsOf(state, "menu");
  const what = onlyFollowUps ? "open follow-ups" : "menus";
  return records.length === 0 ? `The state of ${environment} has no ${what}.\n` : "";
}

function listText(listed: Listed, page: Page): string {
  const { environment, state, canDelete, matters, onlyFollowUps } = listed;
  const keys = sortedMenus(state);
  const recordings = recordingsTable(state, page.wordWrap);
  const open = followUpsText(openFollowUps(state), environment, page, { state, canDelete });
  const lines = (shows: (matter: Matter) => boolean) =>
    matters.filter(shows).map((one) => `\n${matterLines(one, "", page)}\n`);
  const parts = onlyFollowUps
    ? [open, ...lines(({ kind }) => kind === "text-to-record" || kind === "locked")]
    : [
        keys.length === 0 ? "" : keysTable(keys, page.wordWrap),
        recordings === "" ? "" : `\n${recordings}`,
        // The follow-ups have a table.
        ...lines(({ kind }) => kind !== "follow-up" && kind !== "old-unnamed"),
        open === "" ? "" : `\n${open}`,
      ];
  return parts.join("").replace(/^\n/, "");
}

/** Everything about some keys, in every format. */
export function keysResult(report: StateReport, keys: readonly string[]): ResultIn<"json"> {
  const { environment, state, canDelete } = report;
  const records = keys.flatMap((key) => menuRecord(state, key) ?? []);
  const open = openFollowUps(state).filter(({ key }) => keys.includes(key));
  return {
    text: (page) => {
      const followUps = followUpsText(open, environment, page, { state, canDelete });
      return [
        ...records.map((record) => keyText(record, bindsOf(record, state), environment, page)),
        ...recordingTexts(state, keys, environment, page),
        ...open.flatMap((one) => oldMenuText(one, environment, page)),
        ...(followUps === "" ? [] : [followUps + rollbackHint(environment, page)]),
      ].join("\n");
    },
    formats: { json: () => keysJson(environment, state, records, open, keys) },
  };
}

/** The JSON of `state show`. Without a state if it cannot be read. */
export function keysJson(
  environment: string | null,
  state: StateView = new State(),
  records: readonly MenuRecord[] = [],
  followUps: readonly FollowUp[] = [],
  keys: readonly string[] = [],
): StateShowContent {
  return { environment, ...stateJson(state, records, followUps, keys) };
}

/** How to make the old menu of a follow-up current again. */
function rollbackHint(environment: string, { command }: Page): string {
  return [
    "  To go back to an old menu that still exists, restore its file, for example from git. Then run:",
    `    ${command(suggest("plan", [], environment))}`,
    "",
  ].join("\n");
}

/** The phone numbers of a menu with an unknown outcome. */
function bindsOf({ key }: MenuRecord, { records }: StateView): PendingBind[] {
  return [...records.values()].flatMap(({ pending }) =>
    pending?.action === "bind" && pending.key === key ? pending : [],
  );
}

function recordJson(record: MenuRecord, state: StateView): RecordedOutput {
  const { key, current, pending } = record;
  const bind = bindsOf(record, state).map(({ key: _, intent: __, action: ___, ...one }) => one);
  return {
    key,
    name: nameOf(record),
    status: pending !== null || current === null ? "unknown" : proof(current),
    current: current && {
      menu: menuJson(current.menu),
      created_at: current.created_at,
      settled: current.settled,
      identified: current.identified ?? null,
    },
    // Nobody knows when a menu of a lost state was sent.
    pending:
      pending === null || isLost(pending.seen?.message)
        ? null
        : {
            menu: menuJson(pending.menu),
            action: pending.action,
            sent_at: pending.sent_at,
            until: pending.until,
            seen: pending.seen,
          },
    ...(bind.length === 0 ? {} : { bind }),
  };
}

function nameOf({ current, pending }: MenuRecord): string {
  return (pending ?? current)?.menu.name ?? "";
}

/** A table of menu keys. It has a column of ids only if an id is known. */
function keysTable(menus: readonly MenuRecord[], columns: number): string {
  const ids = menus.map(({ current }) => current?.identified?.id);
  const rows = menus.map((record, at) => [...cells(record), visible(ids[at] ?? "-")]);
  const width = ids.some((id) => id !== undefined) ? head.length : head.length - 1;
  const cellRows = [head, ...rows].map((row) => row.slice(0, width));
  return table(cellRows[0] ?? [], cellRows.slice(1), columns);
}

const head = ["KEY", "NAME", "STATUS", "CREATED (UTC)", "CONFIRMED BY", "ID"];

function cells(record: MenuRecord): string[] {
  const { key, current } = record;
  return [
    visible(key),
    visible(nameOf(record)),
    statusOf(record),
    // Nothing records when an adopted menu was created.
    current === null || current.settled.how === "adopted" ? "-" : minute(current.created_at),
    current === null ? "-" : visible(confirmedBy(current)),
  ];
}

function statusOf({ current, pending }: MenuRecord): string {
  if (current === null) return "unknown";
  if (pending === null) return proof(current);
  return `${proof(current)}, ${requestWords[pending.action]} unconfirmed`;
}

/** Without an id, a person's word does not prove which menu it is, or that it is still there. */
function proof({ settled, identified }: Confirmed): "live" | "recorded" {
  return settled.how === "answered" || identified !== undefined ? "live" : "recorded";
}

const requestWords: Readonly<Record<Pending["action"], string>> = {
  create: "create",
  replace: "replacement",
  update: "update",
  delete: "delete",
};

const howWords = { resolved: "resolved", adopted: "recorded" } as const;

function confirmedBy({ settled }: Confirmed): string {
  return settled.how === "answered" ? "service" : `${settled.by} (${howWords[settled.how]})`;
}

function keyText(
  record: MenuRecord,
  binds: readonly PendingBind[],
  environment: string,
  page: Page,
): string {
  const { key, current, pending } = record;
  const columns = page.prose;
  const title = `${page.style("bold", visible(key))}  “${visible(nameOf(record))}”, ${statusOf(record)}`;
  const heading = pending === null || current === null ? [] : [`  The ${proof(current)} menu:`];
  const parts = [
    title,
    ...(current === null ? [] : [...heading, ...labelled(currentLines(current), columns)]),
    ...[...binds, pending].flatMap((one) =>
      one === null ? [] : pendingText(current, one, environment, page),
    ),
  ];
  return `${parts.join("\n")}\n`;
}

function currentLines(current: Confirmed): LabelledLine[] {
  const { settled, created_at: created, updated_at: updated } = current;
  return [
    [settled.how === "adopted" ? "recorded" : "created", `${second(created)} UTC`],
    ...(updated === undefined ? [] : [["updated", `${second(updated)} UTC`] as const]),
    ["confirmed by", visible(describeConfirmation(current))],
    ...idLines(current),
    ...menuLines(current.menu),
  ];
}

/** The menu of a follow-up that was to be deleted. */
function oldMenuText(
  { id, key, current, pending }: FollowUp,
  environment: string,
  page: Page,
): string[] {
  if (pending === null) return [];
  const title = `${page.style("bold", id)}  ${visible(`${key}, “${current.menu.name}”`)}, delete unconfirmed`;
  return [`${[title, ...pendingText(current, pending, environment, page)].join("\n")}\n`];
}

/** What was sent, and how to resolve its outcome. */
function pendingText(
  current: Confirmed | null,
  pending: MenuRequest,
  environment: string,
  { prose, command }: Page,
): string[] {
  const name = nameIn(subjectRef(pending));
  const isUnsent = pending.action !== "bind" && isLost(pending.seen?.message);
  const commands = resolveCommands(name, environment, isUnsent ? "lost" : pending.action);
  return [
    `  ${visible(describeRequest(pending))}:`,
    ...labelled(pendingLines(current, pending), prose),
    // A command is never wrapped, so that it can be copied.
    ...commands.flatMap(({ when, argv }) => [`    ${when}:`, `      ${command(argv)}`]),
  ];
}

function describeRequest(request: MenuRequest): string {
  const { action } = request;
  if (action === "bind") {
    return `${phoneText(request.number)} was about to point to this menu. It may or may not`;
  }
  if (needsId(request)) {
    return `The ${action} that was sent. The service may or may not have done it`;
  }
  if (isLost(request.seen?.message)) {
    return "The menu of the file. Its record was lost with the state, so it may or may not exist";
  }
  const what = action === "replace" ? "The replacement" : "The menu";
  return `${what} that was sent. It may or may not exist on the service`;
}

/** When a request with an unknown outcome was sent, and what to look for on the console. */
export function pendingLines(current: Confirmed | null, pending: MenuRequest): LabelledLine[] {
  const isUnrecorded = isLost(pending.seen?.message);
  const sent = isUnrecorded ? [] : sentLines(pending);
  if (pending.action === "bind") {
    const next = "plan and apply look at the list of phone numbers, and resolve it";
    return [
      ...sent,
      ["pointed to", visible(pending.before ? destinationWords(pending.before) : "nothing")],
      ["next", next],
    ];
  }
  const name = visible(`“${pending.menu.name}”`);
  // The content of a menu that was to be deleted is recorded.
  if (pending.action === "delete") {
    const id = visible(current?.identified?.id ?? "?");
    return [...sent, ["look for", `${name} (id ${id}) on the console`]];
  }
  return [
    ...sent,
    ...menuLines(pending.menu),
    [
      "look for",
      `${name} on the console${isUnrecorded ? "" : ", created at that time"}, with these destinations`,
    ],
  ];
}

function sentLines({ sent_at: from, until, seen }: MenuRequest): LabelledLine[] {
  const answer = seen === null ? "none was recorded" : describeAnswer(seen.status, seen.message);
  return [
    ["sent", period(from, until)],
    ["answer", visible(answer)],
  ];
}

function describeConfirmation({ settled }: Confirmed): string {
  if (settled.how === "answered") {
    return `the service (${describeAnswer(settled.status, settled.message)})`;
  }
  const { how, by, evidence } = settled;
  return `${by} (${howWords[how]}; ${evidence === null ? "no evidence given" : `evidence: ${evidence}`})`;
}

/** The id on the service, if it is known, and how it was learned. */
function idLines({ identified }: Confirmed): LabelledLine[] {
  if (identified === undefined) return [];
  const { id, how, by, at, evidence } = identified;
  const source = how === "list" ? "the service's list" : by;
  const proof = evidence === null ? "" : `; evidence: ${evidence}`;
  return [["id", visible(`${id} (${source}, ${second(at)} UTC${proof})`)]];
}

/** The destinations of callers first, then all other settings of the menu. */
function menuLines(menu: Menu): LabelledLine[] {
  const paths = describePaths(menu).map(({ place, reaches }): LabelledLine => [
    visible(place),
    visible(reaches),
  ]);
  const others = [...fieldsIn(menu).values()].filter(
    ({ is, row }) => is !== "destination" && row !== "name",
  );
  const rest = others.map((field): LabelledLine => [
    visible(fieldName(field)),
    visible(fieldWords(field)),
  ]);
  return [...paths, ...rest];
}
