import { type Stats, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { format } from "../yaml/format/format.ts";
import { fileKind } from "../project/file-kind.ts";
import {
  configName,
  readConfigFile,
  readProjectFile,
  readMenuAndTestFiles,
  readMenuFiles,
  readNamed,
  shownPath,
} from "../project/files.ts";
import { reportNoMenu } from "../project/menu-names.ts";
import { pathExists } from "../util/disk.ts";
import { guardSecrets } from "../project/hide-secrets.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { showFormatted } from "../views/fmt.ts";
import { type Context, command } from "../cli/command.ts";
import { distinct, notAFile, rewrite } from "../project/rewrite.ts";

export default command({
  takes: "[PATH…]",
  arguments: { "PATH…": "Files, keys of menus, or folders (default: the whole project)" },
  about:
    "Format ivrctl.yaml and all menus and tests, and print the paths of the files that changed.\n\nKeeps comments, quotes and the order of fields. A formatted menu compiles to the same payload.",
  flags: {
    check: {
      type: "boolean",
      about: "Write nothing; print the paths that would change, and exit with 1 if there are any",
    },
  },
  formats: ["text"],
  examples: [
    ["ivrctl fmt", "the whole project"],
    ["ivrctl fmt ivrs/front-desk.yaml", "one file"],
    ["ivrctl fmt --check", "in a pipeline: fail if a file is not formatted"],
  ],
  async run(context) {
    const { flags, root } = context;
    const found = new Diagnostics();
    const { sources, concerns } = select(context, found);
    const changed: string[] = [];
    let unchanged = 0;
    for (const { source, target } of distinct(root, sources, found)) {
      // Any other file may be a configuration that contains a token.
      if (!source.file.startsWith("ivrs/")) guardSecrets(source);
      const text = format(source, found);
      if (text === undefined) continue;
      const outcome = rewrite({ source, target }, () => text, flags.check, found);
      if (outcome === "changed") changed.push(source.file);
      else if (outcome === "unchanged") unchanged += 1;
    }
    const diagnostics = found.sorted().filter(({ file }) => concerns(file));
    await showFormatted({ changed, unchanged, diagnostics, check: flags.check }, context);
    const failed = diagnostics.some(({ severity }) => severity === "error");
    return failed || (flags.check && changed.length > 0) ? 1 : 0;
  },
});

interface Selection {
  readonly sources: readonly Source[];
  /** Whether the user asked for this file. */
  readonly concerns: (file: string) => boolean;
}

function select({ root, args }: Context, found: Diagnostics): Selection {
  const readConfig = () => readConfigFile(root, found);
  if (args.length === 0) {
    const config = readConfig();
    const sources = config === undefined ? [] : [config, ...ownFiles(root, found)];
    return { sources, concerns: () => true };
  }
  const paths = args.map((path) => resolve(root, path));
  const folders = paths.filter((path) => lookAt(path)?.isDirectory() === true);
  const files = paths.filter((path) => !folders.includes(path));
  const isIn = (folder: string, file: string) =>
    !isAbsolute(shownPath(folder, resolve(root, file)));
  const within = (file: string) => folders.some((folder) => isIn(folder, file));
  const config = within(configName) ? readConfig() : undefined;
  const own = [config ?? [], folders.length > 0 ? ownFiles(root, found) : []].flat();
  for (const folder of folders.filter((folder) => !own.some(({ file }) => isIn(folder, file)))) {
    const shown = shownPath(root, folder);
    found.addFile("IVR125", shown, `The folder ${shown} has no file of this project.`, formatHelp);
  }
  const named = new Set(paths.map((path) => shownPath(root, path)));
  return {
    sources: [
      ...files.flatMap((path) => readOne(root, shownPath(root, path), found) ?? []),
      ...own.filter(({ file }) => within(file)),
    ],
    concerns: (file) => named.has(file) || within(file),
  };
}

/** The files under ivrs/ that ivrctl uses. */
function ownFiles(root: string, found: Diagnostics): Source[] {
  return readMenuAndTestFiles(root, found).filter(({ file }) => fileKind(file) !== "hidden");
}

const formatHelp = "Name ivrctl.yaml, a menu or a test file, or a folder that contains some.";

/** A file that the user named, inside or outside the project. */
function readOne(root: string, file: string, found: Diagnostics): Source | undefined {
  const entry = lookAt(resolve(root, file));
  if (!pathExists(resolve(root, file))) {
    reportNoMenu(file, readMenuFiles(root, new Diagnostics(), { tests: false }).menus, found);
    return undefined;
  }
  if (entry !== undefined && !file.endsWith(".yaml")) {
    found.addFile(
      "IVR124",
      file,
      `ivrctl cannot format ${file}: its name does not end in .yaml.`,
      formatHelp,
    );
    return undefined;
  }
  if (!isAbsolute(file)) return readProjectFile(root, file, "yamlFile", found);
  if (entry === undefined || entry.isFile()) return readNamed(root, file, "yamlFile", found);
  notAFile(file, found);
  return undefined;
}

/**
 * Returns the stats of a path. Undefined after an error, which is reported when the file is read.
 */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
