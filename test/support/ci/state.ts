import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Finished } from "../cli.ts";
import { root } from "./workflow.ts";
import { environment } from "../environment.ts";

/** Runs `ci/state.mjs` in a clone. */
export async function runState(cwd: string, ...args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, [join(root, "ci/state.mjs"), ...args], {
    cwd,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exit, stdout, stderr };
}
