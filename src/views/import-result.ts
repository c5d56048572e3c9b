import type { TakeOver } from "../import/take-over.ts";
import type { MenuText } from "../import/write-menu.ts";
import { destinationsOf } from "../model/menu.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { suggest } from "../util/suggest.ts";
import type { Result } from "./result.ts";
import { type Page, visible } from "./terminal.ts";

export interface WrittenMenu extends MenuText {
  /** Where it was written; null if it is printed. */
  readonly file: string | null;
  readonly key: string;
}

/** What was written, what to check, and what to do next, in the environment that the user chose. */
export function importedResult(
  menus: readonly WrittenMenu[],
  environment: string | undefined,
): Result {
  return {
    ...writtenResult(menus),
    notes: notesOn(menus),
    next: (page) => nextAfter(menus, environment, page),
  };
}

/** The paths of the menus, or the menus themselves if they are printed. */
function writtenResult(menus: readonly WrittenMenu[]) {
  const printed = menus.filter(({ file }) => file === null);
  const head = (key: string) => (printed.length > 1 ? `---\nid: ${key}\n` : "");
  return {
    data: printed.map(({ key, text }) => head(key) + text).join(""),
    text: ({ path }: Page) =>
      menus.map(({ file }) => (file === null ? "" : `${visible(path(file))}\n`)).join(""),
  };
}

/** What to check in the menus, each once. */
function notesOn(menus: readonly MenuText[]): string {
  const all = menus.flatMap(({ notes }) => notes);
  const groups = [...groupBy(all, ({ sent, text }) => `${sent}: ${text}`)];
  if (groups.length === 0) return "";
  const lines = groups
    .slice(0, maxListed)
    .map(([what, { length }]) => `  ${visible(what)}${length === 1 ? "" : ` (${length} times)`}\n`);
  const rest = groups.length > maxListed ? `  … and ${groups.length - maxListed} more\n` : "";
  return `Check these values:\n${lines.join("")}${rest}`;
}

const maxListed = 20;

function nextAfter(
  menus: readonly WrittenMenu[],
  environment: string | undefined,
  { path, command }: Page,
): string {
  const written = menus.filter(({ file }) => file !== null);
  const [first] = written;
  if (first === undefined) return "";
  const paths = written.length === 1 ? [path(first.file ?? "")] : [];
  const key = written.length === 1 ? first.key : "KEY";
  return `Next, check the menu${written.length === 1 ? "" : "s"}:
  ${command(suggest("validate", paths, environment))}
If ${written.length === 1 ? "the menu" : "a menu"} already exists on the service, record it:
  ${command(suggest("state resolve", [key], environment, ["--created"]))}
`;
}

interface TakenOver extends TakeOver {
  readonly environment: string;
  readonly isPrinted: boolean;
  readonly isRecorded: boolean;
}

/** The menus that were taken over, what the service does not show of them, and what to do next. */
export function takenOverResult(taken: TakenOver, hasFailed: boolean): Result {
  const { menus, isPrinted } = taken;
  const written = menus.flatMap(({ key, file, written }) =>
    written === undefined ? [] : { key, file: isPrinted ? null : file, ...written },
  );
  return {
    ...writtenResult(written),
    notes: (page) => notesOn(written) + notShown(taken, page),
    next: (page) => (menus.length > 0 || !hasFailed ? summary(taken, page) : ""),
  };
}

/** What a list does not show, as far as it matters for these menus. */
function notShown({ menus }: TakenOver, { path }: Page): string {
  const written = menus.filter((menu) => menu.written !== undefined);
  const departments = written.some(({ content }) =>
    destinationsOf(content).some((to) => to.kind === "other" && to.name === "department"),
  );
  const lines = [
    ...(written.length > 0
      ? ["The list does not show the kind of a recording. The files use `recording`."]
      : []),
    ...(departments
      ? ["The list has `ringgroup` for a department. The files use `department`."]
      : []),
    ...menus.flatMap(({ file, webhooks }) =>
      webhooks.length === 0
        ? []
        : `${path(file)}: ${webhooks.map((key) => `key ${key}`).join(", ")} ${webhooks.length === 1 ? "has a webhook" : "have webhooks"}, which a menu file cannot have. An update would remove ${webhooks.length === 1 ? "it" : "them"}.`,
    ),
  ];
  return lines.map((line) => `Note: ${visible(line)}\n`).join("");
}

function summary(
  { environment, menus, skipped, known: recordedBefore, isPrinted, isRecorded }: TakenOver,
  { command }: Page,
): string {
  const existing = menus.flatMap(({ key, written }) => (written === undefined ? key : []));
  const same =
    existing.length === 0
      ? ""
      : `Already in the project, with the same content: ${visible(listed(existing, maxListed))}\n`;
  const counts = [
    ...(recordedBefore === 0 ? [] : [`${many(recordedBefore, "menu")} already recorded`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} not imported`]),
  ].join(", ");
  if (isPrinted)
    return `${same}Nothing was written or recorded.${counts === "" ? "" : ` ${counts}.`}\n`;
  if (!isRecorded) {
    return menus.length === 0
      ? ""
      : "The files are written, but the menus are not recorded, so apply would create them again. Run the same command again.\n";
  }
  if (menus.length === 0) return `Nothing to import${counts === "" ? "" : `: ${counts}`}.\n`;
  return `${same}Recorded ${many(menus.length, "menu")} in the state of ${environment}, with ${menus.length === 1 ? "its id" : "their ids"}${counts === "" ? "" : `; ${counts}`}.
Next, check that nothing changes:
  ${command(suggest("plan", [], environment))}
`;
}
