import module from "node:module";
import { version } from "../util/version.ts";
import { stdout } from "../views/output.ts";

// Everything else is loaded after this, so that the cache covers it. Node 20 has none.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache();
}

const argv = process.argv.slice(2);
// Scripts ask for the version often, so it is printed before anything else is loaded.
if (argv[0] === "--version") stdout.write(`${version}\n`);
else void import("./run.ts").then(({ run }) => run(argv));
