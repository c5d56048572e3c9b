import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import { licenses } from "./build/licenses.ts";
import { previewScript } from "./build/preview-script.ts";

// The entry of yaml for bundlers: ES modules, of which the bundle keeps only the code in use. Under
// the condition `node` the package offers CommonJS only.
const yaml = join(import.meta.dirname, "node_modules/yaml/browser/index.js");

const plugins = [licenses("THIRD-PARTY-LICENSES.txt")];

// string-width makes a segmenter and a table of all emoji as soon as it is loaded, which takes a fifth of
// the time of a short command. Make them for the first text that is not plain ASCII.
const lateTables = {
  name: "late-tables",
  transform: {
    filter: { id: /\/string-width\/index\.js$/ },
    handler(code: string): string {
      const late = code
        .replace(
          "const segmenter = new Intl.Segmenter();",
          "let made; const segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };",
        )
        // V8 makes the table of a literal even if its function is never called.
        .replace(
          "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;",
          String.raw`let emoji; const rgiEmojiRegex = { test: (text) => (emoji ??= new RegExp("^\\p{RGI_Emoji}$", "v")).test(text) };`,
        );
      if (late === code) throw new Error("A new string-width: is `lateTables` still needed?");
      return late;
    },
  },
};

// `npm link` makes the command executable only once, but every build writes it again.
const executable = {
  name: "executable",
  writeBundle: () => chmodSync(join(import.meta.dirname, "dist/ivrctl.cjs"), 0o755),
};

export default defineConfig([
  {
    input: { ivrctl: "src/cli/main.ts" },
    platform: "node",
    resolve: { alias: { yaml } },
    moduleTypes: { ".md": "text" },
    // yargs uses it for configuration files that extend others, which ivrctl has none of.
    checks: { emptyImportMeta: false },
    plugins: [...plugins, lateTables, previewScript(plugins), executable],
    output: {
      dir: "dist",
      cleanDir: true,
      // A CommonJS entry needs two thirds of the start time of an ES module.
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
          // Everything that `--version` needs.
          group("start", 3, "src/util/version.ts", "src/views/output.ts"),
          // Reading a command line and printing help must not load a project.
          group("cli", 2, "src/cli/run.ts", "src/cli/parse.ts", "src/views/text.ts"),
          group("project", 1, "src/workspace/load-project.ts", "src/commands/validate.ts"),
        ],
      },
    },
  },
  {
    input: { index: "src/index.ts" },
    platform: "node",
    resolve: { alias: { yaml } },
    // The library is one file. Only the command loads plugins later.
    checks: { ineffectiveDynamicImport: false },
    plugins,
    output: { dir: "dist", format: "esm", minify: true },
  },
]);

/** Defines one chunk for these modules and everything they import. */
function group(name: string, priority: number, ...modules: readonly string[]) {
  const paths = new Set(modules.map((module) => join(import.meta.dirname, module)));
  for (const path of paths) {
    if (!existsSync(path))
      throw new Error(`The chunk "${name}" names ${path}, which does not exist.`);
  }
  return { name, priority, test: (id: string) => paths.has(id) };
}
