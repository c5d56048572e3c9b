import module from "node:module";
import { version } from "../util/version.ts";
import { stderr, stdout } from "../views/output.ts";

// Enable the cache before other modules are loaded, so that it covers them. Node 20 has no cache.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache();
}

const argv = process.argv.slice(2);
// Scripts often ask for the version, so print it without loading anything else.
if (argv[0] === "--version") stdout.write(`${version}\n`);
else if (isInFolder()) void import("./run.ts").then(({ run }) => run(argv));
else {
  stderr.write("ivrctl: The current folder does not exist any more. Change to another folder.\n");
  process.exitCode = 1;
}

/** Whether the current folder still exists. Without it, yargs cannot even be loaded. */
function isInFolder(): boolean {
  try {
    return process.cwd() !== "";
  } catch {
    return false;
  }
}
