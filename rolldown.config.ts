import { join } from "node:path";
import { defineConfig } from "rolldown";
import { previewScript } from "./preview-script.ts";

// The ESM build of the same library: its modules are merged and shaken like our
// own, where those of the CommonJS build are kept apart and started one by one.
const resolve = {
  alias: { yaml: join(import.meta.dirname, "node_modules/yaml/browser/dist/index.js") },
};

export default defineConfig([
  {
    input: { ivrctl: "src/cli.ts" },
    platform: "node",
    resolve,
    plugins: [previewScript()],
    output: {
      dir: "dist",
      cleanDir: true,
      // A CommonJS entry starts in two thirds of the time that an ESM one takes.
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      postBanner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
      minify: true,
      exports: "named",
    },
  },
  {
    input: { index: "src/index.ts" },
    platform: "node",
    resolve,
    output: { dir: "dist", format: "esm", minify: true },
  },
]);
