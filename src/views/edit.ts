import { structuredPatch } from "diff";
import type { FileChanges } from "../project/change-files.ts";
import { secrets } from "../util/secrets.ts";
import { visible } from "../util/visible.ts";
import type { Page } from "./terminal.ts";

/** The lines of files that an edit changes, before and after. */
export function editText(changes: FileChanges, page: Page): string {
  const files = Array.from(changes, ([file, { before = "", after = "" }]) => {
    const lines = changedLines(before, after, page);
    return `${page.style("bold", visible(page.path(file)))}\n${lines.join("\n")}\n`;
  });
  return files.join("\n");
}

function changedLines(before: string, after: string, { style }: Page): string[] {
  // Lines around a change may contain secrets.
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0 });
  return hunks.flatMap(({ oldStart, lines }) => {
    const changed = lines
      .filter((line) => !line.startsWith("\\"))
      .map((line) => {
        const text = visible(secrets.mask(line.replace(/\r$/, "")));
        return style(line.startsWith("+") ? "green" : "red", text);
      });
    return [style("cyan", `@@ line ${oldStart} @@`)].concat(changed);
  });
}
