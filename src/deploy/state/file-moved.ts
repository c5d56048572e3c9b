import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { syncFolder } from "../../disk.ts";
import { jsonOf, orProblem, readIfThere } from "./disk.ts";
import type { Files } from "./loaded.ts";
import { movedAway } from "./moved.ts";

const Mark = z.object({ moved_to: z.string() });

/** A mark that cannot be read is a mark too. */
export function refuseMoved({ moved, name, shown }: Files): void {
  const bytes = readIfThere(moved, shown.moved);
  if (bytes === undefined) return;
  const mark = Mark.safeParse(jsonOf(bytes.toString("utf8")));
  throw movedAway(name, shown.checkpoint, mark.success ? mark.data.moved_to : "another store");
}

export function markMoved({ moved, shown }: Files, to: string | null): void {
  orProblem(shown.moved, "written", () => {
    if (to === null) rmSync(moved, { force: true });
    else {
      const file = openSync(moved, "w");
      try {
        writeFileSync(file, `${JSON.stringify({ moved_to: to })}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    syncFolder(dirname(moved));
  });
}
