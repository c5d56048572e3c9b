import { resolveCommands } from "../deploy/reasons/resolving.ts";
import { type StateView, liveRecords, recordsOf } from "../deploy/state/view.ts";
import { recordingsIn } from "../model/menu.ts";
import type { MadeRecordingOutput } from "../schema/output/state-output.ts";
import type { MadeRecording } from "../schema/state.ts";
import { describeAnswer } from "../util/answer.ts";
import { minute, period, second } from "../util/time.ts";
import { type Page, visible } from "./terminal.ts";
import { type LabelledLine, labelled, table } from "./text.ts";

/* The recordings that apply has made from texts, in every format. */

/** Those of a state that have these names, sorted. Without names, all. */
function madeRecordings(state: StateView, names?: ReadonlySet<string>): MadeRecording[] {
  return recordsOf(state, "recording")
    .filter(({ key }) => names?.has(key) ?? true)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Nothing if there are none. */
export function recordingsJson(state: StateView, names?: ReadonlySet<string>) {
  const made = madeRecordings(state, names);
  return made.length === 0 ? {} : { recordings: made.map(madeRecordingJson) };
}

function madeRecordingJson({ key, make, current, pending }: MadeRecording) {
  const { created_at: at = null, batch = null, identified = null } = current ?? {};
  const status = pending ? "unknown" : identified ? "ready" : "waiting";
  const json: MadeRecordingOutput = { name: key, status, make, created_at: at, batch, identified };
  return json;
}

/** A table of recordings. One that no menu uses is only kept for a rollback. */
export function recordingsTable(state: StateView, columns: number): string {
  const used = new Set(
    liveRecords(state).flatMap(({ current }) => recordingsIn(current.menu).map(({ id }) => id)),
  );
  const rows = madeRecordings(state).map(({ key, current, pending }) => {
    const id = current?.identified?.id;
    const ready = id !== undefined && used.has(id) ? "ready" : "ready, no menu uses it";
    const status = pending ? "unknown" : id === undefined ? "not ready" : ready;
    const made = current ? minute(current.created_at) : "-";
    return [visible(key), status, made, visible(id ?? "-")];
  });
  return rows.length === 0 ? "" : table(["RECORDING", "STATUS", "MADE (UTC)", "ID"], rows, columns);
}

/** Everything that is recorded about recordings, and how to resolve an unknown outcome. */
export function recordingTexts(
  state: StateView,
  names: readonly string[],
  environment: string,
  page: Page,
): string[] {
  const made = madeRecordings(state, new Set(names));
  return made.map((record) => recordingText(record, environment, page));
}

function recordingText(record: MadeRecording, environment: string, page: Page): string {
  const { key, make, current, pending } = record;
  const { settled, batch, identified } = current ?? {};
  const status = pending ? "unknown" : identified ? "ready" : "not ready";
  const answer = (seen: { readonly status: number | null; readonly message: string } | null) =>
    seen === null ? "none was recorded" : describeAnswer(seen.status, seen.message);
  const lines: (LabelledLine | false | null | undefined)[] = [
    current && ["made", `${second(current.created_at)} UTC`],
    settled?.how === "answered" && ["answer", answer(settled)],
    batch !== undefined && ["batch", batch],
    identified && ["id", `${identified.id} (${identified.evidence ?? identified.by})`],
    pending && ["sent", period(pending.sent_at, pending.until)],
    pending && ["answer", answer(pending.seen)],
    ["made from", `“${make.data}”`],
    make.voice !== undefined && ["voice", make.voice],
    make.language !== undefined && ["language", make.language],
    pending && ["look for", `“${key}” on the console`],
  ];
  const shown = lines.flatMap((line): LabelledLine[] =>
    line ? [[line[0], visible(line[1])]] : [],
  );
  const commands = identified ? [] : resolveCommands(key, environment, "record");
  return [
    `${page.style("bold", visible(key))}  recording, ${status}`,
    ...labelled(shown, page.prose),
    ...commands.flatMap(({ when, argv }) => [`    ${when}:`, `      ${page.command(argv)}`]),
    "",
  ].join("\n");
}
