import { suggest, withSentence } from "../util/suggest.ts";
import { openMatters, resolveCommands } from "../deploy/state/open-matters.ts";
import { needsId } from "../deploy/state/records.ts";
import type { StateView } from "../deploy/state/state.ts";
import { openFollowUps } from "../deploy/state/view.ts";
import { type Lock, describeLock } from "../deploy/state/store.ts";
import { payloadFacts } from "../deploy/plan/digest.ts";
import type { MenuContent } from "../schema/plan.ts";
import type { KeyOutput, StateListContent, StateShowContent } from "../schema/output/state.ts";
import type { Confirmed, FollowUp, KeyRecord, Pending, PendingBind } from "../schema/state.ts";
import type { Result } from "../cli/result.ts";
import { followUpsText } from "./follow-ups.ts";
import { followUpJson, stateMoment } from "./plan/json.ts";
import { describeDifferences, menuPaths } from "./plan/words.ts";
import { type Page, visible } from "./terminal.ts";
import { type Line, labelled, table, wrapAdvice } from "./text.ts";
import { phoneText } from "../util/phone.ts";
import { minute, period, second } from "../util/time.ts";

interface Shown {
  readonly environment: string | null;
  /** Undefined if the state cannot be read. */
  readonly state: StateView | undefined;
  /** Whether the service of the environment can delete menus. */
  readonly canDelete: boolean;
}

interface Listed extends Shown {
  /** Where the state is kept. */
  readonly place: string | null;
  readonly lock: Lock | null;
  /** Whether to print the follow-ups without the menus. JSON always has both. */
  readonly onlyFollowUps: boolean;
}

/** The menus and follow-ups of a state, in every format. */
export function listResult(listed: Listed): Result {
  const { environment, place, state, lock } = listed;
  const keys = sortedKeys(state);
  const followUps = state === undefined ? [] : openFollowUps(state);
  return {
    text: (page) => (state === undefined ? "" : listText(listed, state, page)),
    notes: state === undefined ? "" : listNotes(listed, state),
    json: (): StateListContent => ({
      environment,
      place,
      address: state?.origin?.address ?? null,
      state: stateMoment(state),
      keys: keys.map((record) => keyJson(record, state)),
      follow_ups: followUps.map(followUpJson),
      lock,
    }),
  };
}

function listNotes({ environment, lock, onlyFollowUps }: Listed, state: StateView): string {
  const locked = lock === null ? "" : `Locked by ${visible(describeLock(lock))}.\n`;
  const nothing =
    state.origin === null
      ? `The environment ${environment} has no state yet: nothing has been applied.\n`
      : onlyFollowUps && openFollowUps(state).length === 0
        ? `The state of ${environment} has no open follow-ups.\n`
        : !onlyFollowUps && state.keys.size === 0
          ? `The state of ${environment} has no menus.\n`
          : "";
  return locked + nothing;
}

function listText(
  { environment, canDelete, onlyFollowUps }: Listed,
  state: StateView,
  page: Page,
): string {
  if (state.origin === null) return "";
  const keys = sortedKeys(state);
  const options = { state, canDelete };
  const open = followUpsText(openFollowUps(state), environment ?? "", page, options);
  if (onlyFollowUps) return open;
  return [
    keys.length === 0 ? "" : keysTable(keys, page.wordWrap),
    ...openMatters(state, environment ?? "").map(({ message, hint }) => {
      const words = withSentence(visible(message), hint);
      return `\n${wrapAdvice(words, "", page.wordWrap, page.command)}\n`;
    }),
    open === "" ? "" : `\n${open}`,
  ].join("");
}

/** Everything about some keys, in every format. */
export function keysResult({
  environment,
  state,
  canDelete,
  keys,
}: Shown & { readonly keys: readonly string[] }): Result {
  const records = keys.flatMap((key): [string, KeyRecord][] => {
    const record = state?.keys.get(key);
    return record === undefined ? [] : [[key, record]];
  });
  const asked = new Set(keys);
  const open = (state === undefined ? [] : openFollowUps(state)).filter(({ key }) =>
    asked.has(key),
  );
  return {
    text: (page) => {
      const blocks = records.map(([key, record]) =>
        keyText(key, record, bindsOf(key, state), environment ?? "", page),
      );
      for (const followUp of open) {
        if (followUp.pending === undefined) continue;
        blocks.push(`${oldMenuText(followUp, followUp.pending, environment ?? "", page)}\n`);
      }
      const followUps =
        state === undefined
          ? ""
          : followUpsText(open, environment ?? "", page, { state, canDelete });
      if (followUps !== "") blocks.push(followUps + rollbackHint(environment ?? "", page));
      return blocks.join("\n");
    },
    json: (): StateShowContent => ({
      environment,
      address: state?.origin?.address ?? null,
      state: stateMoment(state),
      keys: records.map((record) => keyJson(record, state)),
      follow_ups: open.map(followUpJson),
    }),
  };
}

