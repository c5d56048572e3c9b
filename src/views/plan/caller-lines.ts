import type { Change } from "../../deploy/plan/changes/changes.ts";
import type { StateView } from "../../deploy/state/view.ts";
import type { Bind } from "../../deploy/plan/number-resources.ts";
import { isOld } from "../../schema/ref.ts";
import { phoneText } from "../../util/phone.ts";
import { describeChange, fieldWords } from "../../model/field-words.ts";
import { type Menu, reachedBy } from "../../model/menu.ts";
import {
  type FieldChange,
  type MenuField,
  type WordChange,
  changedFields,
  changedWords,
  fieldIdentity,
  fieldsIn,
} from "../../model/menu-diff.ts";
import { fields } from "../../schema/fields.ts";
import { groupBy } from "../../util/group-by.ts";
import { isUnheard } from "../../reach/instance.ts";
import { type DescribedPath, arrow, describePaths } from "./field-names.ts";

/** One line about what changes for callers. Text from outside is in it, so each format escapes it. */
export interface ChangeLine {
  /** The field of the payload, or what happens to the whole menu. */
  readonly field: string;
  readonly text: string;
  /** The text with variables in place of what the name of the menu shows anyway. */
  readonly masked: string;
  /** Equal for lines that say the same of two menus, apart from what their names show. */
  readonly id: string;
  /** What is always shown for each menu. */
  readonly each?: string;
  /** Whether it is only about how often or how long. A summary leaves that out first. */
  readonly isCount?: boolean;
}

/** What recordings are meant to say, and which of them a person has to record. */
type Recordings = StateView["recordings"];

/** What callers notice of a change: from what they reach now to what they reach after apply. */
export function callerLines(change: Change, recordings: Recordings): ChangeLine[] {
  const { action, before, after } = change;
  const vars = namedVars(change);
  const numbers = numberLines(change, vars);
  switch (action) {
    case "create":
      return after ? [whole("new", after, change, vars), ...numbers] : numbers;
    case "delete":
      return before ? [whole("deleted", before.menu, change, vars)] : [plainLine("deleted")];
    case "forget":
      return [forgotten(change)];
    case "missing":
    case "drift":
    case "unknown":
    case "move":
    case "bind":
    case "record":
      return numbers;
    case "update":
    case "replace":
    case "restore":
    case "reword":
    case "waiting":
    case "blocked":
      if (after === undefined) return numbers;
      return before === undefined
        ? [whole(action === "restore" ? "restored" : "new", after, change, vars), ...numbers]
        : [...changedLines(change, vars, recordings), ...numbers];
  }
}

/** The variables whose values are in the name of the menu, so that a reader can fill them in. */
type Vars = readonly (readonly [name: string, value: string])[];

function namedVars({ name, vars }: Change): Vars {
  return [...vars]
    .filter(([, value]) => value !== "" && boundedPattern(value, "iu").test(name))
    .sort(([, a], [, b]) => b.length - a.length);
}

/** The fields that differ for callers. A link to the same menu with a new id is no difference for them. */
export function callerChanges({ before, after, drift }: Change): FieldChange[] {
  if (before === undefined || after === undefined) return [];
  // As the service shows it, or else as it is recorded.
  return changedFields((drift ?? before).menu, after).filter(
    ({ row, before: was, after: is }) =>
      !isUnheard(row) &&
      (was?.is !== "destination" ||
        is?.is !== "destination" ||
        reachedBy(was.value) !== reachedBy(is.value)),
  );
}

function changedLines(change: Change, vars: Vars, recordings: Recordings): ChangeLine[] {
  const { drift } = change;
  const fields = callerChanges(change)
    .toSorted((a, b) => weightOf(a) - weightOf(b))
    .map((fieldChange): ChangeLine => {
      const { path } = fieldChange;
      const { what, before, after } = describeChange(fieldChange);
      const isOnConsole = drift?.differences.some((drifted) => drifted.path === path) === true;
      const [was, is] = [
        maskedValue(fieldChange.before, before, vars),
        maskedValue(fieldChange.after, after, vars),
      ];
      const label = maskLabel(what, vars);
      return {
        field: path,
        text: `${what}: ${arrow(before, after, isOnConsole)}`,
        masked: `${label}: ${arrow(was.text, is.text, isOnConsole)}`,
        id: JSON.stringify([path, label, isOnConsole, was, is]),
        isCount: isCount(fieldChange),
      };
    });
  const { before, after } = change;
  const changed = before && after ? changedWords(before.menu, after) : [];
  const words = changed.map((one) => wordLine(one, recordings, vars));
  return [
    ...fields.filter((line) => !line.isCount),
    ...words,
    ...fields.filter((line) => line.isCount),
  ];
}

/** A new text of a recording, or a new purpose of a key. */
function wordLine(
  { path, recording, key, before, after }: WordChange,
  recordings: Recordings,
  vars: Vars,
): ChangeLine {
  const { says, open = null } = recordings.get(recording?.id ?? "") ?? {};
  const isRecorded = (open === null ? says : open.was) === after;
  const next = isRecorded
    ? "the recording says that already"
    : "record it again, ivrctl does not change recordings";
  const again = recording ? `; ${next}` : "";
  const what = recording
    ? `text of recording ${recording.alias ?? recording.id}`
    : `key ${key}, for`;
  const [was, is] = [`“${before}”`, `“${after}”`];
  const text = `${what}: ${arrow(was, is, false)}${again}`;
  const masked = `${mask(what, vars)}: ${arrow(mask(was, vars), mask(is, vars), false)}${again}`;
  return { field: path, text, masked, id: masked };
}

