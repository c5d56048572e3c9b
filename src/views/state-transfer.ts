import type { Linked } from "../deploy/state/entries.ts";
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
}

export function migratedResult(environment: string | null, moved: Migrated | undefined): Shown {
  const lines =
    moved === undefined
      ? []
      : [
          `Moved the state of ${environment} (${many(moved.serial, "event")}) to ${moved.to}.`,
          `The data at ${moved.from} is unchanged and marked as moved, so no run can use it by mistake.`,
          `Now remove \`from:\` under ${environment} from ivrctl.yaml.`,
        ];
  return { notes: lines.length === 0 ? "" : visibleLines(lines.join("\n")) };
}

export const stopping = "\nInterrupted. Stopping after the entries that are being copied.\n";

type Shown = Pick<Result, "notes">;

function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => `${visible(line)}\n`)
    .join("");
}
