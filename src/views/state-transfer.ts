import type { Linked } from "../deploy/state/entries.ts";
import type { Filling } from "../deploy/state/store.ts";
import { isMigration } from "../deploy/state/marks.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { many } from "../util/many.ts";

interface Pulled {
  readonly environment: string | null;
  readonly file: string;
  /** The last entry. Undefined if the state could not be read. */
  readonly last: Linked | undefined;
}

export async function showPulled(
  { environment, file, last }: Pulled,
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const text =
    last === undefined || file === "-"
      ? undefined
      : `Wrote the state of ${environment} (${many(last.entry.seq, "event")}) to ${audience.terminal.path(file)}.`;
  await show(text, diagnostics, audience);
}

interface Pushed {
  readonly environment: string | null;
  readonly file: string;
  /** The number of added events; absent if the file was refused. */
  readonly added?: number;
  readonly serial?: number;
  /** What was recorded, if the file is a rescue file. */
  readonly text?: string;
}

export async function showPushed(
  { environment, file, added, serial, text }: Pushed,
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const words =
    added === undefined
      ? undefined
      : (text ??
        (added === 0
          ? `Nothing was added: the state of ${environment} already has everything in ${audience.terminal.path(file)}.`
          : `Added ${many(added, "event")}. The state of ${environment} is now at event ${serial}.`));
  await show(words, diagnostics, audience);
}

interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly serial: number;
  /** The settings for ivrctl.yaml. */
  readonly settings: string;
}

export async function showMigrated(
  { environment, moved }: { readonly environment: string | null; readonly moved?: Migrated },
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const text =
    moved &&
    [
      `Moved the state of ${environment} (${many(moved.serial, "event")}) to ${moved.to}.`,
      `The data at ${moved.from} is unchanged and marked as moved, so no run can use it by mistake.`,
      `Now change \`state:\` under ${environment} in ivrctl.yaml:`,
      `  ${moved.settings}`,
    ].join("\n");
  await show(text, diagnostics, audience);
}

export function sayStopping(terminal: Terminal): void {
  terminal.say("\nInterrupted. Stopping after the entries that are being copied.\n");
}

interface Discarded {
  readonly environment: string | null;
  readonly place: string | null;
  /** Null if nothing was being copied; undefined if it was refused. */
  readonly discarded: Filling | null | undefined;
}

export async function showDiscarded(
  { environment, place, discarded }: Discarded,
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const { command, source } = discarded ?? {};
  const text =
    discarded === null
      ? `Nothing to discard: ${place} has no unfinished copy of the state of ${environment}.`
      : [
          `Discarded what \`${command}\` had copied. The state of ${environment} at ${place} is as it was before.`,
          ...(discarded !== undefined && isMigration(discarded)
            ? [`The state is still at ${source}: ivrctl.yaml must name that store.`]
            : []),
        ].join(" ");
  const words = discarded === undefined ? undefined : text;
  await show(words, diagnostics, audience);
}

export function discardQuestion({
  environment,
  place,
  filling: { command, source, by, since },
  serial,
}: {
  readonly environment: string;
  readonly place: string;
  readonly filling: Filling;
  /** The serial of the state before the copy. */
  readonly serial: number;
}): string {
  const left = serial === 0 ? "no state" : `only its own ${many(serial, "event")}`;
  return [
    visible(`  ${command}`),
    visible(`  copies from ${source}, started by ${by} at ${since}`),
    `Afterwards, ${visible(place)} has ${left} of ${environment}. The source does not change.`,
    "Discard the unfinished copy?",
  ].join("\n");
}

export function sayNothingDiscarded(terminal: Terminal): void {
  terminal.say("Nothing was discarded.\n");
}

export function sayInterruptedDiscarding(terminal: Terminal): void {
  terminal.say("\nInterrupted. Nothing was discarded.");
}

interface Accepted {
  readonly place: string;
  readonly serial: number;
  /** False if there was nothing to accept. */
  readonly isNew: boolean;
}

export async function showAccepted(
  {
    environment,
    accepted,
  }: { readonly environment: string | null; readonly accepted: Accepted | undefined },
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const text =
    accepted &&
    (accepted.isNew
      ? `Accepted event ${accepted.serial} as the last event of ${environment}, and wrote ${accepted.place} again.`
      : `Nothing to accept: the state of ${environment} is complete.`);
  await show(text, diagnostics, audience);
}

async function show(
  text: string | undefined,
  diagnostics: readonly Diagnostic[],
  { globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (text === undefined || globals.quiet) return;
  for (const line of text.split("\n")) terminal.say(`${visible(line)}\n`);
}
