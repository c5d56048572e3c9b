import { defineConfig } from "rolldown";

export default defineConfig([
  {
    input: { ivrctl: "src/cli.ts" },
    platform: "node",
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
    output: { dir: "dist", format: "esm", minify: true },
  },
]);
