import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isSnapshotName } from "./agents-lock.ts";
import { DiskFiles, configName } from "./files.ts";
import type { Clock } from "../util/host.ts";

interface Watched {
  readonly root: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at the files. If a look takes long, ten times as long. */
const interval = 250;

/**
 * Runs once, and again after every change of the menus, their tests, the configuration or the agent
 * list, until the signal aborts. Looks at the files again and again, because events of the operating
 * system are missing on network disks and in containers, and for folders that are created again.
 */
export async function runOnChange(
  { root, clock, signal }: Watched,
  run: () => Promise<void>,
): Promise<void> {
  let lastShown: string | undefined;
  let before: string | undefined;
  while (!signal.aborted) {
    const start = clock.elapsed();
    const now = stampOf(root);
    const pause = Math.max(interval, 10 * (clock.elapsed() - start));
    // An editor writes a file in several steps, so a change counts when nothing moves any more.
    if (now !== lastShown && (lastShown === undefined || now === before)) {
      lastShown = now;
      await run();
    }
    before = now;
    await clock.sleep(pause, signal).catch(() => {});
  }
}

/** A text that differs after any change of a file. */
function stampOf(root: string): string {
  const files = new DiskFiles(root).list(new Diagnostics());
  const lists = attempt(() => readdirSync(root).filter(isSnapshotName)) ?? [];
  return [configName, ...lists, ...files]
    .map((path) => {
      const stats = attempt(() => statSync(join(root, path)));
      return `${path} ${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`;
    })
    .join("\n");
}

/** Undefined if something is gone. The run reports it. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
