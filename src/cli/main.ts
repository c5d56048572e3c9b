import module from "node:module";
import { version } from "../util/version.ts";
import { stdout } from "../views/output.ts";

// Enable the cache before other modules are loaded, so that it covers them. Node 20 has no cache.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache();
}

const argv = process.argv.slice(2);
// Scripts often ask for the version, so print it without loading anything else.
if (argv[0] === "--version") stdout.write(`${version}\n`);
else void import("./run.ts").then(({ run }) => run(argv));
