import module from "node:module";

// Everything else is loaded after this, so that the cache covers it. Node 20 has none.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache();
}
void import("../cli.ts");
