import { type FSWatcher, readdirSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { configName, menuFolder, reason, snapshotName } from "./files.ts";
import { UsageError } from "../util/usage-error.ts";

interface Watched {
  readonly root: string;
  /** Files that count beside the project's own: a configuration or an agent list elsewhere. */
  readonly files: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs once, and again after every change of the menus, their tests, the
 * configuration or the agent list, until it is told to stop. What changes
 * while it runs leads to another run, so that what was shown last is how the
 * files are.
 */
export async function runOnChange(watched: Watched, run: () => Promise<void>): Promise<void> {
  const bell = new Bell(watched.signal);
  try {
    while (!watched.signal.aborted) {
      // Before the files are read, so that no change falls between the two.
      const watchers = openWatchers(watched, () => bell.ring());
      try {
        await run();
        await bell.rung();
      } finally {
        for (const watcher of watchers) watcher.close();
      }
    }
  } finally {
    bell.end();
  }
}

/** An editor writes a file in several moves; they are one change. */
const settling = 100;

class Bell {
  readonly #signal: AbortSignal;
  /** With every watched folder gone there is still something to wait for. */
  readonly #pulse = setInterval(() => {}, 60_000);
  #rings = false;
  #wake = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  ring(): void {
    this.#rings = true;
    this.#wake();
  }

  /** It has rung, and is silent again. */
  async rung(): Promise<void> {
    while (!this.#rings && !this.#signal.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    while (this.#rings && !this.#signal.aborted) {
      this.#rings = false;
      await delay(settling);
    }
  }

  end(): void {
    clearInterval(this.#pulse);
  }
}

/**
 * One for each folder, made anew for each run: on Linux, Node's own recursive
 * one misses files and throws where a folder is removed, and a folder that is
 * removed and made again is another one.
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
      throw new UsageError(`${folder} cannot be watched: ${reason(error)}.`);
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
    // Whoever reads it says what is wrong with it.
    return [];
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^ENO(?:ENT|TDIR)$/.test(String(error.code));
}
