import { resolveRecording } from "../compile/references.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { variablesWritten } from "../project/vars.ts";
import { EditProblem } from "../references/edits.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import type { Intent, WantedField } from "../schema/intent.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type Node, field, scalarsIn } from "../yaml/node.ts";
import type { Value } from "../yaml/new-document.ts";
import { type At, type Task, type Way, byPath, inLayer, inMenu, menuAt, valueAt } from "./at.ts";
import { changedFacts, factsOf, identity, numbersFact } from "./facts.ts";
import { put, valueEdits } from "./put.ts";
import { usesAt, writtenPlace } from "./shared.ts";

export type Where = (Intent & { do: "set" })["where"];
type Changes = Readonly<Record<string, string | undefined>>;

/** Gives a menu one value. */
export function fieldTask(at: At, { path, to }: WantedField, where: Where): Task {
  if (path.startsWith("vars.")) return variableTask(at, path.slice("vars.".length), to, where);
  if (to === null) return defaultTask(at, path, where);
  const { value, facts } = valueOf(at, path, to);
  const steps = path.split(".");
  const own: Way[] = (["fields", "whole"] as const).map(
    (manner) => () => inMenu(at, (root) => put(root, steps, value, manner)),
  );
  const shared: Way[] = [
    () => {
      const node = valueAt(at.effective, path);
      if (node === undefined) throw new EditProblem("This has no value yet.", at.menu.keyAt);
      return byPath(valueEdits(node, value));
    },
    () => inLayer(at, steps, (root) => put(root, steps, value, "whole")),
  ];
  const ways = where === "here" ? [...variableWays(at, path, value), ...own] : shared;
  return scopedTask(at, where, { path, from: path, facts, ways });
}

/** Removes the menu's own value, or that of its defaults. The menu then has what is left, if anything. */
function defaultTask(at: At, path: string, where: Where): Task {
  const steps = path.split(".");
  const before = valueAt(at.effective, path);
  const ways: Way[] = [
    () =>
      where === "here"
        ? inMenu(at, (root) => put(root, steps, undefined))
        : inLayer(at, steps, (root) => put(root, steps, undefined)),
  ];
  const task = scopedTask(at, where, { path, from: path, facts: {}, ways });
  const free = (project: LoadedProject) => {
    const others = task.free?.(project);
    return (menu: string, fact: string) =>
      (menu === at.key && isUnder(fact, path)) || others?.(menu, fact) === true;
  };
  const missing = (after: LoadedProject) => {
    const now = valueAt(menuAt(after, at.key).effective, path);
    const isSame = now?.source.file === before?.source.file && now?.start === before?.start;
    return isSame ? "This menu has no value of its own to remove." : undefined;
  };
  return { ...task, free, missing };
}

/** Sets a variable. Every value that uses it may change. */
function variableTask(at: At, name: string, to: WantedField["to"], where: Where): Task {
  const { key, menu } = at;
  const variable = menu.vars.find(name);
  if (variable === undefined || typeof to !== "string") {
    throw new EditProblem(`This menu has no variable \`${name}\` to set.`, menu.keyAt);
  }
  const ways: Way[] =
    where === "here"
      ? [() => inMenu(at, (root) => put(root, ["vars", name], to))]
      : [() => byPath(valueEdits(variable.value, to))];
  const isSame = (other: At["menu"]) => {
    const value = other.vars.find(name)?.value;
    return (
      value?.source.file === variable.value.source.file && value.start === variable.value.start
    );
  };
  return {
    ways,
    wanted: () => new Map(),
    free: (before) => {
      const changed = before.menus.filter((one) =>
        where === "here" ? one.key === key : isSame(one),
      );
      const using = new Map(changed.map((one) => [one.key, pathsUsing(before, one.key, name)]));
      return (one, fact) => using.get(one)?.some((path) => isUnder(fact, path)) === true;
    },
    missing: (after) =>
      menuAt(after, key).menu.vars.find(name)?.value.text === to
        ? undefined
        : "The variable would have a different value.",
  };
}

