import { EditProblem, inStyle } from "../references/edits.ts";
import type { FileChanges } from "../project/change-files.ts";
import { TextFiles } from "../project/text-files.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import type { Intent } from "../schema/intent.ts";
import { type LoadOptions, type LoadedProject, loadProject } from "../workspace/load-project.ts";
import { nodeAt } from "../yaml/node.ts";
import { type Task, type Texts, byPath, menuAt, newError } from "./at.ts";
import { type Facts, changedFacts, differences, factsOf } from "./facts.ts";
import { fieldTask } from "./field-edits.ts";
import { keyTask, orderTask, smsTask } from "./key-edits.ts";
import { deleteTask, newMenuTask } from "./menu-edits.ts";
import { menuNamed, personTask, renameTask } from "./name-edits.ts";
import { put, valueEdits } from "./put.ts";
import { expectTask, saveTask } from "./test-edits.ts";

/** Loads the project with some texts instead of its files, for its environment or a different one. */
export type Load = (texts: Texts, environment?: string) => Promise<LoadedProject>;

export function loaderOf(
  { opened, environment: own }: LoadedProject,
  options: Partial<LoadOptions> = {},
): Load {
  return (texts, environment) =>
    loadProject(
      {
        ...opened,
        globals: { env: environment ?? own?.name },
        files: new TextFiles(Object.fromEntries(texts), opened.files),
      },
      {
        paths: [],
        agentsRequired: false,
        advice: "all",
        tests: true,
        ...(environment === undefined && options),
      },
    );
}

export interface Edited {
  readonly texts: Texts;
  readonly project: LoadedProject;
  readonly menus: readonly string[];
}

/** The same texts, with those that the files of the project had when it was loaded. */
export function changesOf({ opened }: LoadedProject, texts: Texts): FileChanges {
  const sources = [opened.source ?? [], opened.menus, opened.folders, opened.tests].flat();
  const known = new Map(sources.map(({ file, text }) => [file, text]));
  return new Map(Array.from(texts, ([file, after]) => [file, { before: known.get(file), after }]));
}

/** Writes an intent into the files of a project. Throws an `EditProblem` if that is not possible. */
export async function edit(
  project: LoadedProject,
  intent: Intent,
  load: Load = loaderOf(project),
): Promise<Edited> {
  if (intent.do !== "set") return attempt(project, await taskOf(project, intent), load);
  let edited: Edited = { texts: new Map(), project, menus: [] };
  for (const field of intent.fields) {
    const { texts, project: before, menus } = edited;
    const at = menuAt(before, intent.menu);
    const [, key, isSms] = field.path.split(".");
    const task =
      isSms === "sms" && key !== undefined && !Array.isArray(field.to)
        ? smsTask(at, key, typeof field.to === "string" ? field.to : null, intent.where)
        : fieldTask(at, field, intent.where);
    const next = await attempt(before, task, (more, environment) =>
      load(new Map([...texts, ...more]), environment),
    );
    edited = {
      texts: new Map([...texts, ...next.texts]),
      project: next.project,
      menus: [...new Set([...menus, ...next.menus])],
    };
  }
  return edited;
}

/**
 * Tries one way after the other, and takes the first that compiles to exactly what the person wants in every
 * environment: no new error, and no other change.
 */
export async function attempt(project: LoadedProject, task: Task, load: Load): Promise<Edited> {
  const { environment } = project;
  const others = environment?.names.filter((name) => name !== environment.name) ?? [];
  let problem: EditProblem | undefined;
  for (const way of task.ways) {
    try {
      const texts = way();
      const after = await load(texts);
      const menus = checked(project, after, task);
      const missing = task.missing?.(after);
      if (missing !== undefined) throw new EditProblem(missing, placeOf(after));
      // On disk, somebody may have changed these files meanwhile.
      const known = new Map(
        Array.from(changesOf(project, texts), ([file, { before }]) => [file, before]),
      );
      for (const other of others) {
        const [before, now] = [await load(known, other), await load(texts, other)];
        checked(before, now, task, `In the environment ${other}: `);
      }
      return { texts, project: after, menus };
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      problem ??= error;
    }
  }
  throw problem ?? new EditProblem("ivrctl cannot write this into the file.", placeOf(project));
}

