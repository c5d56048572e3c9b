import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { optionValue } from "../import/menu-text.ts";
import { formattedMenu, menuWriter } from "../import/write-menu.ts";
import { folderDefaultsName } from "../project/files.ts";
import { variablesWritten } from "../project/vars.ts";
import { type Edit, EditProblem, inStyle } from "../references/edits.ts";
import { rootsIn } from "../references/occurrences.ts";
import type { Intent } from "../schema/intent.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type MapNode, type Node, entry, field, nodeAt, textField } from "../yaml/node.ts";
import type { Value } from "../yaml/new-document.ts";
import { type At, type Task, type Texts, type Way, byPath, inMenu, menuAt, placeIn } from "./at.ts";
import { type Facts, changedFacts, differences, factsOf, identity } from "./facts.ts";
import { type Manner, ownEntry, put, textAfter, valueEdits } from "./put.ts";
import { menusSharing } from "./shared.ts";
import { testWays } from "./test-edits.ts";

/** Loads the project with some texts instead of its files. */
export type Load = (texts: Texts) => Promise<LoadedProject>;

export interface Edited {
  readonly texts: Texts;
  /** The project with these texts. */
  readonly project: LoadedProject;
  /** The menus that change. */
  readonly menus: readonly string[];
}

/**
 * Writes an intent into the files of a project. Tries one way after the other, and takes the first that
 * compiles to exactly what the person wants: no new error, and no other change. Throws an `EditProblem`
 * if there is none.
 */
export async function edit(project: LoadedProject, intent: Intent, load: Load): Promise<Edited> {
  const task = await taskOf(project, intent);
  let problem: EditProblem | undefined;
  for (const way of task.ways) {
    try {
      const texts = way();
      const after = await load(texts);
      return { texts, project: after, menus: checked(project, after, task) };
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      problem ??= error;
    }
  }
  throw problem ?? new EditProblem("ivrctl cannot write this into the file.", placeOf(project));
}