/** The facts of a menu that a variable is part of. */
function pathsUsing(project: LoadedProject, key: string | undefined, name: string): string[] {
  if (key === undefined) return [];
  const { menu, effective } = menuAt(project, key);
  return [...factsOf(menu).keys()].filter((path) => {
    const node = valueAt(effective, path.replace(/\.says$/, ""));
    const scalars = node === undefined ? [] : scalarsIn(node);
    return scalars.some(({ via }) => via?.some(({ variable }) => variable === name));
  });
}

interface ScopedEdit {
  /** The path that is shared or not. `options` is the place of all keys that a menu has from defaults. */
  readonly from: string;
  readonly path: string;
  /** Paths that change too: those of a key's new name. */
  readonly more?: readonly string[];
  readonly facts: Changes;
  readonly ways: readonly Way[];
}

/** A change of some paths of a menu and, if it is wanted everywhere, of every value from the same place. */
export function scopedTask(
  { project, key, menu }: At,
  where: Where,
  { from, path, more = [], facts, ways }: ScopedEdit,
): Task {
  const place = where === "here" ? undefined : writtenPlace(project, key, from);
  return {
    ways,
    wanted: (before) =>
      new Map(before === project ? [[key, changedFacts(factsOf(menu), facts)]] : []),
    free: (before) => {
      const uses = place === undefined ? [] : usesAt(before, place);
      // Only in its own environment is it known what the menu gets.
      const all = before === project ? uses : [...uses, { key, path }];
      const paths = new Map<string, Set<string>>();
      for (const use of all) {
        const own = paths.get(use.key) ?? new Set([path, ...more]);
        paths.set(use.key, use.path === "options" ? own : own.add(use.path));
      }
      const isExact = (fact: string) => [path, ...more].some((one) => isUnder(fact, one));
      return (one, fact) =>
        [...(paths.get(one) ?? [])].some((name) => isUnder(fact, name)) &&
        !(before === project && one === key && isExact(fact));
    },
  };
}

function isUnder(fact: string, path: string): boolean {
  return fact === path || fact.startsWith(`${path}.`);
}

const recordings: ReadonlySet<string> = new Set(fieldsOfKind("recording"));
const texts: ReadonlySet<string> = new Set(fieldsOfKind("text"));

/** A value as a file writes it, and the facts that it makes. */
function valueOf(
  { project, menu, references }: At,
  path: string,
  to: NonNullable<WantedField["to"]>,
): { readonly value: Value; readonly facts: Changes } {
  if (typeof to === "object" && "kind" in to) {
    return { value: references.destination(to).value, facts: { [path]: identity(to) } };
  }
  if (typeof to === "object") return { value: to, facts: { [path]: numbersFact(to) } };
  if (recordings.has(path)) {
    const diagnostics = new Diagnostics();
    const { environment, agents } = project;
    const recording = resolveRecording(to, menu.top, { environment, agents, diagnostics })?.value;
    if (recording === undefined) {
      const message = diagnostics.sorted()[0]?.message ?? "There is no such recording.";
      throw new EditProblem(message, menu.keyAt);
    }
    return { value: to, facts: { [path]: recording.id, [`${path}.says`]: recording.says } };
  }
  const isCount = !texts.has(path) && String(Number(to)) === to;
  return { value: isCount ? Number(to) : to, facts: { [path]: to } };
}

/** If a shared text has one variable, the menu can set that variable for itself. */
export function variableWays(at: At, path: string, value: Value): Way[] {
  const node: Node | undefined = valueAt(at.effective, path);
  const scalar = node?.kind === "map" ? field(node, "agent") : node;
  if (typeof value !== "string" || scalar?.kind !== "scalar" || scalar.via === undefined) return [];
  const [template] = scalar.via;
  const [variable, other] = template === undefined ? [] : variablesWritten(template.at);
  if (template === undefined || variable === undefined || other !== undefined) return [];
  const [before = "", after = ""] = template.text.split(/\{\{[^}]*\}\}/);
  const text = value.slice(before.length, value.length - after.length);
  return value === before + text + after && text !== ""
    ? [() => inMenu(at, (root) => put(root, ["vars", variable.value], text))]
    : [];
}