/** How to make the old menu of a follow-up current again. */
function rollbackHint(environment: string, { command }: Page): string {
  return [
    "  To go back to an old menu that still exists, restore its file, for example from git. Then run:",
    `    ${command(suggest("plan", [], environment))}`,
    "",
  ].join("\n");
}

/** Returns an answer as text for a terminal: `HTTP 502: Bad gateway`. */
export function answerText(status: number | null, message: string): string {
  const code = status === null ? "" : `HTTP ${status}`;
  if (message === "") return code;
  if (message.includes(code)) return visible(message);
  return visible(code === "" ? message : `${code}: ${message}`);
}

function sortedKeys(state: StateView | undefined): [string, KeyRecord][] {
  return [...(state?.keys ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The phone numbers of a menu with an unknown outcome. */
function bindsOf(key: string, state: StateView | undefined): PendingBind[] {
  return [...(state?.binds.values() ?? [])].filter((bind) => bind.key === key);
}

function keyJson(
  [key, { current, pending }]: readonly [string, KeyRecord],
  state: StateView | undefined,
): KeyOutput {
  const binds = bindsOf(key, state).map(({ key: _, intent: __, action: ___, ...bind }) => bind);
  return {
    key,
    name: nameOf({ current, pending }),
    status: pending === null ? "live" : "unknown",
    current: current && {
      payload: current.payload,
      digest: current.digest,
      created_at: current.created_at,
      settled: confirmationOf(current),
      identified: current.identified ?? null,
      agents: current.naming.agents,
      menus: current.naming.menus ?? {},
    },
    pending: pending && {
      payload: pending.payload,
      digest: pending.digest,
      action: pending.action,
      sent_at: pending.sent_at,
      until: pending.until,
      seen: pending.seen,
      agents: pending.naming.agents,
      menus: pending.naming.menus ?? {},
    },
    ...(binds.length === 0 ? {} : { binds }),
  };
}

function nameOf({ current, pending }: { current: Confirmed | null; pending: Pending | null }) {
  return (pending ?? current)?.payload.name ?? "";
}

/** A table of menu keys. It has a column of ids only if an id is known. */
function keysTable(keys: readonly [string, KeyRecord][], columns: number): string {
  const ids = keys.map(([, { current }]) => current?.identified?.id);
  const rows = keys.map(([key, record], at) => [...cells(key, record), visible(ids[at] ?? "-")]);
  const width = ids.some((id) => id !== undefined) ? head.length : head.length - 1;
  const shown = [head, ...rows].map((row) => row.slice(0, width));
  return table(shown[0] ?? [], shown.slice(1), columns);
}

const head = ["KEY", "NAME", "STATUS", "CREATED (UTC)", "CONFIRMED BY", "ID"];

function cells(key: string, record: KeyRecord): string[] {
  const { current } = record;
  return [
    visible(key),
    visible(nameOf(record)),
    statusOf(record),
    current === null ? "-" : minute(current.created_at),
    current === null ? "-" : visible(confirmedBy(current)),
  ];
}

function statusOf({ current, pending }: KeyRecord): string {
  if (pending === null) return "live";
  if (current === null) return "unknown";
  return `live, ${requestWords[pending.action]} unconfirmed`;
}

const requestWords: Readonly<Record<Pending["action"], string>> = {
  create: "create",
  replace: "replacement",
  update: "update",
  delete: "delete",
};

function confirmationOf({ settled: confirmation }: Confirmed) {
  return confirmation;
}

function confirmedBy(current: Confirmed): string {
  const confirmation = confirmationOf(current);
  return confirmation.how === "answered" ? "service" : `${confirmation.by} (${confirmation.how})`;
}

function keyText(
  key: string,
  record: KeyRecord,
  binds: readonly PendingBind[],
  environment: string,
  page: Page,
): string {
  const { current, pending } = record;
  const columns = Math.min(page.wordWrap, 100);
  const title = `${page.style("bold", visible(key))}  “${visible(nameOf(record))}”, ${statusOf(record)}`;
  const parts = [title];
  if (current !== null) {
    if (pending !== null) parts.push("  The live menu:");
    const { how } = confirmationOf(current);
    parts.push(
      ...labelled(
        [
          [how === "adopted" ? "adopted" : "created", `${second(current.created_at)} UTC`],
          ...(current.updated_at === undefined
            ? []
            : [["updated", `${second(current.updated_at)} UTC`] as const]),
          ["confirmed by", visible(describeConfirmation(current))],
          ...idLines(current),
          ...payloadLines(current),
        ],
        columns,
      ),
    );
  }
  for (const bind of binds) {
    parts.push(`  ${phoneText(bind.number)} was about to point to this menu. It may or may not:`);
    parts.push(...labelled(bindLines(bind, environment, page), columns));
  }
  if (pending !== null) parts.push(...pendingText(key, record, pending, environment, page));
  return `${parts.join("\n")}\n`;
}

/** What was sent to bind a phone number. The next plan or apply looks at the list, and resolves it. */
function bindLines(bind: PendingBind, environment: string, { command }: Page): Line[] {
  const { number, before, sent_at: from, until, seen } = bind;
  const answer = seen === null ? "none was recorded" : answerText(seen.status, seen.message);
  return [
    ["sent", period(from, until)],
    ["answer", answer],
    ["pointed to", visible(before ?? "nothing")],
    ["next", "plan and apply look at the list of phone numbers, and resolve it"],
    ["if it is gone", command(suggest("state resolve", [number], environment, ["--absent"]))],
  ];
}

/** The menu of a follow-up that was to be deleted. */
function oldMenuText(
  { id, key, record }: FollowUp,
  pending: Pending,
  environment: string,
  page: Page,
): string {
  const title = `${page.style("bold", id)}  ${visible(`${key}, “${record.payload.name}”`)}, delete unconfirmed`;
  const sent = pendingText(id, { current: record }, pending, environment, page);
  return [title, ...sent].join("\n");
}

/** What was sent, and how to resolve its outcome. */
function pendingText(
  name: string,
  { current }: Pick<KeyRecord, "current">,
  pending: Pending,
  environment: string,
  { wordWrap, command }: Page,
): string[] {
  const columns = Math.min(wordWrap, 100);
  const what = pending.action === "replace" ? "The replacement" : "The menu";
  const commands = resolveCommands(name, environment, pending.action);
  return [
    needsId(pending)
      ? `  The ${requestWords[pending.action]} that was sent. The service may or may not have done it:`
      : `  ${what} that was sent. It may or may not exist on the service:`,
    ...labelled(pendingLines(pending, current?.identified?.id), columns),
    // A command is never wrapped, so that it can be copied.
    ...commands.flatMap(({ when, argv }) => [`    ${when}:`, `      ${command(argv)}`]),
  ];
}

function pendingLines(pending: Pending, id: string | undefined): Line[] {
  const { action, payload, seen, sent_at: from, until } = pending;
  const answer = seen === null ? "none was recorded" : answerText(seen.status, seen.message);
  return [
    ["sent", period(from, until)],
    ["answer", answer],
    // The content of a menu that was to be deleted is above.
    ...(action === "delete"
      ? [["look for", visible(`“${payload.name}” (id ${id ?? "?"}) on the console`)] as const]
      : [
          ...payloadLines(pending),
          [
            "look for",
            `“${visible(payload.name)}” on the console, created at that time, with these destinations`,
          ] as const,
        ]),
  ];
}

function describeConfirmation(current: Confirmed): string {
  const confirmation = confirmationOf(current);
  if (confirmation.how === "answered") {
    return `the service (${answerText(confirmation.status, confirmation.message)})`;
  }
  const { how, by, evidence } = confirmation;
  return `${by} (${how}; ${evidence === null ? "no evidence given" : `evidence: ${evidence}`})`;
}

/** The id on the service, if it is known, and how it was learned. */
function idLines({ identified }: Confirmed): Line[] {
  if (identified === undefined) return [];
  const { id, how, by, at, evidence } = identified;
  const source = how === "list" ? "the service's list" : by;
  const proof = evidence === null ? "" : `; evidence: ${evidence}`;
  return [["id", visible(`${id} (${source}, ${second(at)} UTC${proof})`)]];
}

/** The destinations of callers first, then all other settings of the menu. */
function payloadLines(content: MenuContent): Line[] {
  const paths = menuPaths(content).map(({ place, reaches }): Line => [
    visible(place),
    visible(reaches),
  ]);
  const others = Object.entries(payloadFacts(content.payload)).flatMap(([field, after]) =>
    field === "name" || /^destination\.|_destination$/.test(field)
      ? []
      : { field, before: null, after },
  );
  const rest = describeDifferences(others, content, content).map(({ what, after }): Line => [
    visible(what),
    visible(after ?? ""),
  ]);
  return [...paths, ...rest];
}