/** Who answers comes before what callers hear, and that before how often and how long. */
function weightOf(field: Pick<FieldChange, "row">): number {
  return fields[field.row].is === "destination" ? 0 : isCount(field) ? 2 : 1;
}

function isCount({ row }: Pick<FieldChange, "row">): boolean {
  const { is } = fields[row];
  return is === "count" || is === "number";
}

interface Masked {
  readonly text: string | null;
  /** What it is on the service, unless the variables say it. */
  readonly is?: string;
}

function maskedValue(field: MenuField | undefined, words: string | null, vars: Vars): Masked {
  if (field === undefined || words === null) return { text: words };
  // A recording whose alias has a variable has a different id in each menu.
  const alias = field.is === "recording" ? field.value.alias : undefined;
  const unmasked = alias !== undefined && mask(alias, vars) !== alias ? alias : words;
  const text = isCount(field) ? words : mask(unmasked, vars);
  return text === unmasked ? { text: words, is: fieldIdentity(field) } : { text };
}

/** A menu as a whole: `new: 1 Asha Rao, 2 Ravi Kumar, 0 Front Desk`. */
function whole(word: string, menu: Menu, { gone, action }: Change, vars: Vars): ChangeLine {
  const paths = describePaths(menu);
  const again =
    gone === undefined || action !== "create" ? "" : " (again: the service no longer lists it)";
  const values = [...fieldsIn(menu).values()].flatMap((field) =>
    isUnheard(field.row) ? [] : [[field.path, maskedValue(field, fieldWords(field), vars)]],
  );
  return {
    field: word,
    text: `${word}: ${pathsText(paths, (words) => words)}${again}`,
    masked: `${word}: ${pathsText(paths, (words) => mask(words, vars))}${again}`,
    id: JSON.stringify([word, values, again]),
  };
}

/** A menu whose file was deleted, and that is not deleted on the service. */
function forgotten({ ref, gone }: Change): ChangeLine {
  if (gone === undefined) {
    return plainLine(
      "file deleted; callers may still reach this menu until someone removes it on the console",
    );
  }
  const what = isOld(ref) ? "follow-up done" : "file deleted";
  return plainLine(`${what}; the service no longer lists this menu`);
}

function plainLine(text: string): ChangeLine {
  return { field: "deleted", text, masked: text, id: text };
}

function pathsText(paths: readonly DescribedPath[], style: (words: string) => string): string {
  const keys = paths.filter(({ at }) => at !== "invalid" && at !== "timeout");
  const [wrong, silence] = ["invalid", "timeout"].map((at) => paths.find((path) => path.at === at));
  const rest =
    wrong && silence && wrong.reaches === silence.reaches
      ? [`wrong key and silence ${style(wrong.reaches)}`]
      : [wrong, silence].flatMap((path) => (path ? `${path.place} ${style(path.reaches)}` : []));
  return [
    ...keys.map(({ trigger, reaches }) => `${trigger.keys.join("")} ${style(reaches)}`),
    ...rest,
  ].join(", ");
}

/** Whether a phone number only follows its menu, which is replaced or restored. */
export function follows({ before }: Bind, { before: record, followUp }: Change): boolean {
  const ids = [record?.identified?.id, followUp?.current.identified?.id];
  return before?.kind === "menu" && before.id !== undefined && ids.includes(before.id);
}

/**
 * The phone numbers that will point to the menu or, if files are compared, that a different menu names. One line
 * for those that go the same way.
 */
function numberLines(change: Change, vars: Vars): ChangeLine[] {
  const bindings = change.bind.filter((binding) => !follows(binding, change));
  const named = (key: string | null) =>
    key === null ? "no menu" : key === change.key ? "this menu" : `menu ${key}`;
  const bound = bindings.map(({ number, from, isOnConsole }) => {
    return { number, from, to: "this menu", isOnConsole };
  });
  const compared = (change.numbers ?? []).map(({ number, before, after }) => {
    return { number, from: named(before), to: named(after), isOnConsole: false };
  });
  const origins = groupBy([...bound, ...compared], ({ from, to, isOnConsole }) =>
    arrow(mask(from.replace(/ \(\d+\)$/, ""), vars), to, isOnConsole).replace(
      "this menu",
      "these menus",
    ),
  );
  return [...origins].map(([origin, [first, ...more]]) => {
    const each = [first, ...more].map(({ number }) => phoneText(number)).join(", ");
    const masked = `phone numbers: ${origin}`;
    return {
      field: "number",
      text: `${each}: ${arrow(first.from, first.to, first.isOnConsole)}`,
      masked,
      id: masked,
      each,
    };
  });
}

/** A text with the names of variables in place of their values. */
function mask(text: string, vars: Vars): string {
  return vars.reduce(
    (shown, [name, value]) => shown.replaceAll(boundedPattern(value, "gu"), () => `{{${name}}}`),
    text,
  );
}

function boundedPattern(value: string, flags: string): RegExp {
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}{])${escaped}(?![\p{L}\p{N}}])`, flags);
}

/** `key 1 (Sales at Thane)` with variables in its purpose. */
function maskLabel(what: string, vars: Vars): string {
  return what.replace(/\(.*\)$/s, (purpose) => mask(purpose, vars));
}
