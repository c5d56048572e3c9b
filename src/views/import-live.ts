import type { TakeOver } from "../import/take-over.ts";
import { destinationsIn } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { suggest } from "../util/suggest.ts";
import type { Result } from "../cli/result.ts";
import { type Page, visible } from "./terminal.ts";

interface Shown extends TakeOver {
  readonly environment: string | null;
  /** Whether the menus are only printed. */
  readonly isPrinted: boolean;
  readonly isRecorded: boolean;
}

/** The menus that were taken over, what the service does not show of them, and what to do next. */
export function takenOverResult(shown: Shown, hasFailed: boolean): Omit<Result, "exit"> {
  const { environment, menus, isPrinted } = shown;
  const written = menus.flatMap((menu) => (menu.written ? { ...menu, ...menu.written } : []));
  const head = (key: string) => (menus.length > 1 ? `---\nid: ${key}\n` : "");
  return {
    data: isPrinted ? written.map(({ key, text }) => head(key) + text).join("") : "",
    text: ({ path }) =>
      isPrinted ? "" : written.map(({ file }) => `${visible(path(file))}\n`).join(""),
    ...(environment !== null && {
      notes: (page) => unnamedIn(menus) + (menus.length > 0 ? notShown(shown, page) : ""),
      next: (page) => (menus.length > 0 || !hasFailed ? summary(shown, environment, page) : ""),
    }),
  };
}

/** The ids that have no name, each once. */
function unnamedIn(menus: TakeOver["menus"]): string {
  const all = menus.flatMap(({ written }) => written?.unnamed ?? []);
  const groups = [...groupBy(all, ({ value, reason }) => `${value}: ${reason}`)];
  if (groups.length === 0) return "";
  const lines = groups
    .slice(0, maxListed)
    .map(([what, { length }]) => `  ${visible(what)}${length === 1 ? "" : ` (${length} times)`}\n`);
  const more = groups.length > maxListed ? `  … and ${groups.length - maxListed} more\n` : "";
  return `Written as ids, because no name was found:\n${lines.join("")}${more}`;
}

const maxListed = 20;

/** What a list does not show, as far as it matters for these menus. */
function notShown({ menus }: Shown, { path }: Page): string {
  const written = menus.filter((menu) => menu.written !== undefined);
  const departments = written.some(({ content }) =>
    destinationsIn(content.payload).some((to) => to.startsWith("department||")),
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

function existingIn(menus: TakeOver["menus"]): string {
  const keys = menus.flatMap(({ key, written }) => (written === undefined ? key : []));
  if (keys.length === 0) return "";
  const shown = visible(listed(keys, maxListed));
  return `Already in the project, with the same content: ${shown}\n`;
}

function summary(
  { menus, skipped, known, isPrinted, isRecorded }: Shown,
  environment: string,
  { command }: Page,
): string {
  const same = existingIn(menus);
  const counts = [
    ...(known === 0 ? [] : [`${many(known, "menu")} already on record`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} not imported`]),
  ].join(", ");
  if (isPrinted)
    return `${same}Nothing was written or recorded.${counts === "" ? "" : ` ${counts}.`}\n`;
  if (!isRecorded) {
    return menus.length === 0
      ? ""
      : "The files are written, but the menus are not on record, so apply would create them again. Run the same command again.\n";
  }
  if (menus.length === 0) return `Nothing to import${counts === "" ? "" : `: ${counts}`}.\n`;
  return `${same}Recorded ${many(menus.length, "menu")} in the state of ${environment}, with ${menus.length === 1 ? "its id" : "their ids"}${counts === "" ? "" : `; ${counts}`}.
Next, check that nothing changes:
  ${command(suggest("plan", [], environment))}
`;
}