/** The menus that an edit changes. Throws an `EditProblem` if it is not what was wanted. */
function checked(before: LoadedProject, after: LoadedProject, task: Task, where = ""): string[] {
  const error = newError(before.diagnostics, after.diagnostics);
  if (error) throw new EditProblem(where + error.message, error);
  const [was, is, wanted] = [allFacts(before), allFacts(after), task.wanted(before)];
  const isFree = task.free?.(before) ?? (() => false);
  return [...new Set([...was.keys(), ...is.keys(), ...wanted.keys()])].filter((key) => {
    const [old, now] = [was.get(key), is.get(key)];
    const expected = wanted.has(key) ? wanted.get(key) : old;
    const wrong = differences(expected ?? none, now ?? none).filter((path) => !isFree(key, path));
    if ((expected === undefined) !== (now === undefined) && !isFree(key, ""))
      wrong.push("the menu");
    if (wrong.length > 0) {
      const what = wanted.has(key)
        ? `${wrong.join(", ")} would be different`
        : `${key} would change too`;
      throw new EditProblem(`${where}With this edit, ${what}.`, placeOf(after));
    }
    return old === undefined || now === undefined || differences(old, now).length > 0;
  });
}

const none: Facts = new Map();

function allFacts({ menus }: LoadedProject): ReadonlyMap<string, Facts> {
  return new Map(
    menus.flatMap((menu) => (menu.key === undefined ? [] : [[menu.key, factsOf(menu)]])),
  );
}

function placeOf({ menus: [menu] }: LoadedProject): { file: string } {
  return { file: menu?.source.file ?? "ivrs" };
}

async function taskOf(
  project: LoadedProject,
  intent: Exclude<Intent, { do: "set" }>,
): Promise<Task> {
  switch (intent.do) {
    case "menu":
      return newMenuTask(project, intent);
    case "says":
      return saysTask(project, intent);
    case "replace":
      return personTask(project, intent);
    case "rename":
      return renameTask(menuNamed(intent.menu, project), intent.to, project);
    default: {
      const at = menuAt(project, intent.menu);
      if (intent.do === "delete") return deleteTask(at);
      if (intent.do === "order") return orderTask(at, intent);
      if (intent.do === "option") return keyTask(at, intent);
      return intent.do === "expect" ? expectTask(at, intent) : saveTask(at, intent);
    }
  }
}

/** The text of a recording is in ivrctl.yaml, and the same in every menu that plays it. */
function saysTask(project: LoadedProject, { recording, to }: Intent & { do: "says" }): Task {
  const { config } = project.opened;
  const { environment } = project;
  const alias = environment?.recordings.get(recording);
  if (config === undefined || environment === undefined || alias === undefined) {
    const message = `There is no recording \`${recording}\` in ivrctl.yaml, so its text cannot be written there.`;
    throw new EditProblem(message, { file: "ivrctl.yaml" });
  }
  const wanted = ({ menus }: LoadedProject) =>
    new Map(
      menus.map((menu): [string, Facts] => {
        const facts = factsOf(menu);
        const said = fieldsOfKind("recording").flatMap((path) =>
          menu.facts[path]?.value.alias === recording ? [[`${path}.says`, to]] : [],
        );
        return [menu.key ?? "", changedFacts(facts, Object.fromEntries(said))];
      }),
    );
  const parts = [["environments", environment.name], []];
  const way = () => {
    const saysAt = alias.says?.at;
    if (saysAt !== undefined) {
      const [node] = parts.flatMap(
        (part) => nodeAt(config.root, [...part, "recordings", recording, "says"]) ?? [],
      );
      return byPath(node ? valueEdits(node, to) : [{ at: saysAt, text: inStyle(saysAt, to) }]);
    }
    const part = parts.find((one) => nodeAt(config.root, [...one, "recordings", recording]));
    const steps = [...(part ?? []), "recordings", recording];
    const node = nodeAt(config.root, steps);
    if (node?.kind === "scalar") return byPath(valueEdits(node, { id: node.text, says: to }));
    return byPath(put(config.root, [...steps, "says"], to));
  };
  return {
    ways: [way],
    wanted: (before) => (before === project ? wanted(before) : new Map()),
    // A different environment may say the same, or have a recording of its own.
    free: (before) => (_, path) => before !== project && path.endsWith(".says"),
  };
}
