import { join } from "node:path";
import { defineConfig } from "rolldown";
import { licences } from "./build/licences.ts";
import { previewScript } from "./build/preview-script.ts";

// The package's entry for bundlers: ES modules, which can be merged and shaken. Under the condition
// `node` it offers CommonJS only.
const resolve = {
  alias: {
    yaml: join(import.meta.dirname, "node_modules/yaml/browser/index.js"),
    "string-width$": join(import.meta.dirname, "build/string-width.cjs"),
  },
};

const plugins = [licences("THIRD-PARTY-LICENSES.txt")];

export default defineConfig([
  {
    input: { ivrctl: "src/cli/main.ts" },
    platform: "node",
    resolve,
    // yargs uses it for configuration files that extend others, which ivrctl has none of.
    checks: { emptyImportMeta: false },
    plugins: [...plugins, previewScript()],
    output: {
      dir: "dist",
      cleanDir: true,
      // A CommonJS entry starts in two thirds of the time that an ESM one takes.
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      postBanner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
      minify: { compress: true, mangle: true, codegen: { asciiOnly: true } },
      comments: { legal: true, annotation: false, jsdoc: false },
      topLevelVar: true,
      exports: "named",
      // One file for what is always loaded together: each costs a search, a read and a wrapper.
      codeSplitting: {
        groups: [
          // All that `--version` needs.
          {
            name: "start",
            test: /[\\/]src[\\/](?:util[\\/]version|views[\\/]output)\.ts$/,
            priority: 3,
          },
          // Reading a command line and printing help must not load a project.
          {
            name: "cli",
            test: /[\\/]src[\\/](?:cli[\\/](?:run|register)|views[\\/]text)\.ts$/,
            priority: 2,
          },
          {
            name: "project",
            test: /[\\/]src[\\/](?:project[\\/]load-project|commands[\\/]validate)\.ts$/,
            priority: 1,
          },
        ],
      },
    },
  },
  {
    input: { index: "src/index.ts" },
    platform: "node",
    resolve,
    plugins,
    output: { dir: "dist", format: "esm", minify: true },
  },
]);
