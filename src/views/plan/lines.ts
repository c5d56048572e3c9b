import type { Change } from "../../deploy/plan/changes.ts";
import type { Bind } from "../../deploy/plan/numbers.ts";
import { isOld } from "../../schema/ref.ts";
import { phoneText } from "../../util/phone.ts";
import { describeChange } from "../../model/field-words.ts";
import { type Menu, reachedBy } from "../../model/menu.ts";
import { type FieldChange, changedFields, fieldsIn } from "../../model/menu-diff.ts";
import { type CallPath, arrow, menuPaths } from "./field-names.ts";

/** One line about what changes for callers. Text from outside is in it, so each format escapes it. */
export interface Line {
  /** The field of the payload, or what happens to the whole menu. */
  readonly field: string;
  readonly text: string;
  /** The text with the names of the menu's variables in place of their values. */
  readonly masked: string;
  /** Equal for lines that say the same of two menus, apart from their variables. */
  readonly id: string;
}

/** What callers notice of a change: from what they reach now to what they reach after apply. */
export function callerLines(change: Change): Line[] {
  const { action, before, after, bind, vars } = change;
  const numbers = bind
    .filter((binding) => !follows(binding, change))
    .map((binding) => numberLine(binding, vars));
  switch (action) {
    case "create":
      return after ? [whole("new", after, change), ...numbers] : numbers;
    case "delete":
      return before ? [whole("deleted", before.menu, change)] : [plainLine("deleted")];
    case "forget":
      return [forgotten(change)];
    case "missing":
    case "drift":
    case "unknown":
    case "move":
    case "bind":
      return numbers;
    case "update":
    case "replace":
    case "restore":
    case "waiting":
    case "blocked":
      if (after === undefined) return numbers;
      return before === undefined
        ? [whole(action === "restore" ? "restored" : "new", after, change), ...numbers]
        : [...changedLines(change), ...numbers];
  }
}

/** The fields that differ for callers. A link to the same menu with a new id is no difference for them. */
export function callerChanges({ before, after, drift }: Change): FieldChange[] {
  if (before === undefined || after === undefined) return [];
  // As the service shows it, or else as it is on record.
  return changedFields((drift ?? before).menu, after).filter(
    ({ before: was, after: is }) =>
      was?.is !== "destination" ||
      is?.is !== "destination" ||
      reachedBy(was.value) !== reachedBy(is.value),
  );
}

function changedLines(change: Change): Line[] {
  const { drift, vars } = change;
  return callerChanges(change).map((found) => {
    const { path } = found;
    const { what, before: was, after: is } = describeChange(found);
    const isOnConsole = drift?.differences.some((drifted) => drifted.path === path) === true;
    const text = `${what}: ${arrow(was, is, isOnConsole)}`;
    const masked = `${maskLabel(what, vars)}: ${arrow(mask(was, vars), mask(is, vars), isOnConsole)}`;
    const raw = masked === text ? [found.before?.value, found.after?.value] : [];
    return { field: path, text, masked, id: JSON.stringify([path, masked, raw]) };
  });
}

/** A menu as a whole: `new: 1 Asha Rao, 2 Ravi Kumar, 0 Front Desk`. */
function whole(word: string, menu: Menu, { vars, gone, action }: Change): Line {
  const paths = menuPaths(menu);
  const text = `${word}: ${pathsText(paths, (words) => words)}`;
  const masked = `${word}: ${pathsText(paths, (words) => mask(words, vars))}`;
  const raw = paths.map((path) => {
    const words = mask(path.reaches, vars);
    return words === path.reaches ? path.destination : words;
  });
  const again =
    gone === undefined || action !== "create" ? "" : " (again: the service no longer lists it)";
  const id = JSON.stringify([word, raw, settingsOf(menu), again]);
  return { field: word, text: text + again, masked: masked + again, id };
}

/** What a menu is besides its name, its description and where its callers get to. */
function settingsOf(menu: Menu): unknown {
  return [...fieldsIn(menu)].flatMap(([path, { is, value }]) =>
    is === "destination" || path === "name" || path === "description" ? [] : [[path, value]],
  );
}

/** A menu whose file was deleted, and that is not deleted on the service. */
function forgotten({ ref, gone }: Change): Line {
  if (gone === undefined) {
    return plainLine(
      "file deleted; callers may still reach this menu until someone removes it on the console",
    );
  }
  const what = isOld(ref) ? "follow-up done" : "file deleted";
  return plainLine(`${what}; the service no longer lists this menu`);
}

function plainLine(text: string): Line {
  return { field: "deleted", text, masked: text, id: text };
}

function pathsText(paths: readonly CallPath[], shown: (words: string) => string): string {
  const keys = paths.filter(({ at }) => at !== "invalid" && at !== "timeout");
  const [wrong, silence] = ["invalid", "timeout"].map((at) => paths.find((path) => path.at === at));
  const rest =
    wrong && silence && wrong.reaches === silence.reaches
      ? [`wrong key and silence ${shown(wrong.reaches)}`]
      : [wrong, silence].flatMap((path) => (path ? `${path.place} ${shown(path.reaches)}` : []));
  return [
    ...keys.map(({ trigger, reaches }) => `${trigger.keys.join("")} ${shown(reaches)}`),
    ...rest,
  ].join(", ");
}

/** Whether a phone number only follows its menu, which is replaced or restored. */
export function follows({ before }: Bind, { before: record, followUp }: Change): boolean {
  const ids = [record?.identified?.id, followUp?.current.identified?.id];
  return before?.kind === "menu" && before.id !== undefined && ids.includes(before.id);
}

function numberLine({ number, from }: Bind, vars: Change["vars"]): Line {
  const text = `${phoneText(number)}: ${from} → this menu`;
  const masked = `its phone number: ${mask(from.replace(/ \(\d+\)$/, ""), vars)} → this menu`;
  return { field: "number", text, masked, id: masked };
}

/** A text with the names of variables in place of their values. */
function mask<T extends string | null>(text: T, vars: Change["vars"]): T | string {
  if (text === null) return text;
  const longest = [...vars].toSorted(([, a], [, b]) => b.length - a.length);
  return longest.reduce<string>((shown, [name, value]) => {
    if (value === "") return shown;
    return shown.replaceAll(boundedPattern(value), `{{${name}}}`);
  }, text);
}

function boundedPattern(value: string): RegExp {
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}{])${escaped}(?![\p{L}\p{N}}])`, "gu");
}

/** `key 1 (Sales at Thane)` with variables in its purpose. */
function maskLabel(what: string, vars: Change["vars"]): string {
  return what.replace(/\(.*\)$/s, (purpose) => mask(purpose, vars));
}
