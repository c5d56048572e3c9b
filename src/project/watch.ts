import { type FSWatcher, readdirSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { configName, menuFolder, snapshotName } from "./files.ts";
import { UsageError } from "../util/usage-error.ts";
import { describeSystemError } from "../util/system-error.ts";

interface Watched {
  readonly root: string;
  /** Files that count beside the project's own: a configuration or an agent list elsewhere. */
  readonly files: readonly string[];
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for further changes, because an editor writes a file in several steps. */
const quietTime = 100;

/**
 * Runs once, and again after every change of the menus, their tests, the
 * configuration or the agent list, until the signal aborts. A change during a run
 * leads to another run, so that what was shown last is how the files are.
 */
export async function runOnChange(watched: Watched, run: () => Promise<void>): Promise<void> {
  const { signal } = watched;
  let changed = false;
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  // Keeps the process alive even if every watched folder is gone.
  const pulse = setInterval(() => {}, 60_000);
  try {
    while (!signal.aborted) {
      // Opened before the files are read, so that no change falls between the two.
      const watchers = openWatchers(watched, () => {
        changed = true;
        wake();
      });
      try {
        await run();
        if (!changed && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
        while (changed && !signal.aborted) {
          changed = false;
          await delay(quietTime);
        }
      } finally {
        for (const watcher of watchers) watcher.close();
      }
    }
  } finally {
    clearInterval(pulse);
  }
}

/**
 * Watches each folder by itself, opened again for each run. On Linux, Node's recursive
 * watcher misses files and throws when a folder is removed, and a folder that is removed
 * and made again is another folder.
 */
function openWatchers({ root, files }: Watched, onChange: () => void): FSWatcher[] {
  const single = [configName, snapshotName, menuFolder, ...files].map((name) =>
    resolve(root, name),
  );
  const parents = new Set(single.map((file) => dirname(file)));
  const open = (folder: string, counts: (name: string) => boolean): FSWatcher[] => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || counts(name)) onChange();
      });
      // A folder that goes away while it is watched is a change like any other.
      return [watcher.on("error", onChange)];
    } catch (error) {
      if (isGone(error)) return [];
      throw new UsageError(`${folder} cannot be watched: ${describeSystemError(error)}.`);
    }
  };
  const menus = foldersUnder(join(root, menuFolder));
  return [
    ...[...parents].flatMap((folder) => {
      const names = new Set(
        single.filter((file) => dirname(file) === folder).map((file) => basename(file)),
      );
      return open(folder, (name) => names.has(name));
    }),
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
    // The code that reads the folder reports what is wrong with it.
    return [];
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^ENO(?:ENT|TDIR)$/.test(String(error.code));
}
