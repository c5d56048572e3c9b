import {
  ErrorCodes,
  type Range,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { fileAndLine } from "../diagnostics/source.ts";
import { type Edit, EditProblem, distinct } from "../references/edits.ts";
import { attempt, loaderOf } from "../editing/edit.ts";
import { renameTask } from "../editing/name-edits.ts";
import { groupBy } from "../util/group-by.ts";
import { secrets } from "../util/secrets.ts";
import { visible } from "../util/visible.ts";
import { type FileUri, rangeIn } from "./convert.ts";
import { occurrenceAt } from "./look-up.ts";
import type { OpenFile } from "./place.ts";

/** The text that a rename changes, and the name to change. */
export function prepareRename(
  file: OpenFile,
  offset: number,
): { readonly range: Range; readonly placeholder: string } | null {
  const occurrence = occurrenceAt(file, offset);
  const at = occurrence?.spans.find(
    ({ source, start, end }) =>
      source.file === file.source.file && start <= offset && offset <= end,
  );
  if (occurrence === undefined || at === undefined || occurrence.name === "") return null;
  return { range: rangeIn(at), placeholder: occurrence.name };
}

/** The edits of a rename. Throws an error for the user if the rename is not safe. */
export async function renameAt(
  file: OpenFile,
  offset: number,
  to: string,
  renamesFiles: boolean,
): Promise<WorkspaceEdit | null> {
  const { project } = file;
  const occurrence = occurrenceAt(file, offset);
  if (occurrence === undefined) return null;
  try {
    const task = renameTask(occurrence, to, project);
    const { edits, files } = task.renaming;
    await attempt(project, task, loaderOf(project));
    if (files.length === 0) return workspaceEdit(edits, file.uriOf);
    if (!renamesFiles) {
      throw new EditProblem(
        "This editor cannot rename files. Give the menu an `id:` first.",
        occurrence.spans[0],
      );
    }
    const changes = Object.entries(workspaceEdit(edits, file.uriOf).changes);
    return {
      documentChanges: [
        ...changes.map(([uri, own]) => ({ textDocument: { uri, version: null }, edits: own })),
        ...files.map((path) => ({
          kind: "rename" as const,
          oldUri: file.uriOf(path.from),
          newUri: file.uriOf(path.to),
        })),
      ],
    };
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    const { place } = error;
    const where = "source" in place ? fileAndLine(place) : diagnosticPlace(place);
    const message = `${where}: ${error.message}`;
    throw new ResponseError(ErrorCodes.InvalidRequest, secrets.mask(visible(message)));
  }
}

/** Edits of files as the protocol writes them. */
export function workspaceEdit(
  edits: readonly Edit[],
  uriOf: FileUri,
): { readonly changes: Record<string, TextEdit[]> } {
  const changes: Record<string, TextEdit[]> = {};
  for (const [path, own] of groupBy(edits, ({ at }) => at.source.file)) {
    changes[uriOf(path)] = distinct(own).map(({ at, text }) => {
      return { range: rangeIn(at), newText: text };
    });
  }
  return { changes };
}
