import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, defineConfig } from "rolldown";
import { licenses } from "../../build/licenses.ts";

const here = import.meta.dirname;
const root = join(here, "../..");

/** The files of the extension besides its code, as they are. */
const files = [
  "icon.png",
  "screenshot.png",
  "file-light.svg",
  "file-dark.svg",
  "ivrctl.tmLanguage.json",
  "language-configuration.json",
];

const extensionFiles: Plugin = {
  name: "extension-files",
  generateBundle() {
    const emit = (fileName: string, source: string | Uint8Array) =>
      this.emitFile({ type: "asset", fileName, source });
    for (const file of files) emit(file, readFileSync(join(here, file)));
    // vsce gives the pages these names.
    emit("readme.md", readFileSync(join(here, "README.md")));
    emit("changelog.md", readFileSync(join(here, "CHANGELOG.md")));
    emit("LICENSE.txt", readFileSync(join(root, "LICENSE")));
    const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    emit("package.json", JSON.stringify({ ...manifest, version }, null, 2));
  },
};

export default defineConfig({
  input: { extension: join(here, "src/extension.ts") },
  platform: "node",
  external: ["vscode"],
  plugins: [licenses("THIRD-PARTY-LICENSES.txt"), extensionFiles],
  output: {
    dir: join(root, "dist/vscode"),
    cleanDir: true,
    format: "cjs",
    entryFileNames: "[name].cjs",
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: false,
  },
});
