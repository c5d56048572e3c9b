import { structuredPatch } from "diff";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { DiskFiles, configName } from "../project/files.ts";
import { readRevision } from "../project/revision.ts";
import type { Draft } from "../schema/edit-request.ts";
import { secrets } from "../util/secrets.ts";
import { type ProjectPlace, openProject } from "../workspace/open-project.ts";

/** The files of a project that differ from the last commit, with their changed lines. Empty without git. */
export async function draftsOf(place: ProjectPlace): Promise<readonly Draft[]> {
  const { root, host } = place;
  const unread = new Diagnostics();
  const project = await openProject(place, { tests: true });
  const environment = project.environment?.name ?? "";
  const past = await readRevision({ root, host, ref: "HEAD", environment, tests: true }, unread);
  if (past === undefined) return [];
  const now = new DiskFiles(root);
  const paths = new Set([configName, ...past.files.list(unread), ...now.list(unread)]);
  return [...paths]
    .filter((path) => path.endsWith(".yaml"))
    .toSorted()
    .flatMap((file): Draft[] => {
      const read = (files: typeof past.files) =>
        files.has(file) ? files.read(file, "yamlFile", unread)?.text : undefined;
      const [before = "", after = ""] = [read(past.files), read(now)];
      if (before === after) return [];
      return [
        { file, isNew: !past.files.has(file), lines: linesOf(before, after, file === configName) },
      ];
    });
}

/** The lines that differ. Of the configuration, only new texts of recordings, because others may be secret. */
function linesOf(before: string, after: string, isConfig: boolean): string[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0 });
  return hunks
    .flatMap(({ lines }) => lines)
    .filter((line) => !line.startsWith("\\") && (!isConfig || /\bsays:/.test(line)))
    .map((line) => secrets.mask(line.replace(/\r$/, "")));
}
