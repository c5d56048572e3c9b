import { format } from "../yaml/format.ts";
import { fileKind, readMenuFiles } from "../project/files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { selectFiles } from "../workspace/select-files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { many } from "../util/many.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { rewrite } from "../project/write-file.ts";

export default command({
  arguments: { "[PATH..]": "Files, keys of menus, or folders (default: the whole project)" },
  about:
    "Format menus, tests and ivrctl.yaml.\n\nPrints the paths of the files that changed. Uses Prettier, with lines of up to 120 characters. Keeps comments and the order of fields. A formatted menu compiles to the same payload.",
  flags: {
    check: {
      about: "Write nothing; print the paths that would change, and exit with 1 if there are any",
    },
  },
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
    for (const source of sources) {
      const text = await format(source, found);
      if (text === undefined) continue;
      const outcome = rewrite(root, source, text, flags.check, found);
      if (outcome === "changed") changed.push(source.file);
      else if (outcome === "unchanged") unchanged += 1;
    }
    const diagnostics = found.sorted().filter(({ file }) => concerns(file));
    const failed = diagnostics.some(({ severity }) => severity === "error");
    return {
      exit: failed || (flags.check && changed.length > 0) ? 1 : 0,
      text: ({ path }) => changed.map((file) => `${visible(path(file))}\n`).join(""),
      diagnostics,
      notes: ({ command: text }) =>
        [
          unchanged === 0 ? "" : `Already formatted: ${many(unchanged, "file")}.\n`,
          changed.length === 0 || flags.check
            ? ""
            : `Formatted: ${many(changed.length, "file")}.\n`,
          changed.length === 0 || !flags.check
            ? ""
            : `Not formatted: ${many(changed.length, "file")}. To format ${changed.length === 1 ? "it" : "them"}, run:\n  ${text(["fmt"])}\n`,
        ].join(""),
    };
  },
});

interface Selected {
  readonly sources: readonly Source[];
  /** Whether the user asked for this file. */
  readonly concerns: (file: string) => boolean;
}

function select(context: Context, found: Diagnostics): Selected {
  const { root, args } = context;
  const { source: config, files: projectFiles, found: problems } = openConfiguration(context);
  found.addAll(problems.files);
  if (config === undefined) return { sources: [], concerns: () => true };
  config.hideAll();
  const { menus, folders, hidden, tests } = readMenuFiles(projectFiles, found, { tests: true });
  const files = [config, ...menus, ...folders, ...hidden, ...tests].sort((a, b) =>
    a.file < b.file ? -1 : 1,
  );
  const selection = selectFiles(root, args, files, found);
  const sources = files.filter(
    ({ file }) => selection.has(file) && (fileKind(file) !== "hidden" || args.includes(file)),
  );
  return { sources, concerns: selection.has };
}
