import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";
import * as z from "zod/mini";

/**
 * Writes the licence texts of all that is bundled into `file`. What is bundled is asked of the
 * bundles themselves, so nothing can be forgotten; a package without a text stops the build.
 * One plugin serves several builds, one after the other: the last one writes the file of all.
 */
export function licences(file: string): Plugin {
  const packages = new Map<string, Bundled>();
  return {
    name: "licences",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds.filter(isForeign)) {
          const found = packageOf(dirname(id));
          const title = `${found.name} ${found.version} (${found.license})`;
          const known = packages.get(title) ?? { root: found.root, texts: new Map() };
          for (const [path, text] of licencesOf(dirname(id), found.root)) {
            known.texts.set(path, text);
          }
          packages.set(title, known);
        }
      }
      for (const [title, { root, texts }] of packages) {
        if (texts.size === 0) this.error(`${title} comes without a licence text: look in ${root}.`);
      }
      this.emitFile({ type: "asset", fileName: file, source: page(packages) });
    },
  };
}

interface Bundled {
  readonly root: string;
  /** By path: a package may hold parts by others, with licences of their own. */
  readonly texts: Map<string, string>;
}

function page(packages: ReadonlyMap<string, Bundled>): string {
  const parts = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { texts }]) =>
      [title, ...[...new Set(texts.values())].map((text) => text.trim())].join("\n\n"),
    );
  return ["ivrctl holds the libraries below, each under its own licence.", ...parts]
    .join(`\n\n${"-".repeat(80)}\n\n`)
    .concat("\n");
}

/** Ids that start with NUL are made by the bundler and stand in no file. */
function isForeign(id: string): boolean {
  return !id.startsWith("\0") && id.includes("/node_modules/");
}

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The package that a folder is part of; a package.json that only says `type` is passed over. */
function packageOf(folder: string): z.infer<typeof Manifest> & { readonly root: string } {
  if (readdirSync(folder).includes("package.json")) {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const manifest = Manifest.safeParse(JSON.parse(text));
    if (manifest.success) return { ...manifest.data, root: folder };
  }
  if (dirname(folder) === folder) throw new Error("A bundled module is in no package.");
  return packageOf(dirname(folder));
}

/** The licence files of a folder and of those above it, up to the package's own. */
function licencesOf(folder: string, root: string): [path: string, text: string][] {
  const own = readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name))
    .map((name): [string, string] => {
      const path = join(folder, name);
      return [path, readFileSync(path, "utf8")];
    });
  return folder === root ? own : [...licencesOf(dirname(folder), root), ...own];
}
