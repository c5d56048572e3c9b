import module from "node:module";
import { isMainThread } from "node:worker_threads";
import { nodeRange, version } from "../util/version.ts";
import { realHost } from "./real-host.ts";

// Enable the cache before other modules are loaded, so that it covers them. Node 20 has no cache.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache();
}

const argv = process.argv.slice(2);
const cwd = currentFolder();
const host = realHost(cwd ?? "");
if (!isMainThread) void import("../yaml/prettier-thread.ts");
// Scripts often ask for the version, so print it without loading anything else.
else if (argv[0] === "--version") host.stdout.write(`${version}\n`);
else if (isOlder(process.versions.node, nodeRange)) {
  host.stderr.write(
    `ivrctl: This is Node ${process.versions.node}, and ivrctl needs Node ${nodeRange}. Install a newer version.\n`,
  );
  process.exitCode = 1;
} else if (cwd !== undefined) void start();
else {
  host.stderr.write("ivrctl: The current folder no longer exists. Change to a different folder.\n");
  process.exitCode = 1;
}

/** Whether a version is older than a range such as `>=20.19`. */
function isOlder(version: string, range: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least = 0, leastMinor = 0] = range.replace(">=", "").split(".").map(Number);
  return major < least || (major === least && minor < leastMinor);
}

/** The current folder, if it still exists. Without it, yargs cannot even be loaded. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Runs the command. Only this function sets the exit code. */
async function start(): Promise<void> {
  let unprinted: Error | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A closed pipe is normal, for example with `| head`.
    if (error.code !== "EPIPE") unprinted ??= error;
  });
  const { reportUncaught, run } = await import("./run.ts");
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => process.exit(reportUncaught(error, argv, host)));
  }
  let code: number | undefined;
  process.on("exit", (exit) => {
    // A plugin may wait for something that never happens. Then Node would exit with 0.
    const unfinished =
      code === undefined && exit === 0
        ? "The command did not finish. Check that the modules under `plugins:` do not wait forever."
        : undefined;
    const problem = unprinted ? `Cannot write to stdout: ${unprinted.message}` : unfinished;
    if (problem === undefined) return;
    host.stderr.write(`ivrctl: ${problem}\n`);
    if (exit === 0) process.exitCode = 1;
  });
  code = await run(argv, host);
  process.exitCode = code;
}
