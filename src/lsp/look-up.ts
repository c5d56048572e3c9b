import type { LoadedProject } from "../compile/load-project.ts";
import type { ResolvedDestination, ResolvedMenu, ResolvedRecording } from "../compile/menu.ts";
import { resolveDestination, resolveRecording } from "../compile/references.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { annotations } from "../schema/json-schema.ts";
import { schemasAt } from "../schema/lookup.ts";
import { many } from "../util/many.ts";
import { secrets } from "../util/secrets.ts";
import { inOrder, menuLines } from "../views/show.ts";
import { visible } from "../util/visible.ts";
import { type Entry, type ScalarNode, at, entry, scalarsIn } from "../yaml/node.ts";
import { type Found, type OpenFile, layersAt, menuAt, partWith, scalarAt } from "./place.ts";

/** Explains what is at an offset. Plain text, because names may contain anything. */
export function explain(file: OpenFile, offset: number): string | undefined {
  const found = scalarAt(file.source, offset);
  if (found === undefined) return undefined;
  const thing = thingAt(file, offset, found);
  const about = [thing && aboutThing(thing, file.project), aboutField(file, offset, found)].flat();
  const lines = about.filter((line) => line !== undefined);
  return lines.length === 0
    ? undefined
    : lines.map((line) => secrets.mask(visible(line))).join("\n");
}

/** Where the thing at an offset is defined: a variable, an alias, a menu or a default. */
export function definitionOf(file: OpenFile, offset: number): Span | undefined {
  const found = scalarAt(file.source, offset);
  if (found === undefined) return undefined;
  const thing = thingAt(file, offset, found);
  switch (thing?.kind) {
    case "variable":
      return thing.key;
    case "menu":
      return thing.menu.keyAt;
    case "recording":
    case "sms_template":
      // The alias of the environment comes after that of the project, and overrides it.
      return file.project.environment?.aliases.findLast(
        ({ kind, name }) => kind === thing.kind && name === thing.name,
      )?.at;
    case "destination":
    case undefined:
      return defaultOf(file, found)?.key;
  }
}

/** What a text refers to. */
type Thing =
  | {
      readonly kind: "variable";
      readonly name: string;
      readonly key: Span;
      readonly value: ScalarNode;
    }
  | { readonly kind: "menu"; readonly menu: ResolvedMenu }
  | { readonly kind: "recording"; readonly name: string; readonly found?: ResolvedRecording }
  | { readonly kind: "sms_template"; readonly name: string }
  | {
      readonly kind: "destination";
      readonly to: ResolvedDestination | undefined;
      readonly problems: Diagnostics;
    };

function thingAt(file: OpenFile, offset: number, found: Found): Thing | undefined {
  const { project, subject } = file;
  const variable = variableAt(found, offset);
  if (variable !== undefined) {
    const known = layersAt(file, offset).flatMap(({ values }) => values.get(variable) ?? [])[0];
    return known && { kind: "variable", name: variable, ...known };
  }
  if (found.isKey) return undefined;
  const { text } = found.scalar;
  const field = found.path.at(-1);
  if (field === "menu" || field === "in" || field === "moved_from") {
    const named = project.menus.find(({ key }) => key === text);
    return named && { kind: "menu", menu: named };
  }
  if (field === "sms") return { kind: "sms_template", name: text };
  const part = partWith(references, found, subject);
  if (part === undefined || field === "for" || found.path.includes("sms")) return undefined;
  const menu = menuAt(file, offset);
  // Without the variables of the menu, the text may not be a name.
  const node = (menu && at(menu.root, part.path)) ?? part.node;
  const problems = new Diagnostics();
  const validity = { invalidNodes: new Set<never>(), misspelled: new Set<never>() };
  const { environment, agents } = project;
  const context = { environment, agents, validity, diagnostics: problems };
  if (schemasAt(subject, part.path).some(({ shape }) => shape === "recording_reference")) {
    const recording = resolveRecording(node, context);
    const name = recording?.value.alias ?? text;
    return { kind: "recording", name, ...(recording && { found: recording }) };
  }
  return { kind: "destination", to: resolveDestination(node, node, context), problems };
}

/** The shapes in the schema of values that refer to something. */
const references = ["recording_reference", "option", "destination", "reached"];

