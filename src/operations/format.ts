import { formatAll } from "../yaml/formatter.ts";
import { fileKind, readMenuFiles } from "../project/files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { selectFiles } from "../workspace/select-files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { many } from "../util/many.ts";
import { visible } from "../util/visible.ts";
import { rewrite } from "../project/write-file.ts";
import type { Result } from "../views/result.ts";
import type { Caller } from "./caller.ts";

interface AskedFormat {
  /** The files and folders that the user named. Without any, all files are meant. */
  readonly paths: readonly string[];
  /** Whether nothing is written. */
  readonly check: boolean;
}

/** Formats files, or only checks whether they are formatted. */
export async function formatFiles(caller: Caller, asked: AskedFormat): Promise<Result> {
  const { root } = caller;
  const { check } = asked;
  const problems = new Diagnostics();
  const { sources, concerns } = select(caller, asked, problems);
  const changed: string[] = [];
  let unchanged = 0;
  const texts = await formatAll(sources, problems);
  for (const [at, source] of sources.entries()) {
    const text = texts[at];
    if (text === undefined) continue;
    const outcome = rewrite(root, source, text, check, problems);
    if (outcome === "changed") changed.push(source.file);
    else if (outcome === "unchanged") unchanged += 1;
  }
  const diagnostics = problems.sorted().filter(({ file }) => concerns(file));
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return {
    exit: failed || (check && changed.length > 0) ? 1 : 0,
    text: ({ path }) => changed.map((file) => `${visible(path(file))}\n`).join(""),
    diagnostics,
    notes: ({ command: text }) =>
      [
        unchanged === 0 ? "" : `Already formatted: ${many(unchanged, "file")}.\n`,
        changed.length === 0 || check ? "" : `Formatted: ${many(changed.length, "file")}.\n`,
        changed.length === 0 || !check
          ? ""
          : `Not formatted: ${many(changed.length, "file")}. To format ${changed.length === 1 ? "it" : "them"}, run:\n  ${text(["fmt"])}\n`,
      ].join(""),
  };
}

interface Selected {
  readonly sources: readonly Source[];
  readonly concerns: (file: string) => boolean;
}

function select(caller: Caller, { paths: args }: AskedFormat, diagnostics: Diagnostics): Selected {
  const { root } = caller;
  const { source: config, files: projectFiles, found: problems } = openConfiguration(caller);
  diagnostics.addAll(problems.files);
  if (config === undefined) return { sources: [], concerns: () => true };
  config.hideAll();
  const { menus, folders, hidden, tests } = readMenuFiles(projectFiles, diagnostics, {
    tests: true,
  });
  const files = [config, ...menus, ...folders, ...hidden, ...tests].sort((a, b) =>
    a.file < b.file ? -1 : 1,
  );
  const selection = selectFiles(root, args, files, diagnostics);
  const sources = files.filter(
    ({ file }) => selection.has(file) && (fileKind(file) !== "hidden" || args.includes(file)),
  );
  return { sources, concerns: selection.has };
}
