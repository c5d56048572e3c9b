import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { isSnapshotName } from "./agents-lock.ts";
import { configName, menuFolder } from "./files.ts";
import { UsageError } from "../util/usage-error.ts";
import { describeSystemError } from "../util/system-error.ts";
import { type Clock, every } from "../util/host.ts";

interface Watched {
  readonly root: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for further changes, because an editor writes a file in several steps. */
const quietTime = 100;

/**
 * Runs once, and again after every change of the menus, their tests, the configuration or the agent
 * list, until the signal aborts. After a change during a run it runs again, so that the last output
 * is always up to date.
 */
export async function runOnChange(watched: Watched, run: () => Promise<void>): Promise<void> {
  const { signal, clock } = watched;
  let changed = false;
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  // Keeps the process alive even if every watched folder is gone.
  const end = every(clock, 60_000, () => {});
  try {
    while (!signal.aborted) {
      // Watching starts before the files are read, so that no change is missed.
      const watchers = openWatchers(watched, () => {
        changed = true;
        wake();
      });
      try {
        await run();
        if (!changed && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
        while (changed && !signal.aborted) {
          changed = false;
          await clock.sleep(quietTime);
        }
      } finally {
        for (const watcher of watchers) watcher.close();
      }
    }
  } finally {
    end();
  }
}

/**
 * Watches each folder separately and opens the watchers again for each run. On Linux, Node's
 * recursive watcher misses files and throws when a folder is removed. A watcher also loses a folder
 * that is removed and created again.
 */
function openWatchers({ root }: Watched, onChange: () => void): FSWatcher[] {
  const open = (folder: string, counts: (name: string) => boolean): FSWatcher[] => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || counts(name)) onChange();
      });
      // Removing a watched folder is a change too.
      return [watcher.on("error", onChange)];
    } catch (error) {
      if (isGone(error)) return [];
      throw new UsageError(`${folder} cannot be watched: ${describeSystemError(error)}.`);
    }
  };
  const menus = foldersUnder(join(root, menuFolder));
  return [
    ...open(root, (name) => name === configName || name === menuFolder || isSnapshotName(name)),
    ...menus.flatMap((folder) => open(folder, (name) => !name.startsWith("."))),
  ];
}

function foldersUnder(folder: string): string[] {
  try {
    const inner = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith("."),
    );
    return [folder, ...inner.flatMap(({ name }) => foldersUnder(join(folder, name)))];
  } catch {
    // The code that reads the folder reports the problem.
    return [];
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^ENO(?:ENT|TDIR)$/.test(String(error.code));
}
