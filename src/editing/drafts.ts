import { structuredPatch } from "diff";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { DiskFiles, type Files, configName } from "../project/files.ts";
import type { Draft } from "../schema/edit-request.ts";
import { secrets } from "../util/secrets.ts";

/** The files of a project that differ from earlier ones, with their changed lines. */
export function draftsOf(root: string, past: Files): readonly Draft[] {
  const unread = new Diagnostics();
  const now = new DiskFiles(root);
  const paths = new Set([configName, ...past.list(unread), ...now.list(unread)]);
  return [...paths]
    .filter((path) => path.endsWith(".yaml"))
    .toSorted()
    .flatMap((file): Draft[] => {
      const read = (files: Files) =>
        files.has(file) ? files.read(file, "yamlFile", unread)?.text : undefined;
      const [before, after] = [read(past), read(now)];
      if (before === after) return [];
      return [{ file, isNew: !past.has(file), lines: changedLines(file, before, after) }];
    });
}

/** The lines that differ. Of the configuration, only new texts of recordings, because others may be secret. */
export function changedLines(file: string, before = "", after = ""): string[] {
  const isConfig = file === configName;
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0 });
  return hunks
    .flatMap(({ lines }) => lines)
    .filter((line) => !line.startsWith("\\") && (!isConfig || /\bsays:/.test(line)))
    .map((line) => secrets.mask(line.replace(/\r$/, "")));
}
