import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { until } from "../project.ts";

/** Returns the content of a file; empty if there is none. */
export function textAt(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Returns all files under a folder, by their path in it. */
export function filesIn(path: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (!existsSync(path)) return found;
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    found.set(file.slice(path.length + 1), readFileSync(file));
  }
  return found;
}

/** Kills all processes whose working directory is in a folder, and waits for their end. */
export async function killIn(path: string): Promise<void> {
  await until(() => {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const inside = pids.filter((pid) => {
      try {
        return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${path}/`);
      } catch {
        return false;
      }
    });
    for (const pid of inside) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    return inside.length === 0;
  });
}
