import * as z from "zod/mini";
import { jsonOf, orProblem, readIfThere, replaceFile } from "./disk.ts";
import { temporaryFile } from "./lock.ts";
import type { Files } from "../loaded.ts";

const Mark = z.object({ moved_to: z.string() });

/** Where the state goes on; null: here. A mark that cannot be read is a mark too. */
export function movedTo({ moved, shown }: Files): string | null {
  const bytes = readIfThere(moved, shown.moved);
  if (bytes === undefined) return null;
  const mark = Mark.safeParse(jsonOf(bytes.toString("utf8")));
  return mark.success ? mark.data.moved_to : "another store";
}

export function markMoved(files: Files, to: string): void {
  orProblem(files.shown.moved, "written", () =>
    replaceFile(files.moved, temporaryFile(files), [`${JSON.stringify({ moved_to: to })}\n`]),
  );
}
