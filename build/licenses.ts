import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";
import * as z from "zod/mini";

/**
 * Writes the license texts of all bundled packages to `file`. Takes the packages from the bundles, so
 * none is forgotten. Stops the build if a package has no license text. If several builds use the same
 * plugin one after another, the last one writes the file for all of them.
 */
export function licenses(file: string): Plugin {
  const packages = new Map<string, Bundled>();
  return {
    name: "licenses",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds.filter(isForeign)) {
          const found = packageOf(dirname(id));
          const title = `${found.name} ${found.version} (${found.license})`;
          const known = packages.get(title) ?? { root: found.root, texts: new Map() };
          for (const [path, text] of licensesOf(dirname(id), found.root)) {
            known.texts.set(path, text);
          }
          packages.set(title, known);
        }
      }
      for (const [title, { root, texts }] of packages) {
        if (texts.size === 0) this.error(`${title} has no license text. Look in ${root}.`);
      }
      this.emitFile({ type: "asset", fileName: file, source: page(packages) });
    },
  };
}

interface Bundled {
  readonly root: string;
  /** The license texts by path. A package can contain parts with other licenses. */
  readonly texts: Map<string, string>;
}

function page(packages: ReadonlyMap<string, Bundled>): string {
  const parts = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { texts }]) =>
      [title, ...[...new Set(texts.values())].map((text) => text.trim())].join("\n\n"),
    );
  return ["ivrctl contains the libraries below, each under its own license.", ...parts]
    .join(`\n\n${"-".repeat(80)}\n\n`)
    .concat("\n");
}

/** Whether a module comes from a package. Modules of the bundler, whose ids start with NUL, do not. */
function isForeign(id: string): boolean {
  return !id.startsWith("\0") && id.includes("/node_modules/");
}

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Returns the package of a folder. Ignores a package.json without name, version and license. */
function packageOf(folder: string): z.infer<typeof Manifest> & { readonly root: string } {
  if (readdirSync(folder).includes("package.json")) {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const manifest = Manifest.safeParse(JSON.parse(text));
    if (manifest.success) return { ...manifest.data, root: folder };
  }
  if (dirname(folder) === folder) throw new Error("A bundled module does not belong to a package.");
  return packageOf(dirname(folder));
}

/** Returns the license files of a folder and its parents, up to the root of the package. */
function licensesOf(folder: string, root: string): [path: string, text: string][] {
  const found = readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice|third-party-notices)(?:[.-]|$)/i.test(name))
    .map((name): [string, string] => {
      const path = join(folder, name);
      return [path, readFileSync(path, "utf8")];
    });
  return folder === root ? found : [...licensesOf(dirname(folder), root), ...found];
}