/** The menus that an edit changes. Throws an `EditProblem` if it is not what was wanted. */
function checked(before: LoadedProject, after: LoadedProject, task: Task): string[] {
  const known = new Set(before.diagnostics.map(({ code, message }) => `${code} ${message}`));
  const error = after.diagnostics.find(
    ({ severity, code, message }) => severity === "error" && !known.has(`${code} ${message}`),
  );
  if (error) throw new EditProblem(error.message, error);
  const [was, is] = [allFacts(before), allFacts(after)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((key) => {
    const [facts, wanted] = [is.get(key), task.wanted.get(key)];
    const [old = new Map()] = [was.get(key)];
    const expected: Facts = wanted ?? old;
    const wrong = facts === undefined ? ["the menu"] : differences(expected, facts);
    if (wrong.length > 0 && !task.shared?.has(key)) {
      const what = wanted ? `${wrong.join(", ")} would be different.` : `${key} would change too.`;
      throw new EditProblem(`With this edit, ${what}`, placeOf(after));
    }
    return facts === undefined || differences(old, facts).length > 0;
  });
  const missing = task.missing?.(after);
  if (missing !== undefined) throw new EditProblem(missing, placeOf(after));
  return changed;
}

function allFacts({ menus }: LoadedProject): ReadonlyMap<string, Facts> {
  return new Map(
    menus.flatMap((menu) => (menu.key === undefined ? [] : [[menu.key, factsOf(menu)]])),
  );
}

function placeOf({ menus: [menu] }: LoadedProject): { file: string } {
  return { file: menu?.source.file ?? "ivrs" };
}

async function taskOf(project: LoadedProject, intent: Intent): Promise<Task> {
  if (intent.do === "menu") return newMenuTask(project, intent);
  const at = menuAt(project, intent.menu);
  if (intent.do === "expect" || intent.do === "test") return testWays(at, intent);
  const facts = factsOf(at.menu);
  const task = (changes: Parameters<typeof changedFacts>[1], ways: readonly Way[]): Task => ({
    ways,
    wanted: new Map([[intent.menu, changedFacts(facts, changes)]]),
  });
  const sharing = (path: string, one: Task): Task =>
    "where" in intent && intent.where === "everywhere"
      ? { ...one, shared: new Set(menusSharing(project, intent.menu, path)) }
      : one;
  switch (intent.do) {
    case "option": {
      const { from, to } = intent;
      const path = `options.${from ?? to?.key ?? ""}`;
      const sms = at.menu.options?.find(({ key }) => key === from)?.sms?.id;
      const changes = {
        ...(from !== undefined && { [path]: undefined, [`${path}.for`]: undefined }),
        ...(from !== undefined && { [`${path}.sms`]: undefined }),
        ...(to && {
          [`options.${to.key}`]: identity(to.destination),
          [`options.${to.key}.for`]: to.for,
          [`options.${to.key}.sms`]: sms,
        }),
      };
      if (to && to.key !== from && facts.has(`options.${to.key}`)) {
        throw new EditProblem(`This menu already has a key ${to.key}.`, at.menu.keyAt);
      }
      return sharing(path, task(changes, optionWays(at, intent)));
    }
    case "destination": {
      const value = at.references.destination(intent.to).value;
      const ways = fieldWays(at, intent.path, value, intent.where);
      return sharing(intent.path, task({ [intent.path]: identity(intent.to) }, ways));
    }
    case "count":
    case "text": {
      const value = intent.do === "count" ? Number(intent.to) : intent.to;
      const ways = fieldWays(at, intent.path, value, intent.where);
      return sharing(intent.path, task({ [intent.path]: String(value) }, ways));
    }
    case "says":
      return saysTask(at, intent);
  }
}

/** The ways to give a menu a value at a path, only here or at the place where it comes from. */
function fieldWays(at: At, path: string, value: Value, where: "here" | "everywhere"): Way[] {
  const steps = path.split(".");
  if (where === "here") {
    const manners: Manner[] = ["fields", "whole"];
    const ways = manners.map(
      (manner): Way =>
        () =>
          inMenu(at, (root) => put(root, steps, value, manner)),
    );
    return [...variableWays(at, steps, value), ...ways];
  }
  return [
    () => {
      const node = nodeAt(at.effective, steps);
      if (node === undefined) throw new EditProblem("This has no value yet.", at.menu.keyAt);
      return byPath(valueEdits(node, value));
    },
    () => inLayer(at, steps, (root) => put(root, steps, value, "whole")),
  ];
}

function optionWays(at: At, { from, to, where }: Intent & { do: "option" }): Way[] {
  const steps = ["options", from ?? to?.key ?? ""];
  const isOwn = ownEntry(at.node.root, "options")?.value;
  const own = isOwn?.kind === "map" ? ownEntry(isOwn, steps[1] ?? "") : undefined;
  if (to === null) {
    const remove = (root: MapNode) => put(root, steps, undefined);
    if (where === "everywhere") return [() => inLayer(at, steps, remove)];
    const hide = (root: MapNode) => put(root, steps, null, "whole");
    return own ? [() => inMenu(at, remove), () => inMenu(at, hide)] : [() => inMenu(at, hide)];
  }
  const reference = at.references.destination(to.destination).value;
  const option = at.menu.options?.find(({ key }) => key === from);
  const sms = option?.sms && at.references.smsTemplate(option.sms.id).value;
  const value = (purpose: string | undefined) => optionValue(reference, purpose, sms);
  const rename = (key: MapNode["entries"][number]["key"]): Edit[] =>
    to.key === from ? [] : [{ at: key, text: /\d/.test(to.key) ? to.key : JSON.stringify(to.key) }];
  if (where === "everywhere") {
    const found = entry(nodeAt(at.effective, ["options"]), steps[1] ?? "");
    if (found === undefined) {
      return [() => inLayer(at, ["options"], (root) => put(root, steps, value(to.for)))];
    }
    return [
      () => byPath([...rename(found.key), ...valueEdits(found.value, value(to.for))]),
      () =>
        inLayer(at, steps, (root) => [
          ...put(root, steps, value(to.for), "whole"),
          ...rename(entry(nodeAt(root, ["options"]), steps[1] ?? "")?.key ?? found.key),
        ]),
    ];
  }
  // What is not changed stays as it is written, with its variables.
  const written = textField(own?.value, "for");
  const purpose = written !== undefined && option?.for?.value === to.for ? written : to.for;
  const next = ["options", to.key];
  const writes = (manner: Manner, text: string | undefined): Way => {
    return () => {
      if (own !== undefined) {
        return inMenu(at, (root) => {
          const mapping = nodeAt(root, ["options"]);
          const entryNow = mapping?.kind === "map" ? ownEntry(mapping, steps[1] ?? "") : undefined;
          return [
            ...put(root, steps, value(text), manner),
            ...(entryNow ? rename(entryNow.key) : []),
          ];
        });
      }
      const hidden =
        from === undefined || from === to.key
          ? at.menu.source.text
          : textAfter(at.menu.source.text, placeIn(at), (root) => put(root, steps, null, "whole"));
      const text2 = textAfter(hidden, placeIn(at), (root) => put(root, next, value(text), manner));
      return new Map([[at.menu.source.file, text2]]);
    };
  };
  return [
    ...(to.key === from ? variableWays(at, steps, reference) : []),
    writes("fields", purpose),
    writes("whole", to.for),
  ];
}

/** If a shared text only names a variable, the menu can set that variable for itself. */
function variableWays(at: At, steps: readonly string[], value: Value): Way[] {
  const name = typeof value === "string" ? value : undefined;
  const node = nodeAt(at.effective, steps);
  const scalar = node?.kind === "map" ? field(node, "agent") : node;
  if (name === undefined || scalar?.kind !== "scalar" || scalar.via === undefined) return [];
  const variables = scalar.via.flatMap(({ variable, text, at: place }) =>
    variable !== undefined && text === scalar.text && place.source !== at.menu.source
      ? variable
      : [],
  );
  const isAlone = variablesWritten(scalar).length === 1;
  return variables.length === 1 && isAlone
    ? [() => inMenu(at, (root) => put(root, ["vars", variables[0] ?? ""], name))]
    : [];
}

/** Edits the nearest file with defaults that has a value at a path. */
function inLayer(
  { project, menu, effective, node }: At,
  steps: readonly string[],
  editsOf: (root: MapNode) => readonly Edit[],
): Texts {
  const folders = project.opened.folders
    .filter(({ file }) => menu.source.file.startsWith(file.slice(0, -folderDefaultsName.length)))
    .toSorted((a, b) => b.file.length - a.file.length)
    .flatMap(rootsIn);
  const { config } = project.opened;
  const name = project.environment?.name ?? "";
  const inConfig = [["environments", name, "defaults"], ["defaults"]].flatMap(
    (path) => nodeAt(config?.root, path) ?? [],
  );
  const layers: Node[] = [node.root, ...folders, ...inConfig];
  const found = layers.find(
    (root): root is MapNode => root.kind === "map" && nodeAt(root, steps) !== undefined,
  );
  if (found === undefined) throw new EditProblem("No file has this value.", effective);
  return byPath(editsOf(found));
}

/** The text of a recording is in ivrctl.yaml, and the same in every menu that plays it. */
function saysTask(at: At, { path, to }: Intent & { do: "says" }): Task {
  const { project, menu } = at;
  const recording = menu.facts[path];
  const { config } = project.opened;
  if (recording === undefined || config === undefined || recording.value.alias === undefined) {
    const message =
      "This recording has no name in ivrctl.yaml, so its text cannot be written there.";
    throw new EditProblem(message, recording?.at ?? menu.keyAt);
  }
  const { id, alias } = recording.value;
  const { saysAt } = recording;
  const wanted = new Map(
    project.menus.flatMap((one): [string, Facts][] => {
      const facts = factsOf(one);
      const places = [...facts].flatMap(([name, value]) =>
        name.endsWith("recording") && value === id ? [[`${name}.says`, to]] : [],
      );
      return one.key === undefined
        ? []
        : [[one.key, changedFacts(facts, Object.fromEntries(places))]];
    }),
  );
  const parts = [["environments", project.environment?.name ?? ""], []];
  const way: Way = () => {
    if (saysAt !== undefined) {
      const node = parts.flatMap(
        (part) => nodeAt(config.root, [...part, "recordings", alias, "says"]) ?? [],
      )[0];
      return byPath(node ? valueEdits(node, to) : [{ at: saysAt, text: inStyle(saysAt, to) }]);
    }
    const part = parts.find((one) => nodeAt(config.root, [...one, "recordings", alias]));
    const steps = [...(part ?? []), "recordings", alias];
    const node = nodeAt(config.root, steps);
    if (node?.kind === "scalar") return byPath(valueEdits(node, { id: node.text, says: to }));
    return byPath(put(config.root, [...steps, "says"], to));
  };
  return { ways: [way], wanted };
}

/** A new menu has the settings of another one, as far as the defaults do not give them. */
async function newMenuTask(project: LoadedProject, intent: Intent & { do: "menu" }): Promise<Task> {
  const { key, like, name, option } = intent;
  const file = `ivrs/${key}.yaml`;
  const model = [...project.compiled.values(), ...project.blocked.values()].find(
    (menu) => menu.key === like,
  );
  const { environment, agents } = project;
  if (project.opened.files.has(file))
    throw new EditProblem(`There is already a file ${file}.`, { file });
  if (model === undefined || environment === undefined) {
    throw new EditProblem(`The menu \`${like}\` has errors, so it cannot be copied.`, { file });
  }
  const { numbers: _, ...content } = model.content;
  const { for: purpose, ...to } = option;
  const options = [{ ...to, ...(purpose !== undefined && { for: purpose }) }];
  const menu = { ...content, name, description: name, options };
  const problems = new Diagnostics();
  const write = menuWriter({ environment, agents, folders: project.opened.folders }, []);
  const at = () => new Source(file, "").top();
  const text = write({ key: undefined, menu, at }, { file, isOrdered: false }, problems);
  if (text === undefined) {
    throw new EditProblem(problems.sorted()[0]?.message ?? "This menu cannot be written.", {
      file,
    });
  }
  const formatted = await formattedMenu(text);
  return {
    ways: [() => new Map([[file, formatted.text]])],
    wanted: new Map(),
    shared: new Set([key]),
    missing: (after) =>
      after.menus.some((one) => one.key === key) ? undefined : "The menu would not be there.",
  };
}