/** The name of the variable `{{name}}` at an offset. */
function variableAt({ scalar }: Found, offset: number): string | undefined {
  const written = scalar.source.text.slice(scalar.start, scalar.end);
  for (const found of written.matchAll(/\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}/g)) {
    const start = scalar.start + found.index;
    if (start <= offset && offset <= start + found[0].length) return found[1];
  }
  return undefined;
}

function aboutThing(thing: Thing, project: LoadedProject): string[] {
  switch (thing.kind) {
    case "variable":
      return [`{{${thing.name}}} is "${thing.value.text}" (${placeOf(thing.value)}).`];
    case "menu":
      return aboutMenu(thing.menu, project);
    case "sms_template": {
      const id = project.environment?.smsTemplates.get(thing.name)?.text;
      return id === undefined ? [] : [`SMS template ${thing.name} (id ${id})`];
    }
    case "recording": {
      const { id, says, seconds } = thing.found?.value ?? {};
      if (id === undefined) return [];
      const length = seconds === undefined ? "" : `, ${many(seconds, "second")}`;
      return [
        `Recording ${thing.name} (id ${id}${length})`,
        ...(says === undefined ? [] : [`"${says}"`]),
      ];
    }
    case "destination":
      return aboutDestination(thing.to, thing.problems, project);
  }
}

function aboutMenu({ key, name, description }: ResolvedMenu, { tests }: LoadedProject): string[] {
  const count = tests.suites.find(({ menu }) => menu.key === key)?.tests.length;
  return [
    `Menu ${key}: ${name?.value ?? "without a name"}`,
    ...(description === undefined ? [] : [description.value]),
    ...(count === undefined ? [] : [many(count, "test")]),
  ];
}

function aboutDestination(
  to: ResolvedDestination | undefined,
  problems: Diagnostics,
  project: LoadedProject,
): string[] {
  switch (to?.kind) {
    case "extension": {
      const { name, team, departments, intercom, eid, blocked } = to.agent;
      return [
        `Agent ${name}`,
        ...(team === null ? [] : [`Team: ${team}`]),
        ...(departments.length === 0 ? [] : [`Department: ${departments.join(", ")}`]),
        ...(intercom === null ? [] : [`Intercom: ${intercom}`]),
        `Extension: ${eid}`,
        ...(blocked ? ["Blocked: gets no calls"] : []),
      ];
    }
    case "menu": {
      const menu = project.menus.find(({ key }) => key === to.key);
      return menu === undefined ? [] : aboutMenu(menu, project);
    }
    case "other":
      return [`${to.name} ${to.id}`];
    case "unchecked":
      return ["There is no agent list, so ivrctl does not know this agent."];
    case "unreachable":
    case undefined:
      return problems.sorted().map(({ message }) => message);
  }
}

/** What the schema says about a field, and where its value and its defaults come from. */
function aboutField(file: OpenFile, offset: number, found: Found): string[] {
  const { path, isKey } = found;
  const schema = schemasAt(file.subject, path).find((one) => one.description !== undefined);
  const { description } = isKey ? annotations(schema ?? {}) : {};
  const preset = defaultOf(file, found);
  const value = preset?.value;
  const menu = menuAt(file, offset);
  const isFirst = menu?.node.top.start === found.scalar.start;
  const entries = menu?.root.entries.filter(({ key }) => isFirst || key.text === path[0]) ?? [];
  const part = isKey && path.length === 1 && menu ? inOrder({ ...menu.root, entries }) : undefined;
  const isInherited = part && scalarsIn(part).some(({ source }) => source !== file.source);
  return [
    description ?? [],
    value?.kind === "scalar" && !isInherited
      ? `The default is "${value.text}" (${placeOf(value)}).`
      : [],
    isInherited ? ["", ...menuLines(part, menu?.unset ?? new Set(), (path) => path)] : [],
  ].flat();
}

/** The default that the value at a place overrides. */
function defaultOf({ project, source, subject }: OpenFile, { path }: Found): Entry | undefined {
  if (subject !== "menu" && subject !== "defaults") return undefined;
  // The defaults of a folder override those of the folder above it.
  const above = subject === "menu" ? source.file : source.file.replace(/\/[^/]*$/, "");
  const { defaults } = project.inherited.of(above);
  return defaults && entry(at(defaults, path.slice(0, -1)), String(path.at(-1)));
}

function placeOf({ source, start }: Span): string {
  return `${source.file}:${source.position(start).line}`;
}
