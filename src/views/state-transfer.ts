import type { Linked } from "../deploy/state/entries.ts";
import type { Filling } from "../deploy/state/store.ts";
import { isMigration } from "../deploy/state/marks.ts";
import type { Result } from "../cli/result.ts";
import { visible } from "./terminal.ts";
import { many } from "../util/many.ts";

interface Pulled {
  readonly environment: string | null;
  readonly file: string;
  /** The last entry. Undefined if the state could not be read. */
  readonly last: Linked | undefined;
}

export function pulledResult({ environment, file, last }: Pulled): Shown {
  return {
    notes: ({ path }) =>
      last === undefined || file === "-"
        ? ""
        : visibleLines(
            `Wrote the state of ${environment} (${many(last.entry.seq, "event")}) to ${path(file)}.`,
          ),
  };
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

export function pushedResult({ environment, file, added, serial, text }: Pushed): Shown {
  return {
    notes: ({ path }) =>
      added === undefined
        ? ""
        : visibleLines(
            text ??
              (added === 0
                ? `Nothing was added: the state of ${environment} already has everything in ${path(file)}.`
                : `Added ${many(added, "event")}. The state of ${environment} is now at event ${serial}.`),
          ),
  };
}

interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly serial: number;
  /** The settings for ivrctl.yaml. */
  readonly settings: string;
}

export function migratedResult(environment: string | null, moved: Migrated | undefined): Shown {
  const lines =
    moved === undefined
      ? []
      : [
          `Moved the state of ${environment} (${many(moved.serial, "event")}) to ${moved.to}.`,
          `The data at ${moved.from} is unchanged and marked as moved, so no run can use it by mistake.`,
          `Now change \`state:\` under ${environment} in ivrctl.yaml:`,
          `  ${moved.settings}`,
        ];
  return { notes: lines.length === 0 ? "" : visibleLines(lines.join("\n")) };
}

export const stopping = "\nInterrupted. Stopping after the entries that are being copied.\n";

interface Discarded {
  readonly environment: string | null;
  readonly place: string | null;
  /** Null if nothing was being copied; undefined if it was refused. */
  readonly discarded: Filling | null | undefined;
}

export function discardedResult({ environment, place, discarded }: Discarded): Shown {
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
  return { notes: discarded === undefined ? "" : visibleLines(text) };
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

interface Accepted {
  readonly place: string;
  readonly serial: number;
  /** False if there was nothing to accept. */
  readonly isNew: boolean;
}

export function acceptedResult(environment: string | null, accepted: Accepted | undefined): Shown {
  const text =
    accepted &&
    (accepted.isNew
      ? `Accepted event ${accepted.serial} as the last event of ${environment}, and wrote ${accepted.place} again.`
      : `Nothing to accept: the state of ${environment} is complete.`);
  return { notes: text === undefined ? "" : visibleLines(text) };
}

type Shown = Pick<Result, "notes">;

function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => `${visible(line)}\n`)
    .join("");
}
