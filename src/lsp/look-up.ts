import { describeOther } from "../call/describe-call.ts";
import { aboutAgents } from "../compile/agent-problems.ts";
import type { ResolvedRecording } from "../compile/menu.ts";
import { readValue, resolveDestination, resolveRecording } from "../compile/references.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { type Subject, schemasAt } from "../schema/json-schema.ts";
import { anyRecording, option } from "../schema/destination.ts";
import { many } from "../util/many.ts";
import { secrets } from "../util/secrets.ts";
import { fenced } from "../views/markdown.ts";
import { inOrder, menuLines } from "../views/show.ts";
import { visible } from "../util/visible.ts";
import { type Entry, entry, nodeAt, scalarsIn } from "../yaml/node.ts";
import { type Found, type OpenFile, varsAt, menuAt, scalarAt } from "./place.ts";

/** Explains what is at an offset, as Markdown. Names may contain anything, so they are escaped. */
export function explain(file: OpenFile, offset: number): string | undefined {
  const found = scalarAt(file.source, offset);
  if (found === undefined) return undefined;
  const about = thingAt(file, offset, found)?.about ?? [];
  const parts = [...about.map(escaped), ...aboutField(file, offset, found)];
  return parts.length === 0 ? undefined : secrets.mask(parts.join("\n\n"));
}

function escaped(text: string): string {
  return visible(text).replace(/[\\`*_[\]<&~]/g, String.raw`\$&`);
}

/** Where the thing at an offset is defined: a variable, an alias, a menu or a default. */
export function findDefinition(file: OpenFile, offset: number): Span | undefined {
  const found = scalarAt(file.source, offset);
  return found && (thingAt(file, offset, found)?.at ?? defaultOf(file, found)?.key);
}

/** What a text refers to. */
interface Thing {
  readonly about: readonly string[];
  /** Where it is defined. */
  readonly at?: Span | undefined;
}

function thingAt(file: OpenFile, offset: number, found: Found): Thing | undefined {
  const { environment, agents } = file.project;
  const { recordings, smsTemplates } = environment ?? {};
  const variable = variableAt(found, offset);
  if (variable !== undefined) {
    const vars = varsAt(file, offset);
    const known = vars?.find(variable);
    if (known === undefined) return undefined;
    const { key, value } = known;
    const text = vars?.textOf(variable) ?? "";
    return { about: [`{{${variable}}} is "${text}" (${fileAndLine(value)}).`], at: key };
  }
  if (found.isKey) return undefined;
  const { text } = found.scalar;
  const field = found.path.at(-1);
  if (field === "menu" || field === "in" || field === "moved_from") return menuThing(text, file);
  if (field === "sms") {
    const { id, at } = smsTemplates?.get(text) ?? {};
    return { about: id === undefined ? [] : [`SMS template ${text} (id ${id})`], at };
  }
  const part = referenceWith(found, file.subject);
  if (part === undefined || field === "for" || found.path.includes("sms")) return undefined;
  // Without the variables of the menu, the text may not be a name.
  const menu = menuAt(file, offset);
  const node = nodeAt(menu?.root, part.path) ?? part.node;
  const context = { environment, agents, diagnostics: new Diagnostics() };
  if (part.isRecording) {
    const written = readValue(anyRecording, node);
    const found = written ? resolveRecording(written, node, context)?.value : undefined;
    const name = found?.alias ?? text;
    return { about: found ? aboutRecording(name, found) : [], at: recordings?.get(name)?.at };
  }
  const written = readValue(option, node);
  const to = written ? resolveDestination(written, node, context) : undefined;
  if (to === undefined) return undefined;
  const { value, agent } = to;
  switch (value?.kind) {
    case "agent": {
      const who = `Agent ${value.name} (extension ${value.eid})`;
      return { about: [who, (agent && aboutAgents([agent])) || []].flat() };
    }
    case "menu":
      return menuThing(value.key, file);
    case "other":
      return { about: [describeOther(value)] };
    case "unreachable":
      return undefined;
    case undefined:
      return { about: ["There is no agent list, so ivrctl does not check agents."] };
  }
}

/** The name of the variable `{{name}}` at an offset. */
function variableAt({ scalar }: Found, offset: number): string | undefined {
  const written = scalar.source.text.slice(scalar.start, scalar.end);
  for (const found of written.matchAll(/\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}/g)) {
    const start = scalar.start + found.index;
    if (start <= offset && offset <= start + found[0].length) return found[1];
  }
  return undefined;
}

/** The part of the way to a scalar that refers to a destination or a recording. */
function referenceWith({ path, root }: Found, subject: Subject) {
  for (let length = path.length; length > 0; length -= 1) {
    const steps = path.slice(0, length);
    const node = nodeAt(root, steps);
    const shapes = new Set(schemasAt(subject, steps).map(({ shape }) => shape));
    const isRecording = shapes.has("recording_reference");
    const isReference = isRecording || destinations.some((shape) => shapes.has(shape));
    if (isReference && node !== undefined) return { node, path: steps, isRecording };
  }
  return undefined;
}

/** The shapes in the schema of values that name an agent or a menu. */
const destinations = ["option", "destination", "reached"];

function menuThing(key: string, { project: { menus, tests } }: OpenFile): Thing | undefined {
  const menu = menus.find((candidate) => candidate.key === key);
  if (menu === undefined) return undefined;
  const count = tests.suites.find((suite) => suite.menu.key === key)?.tests.length;
  return {
    about: [
      `Menu ${key}: ${menu.name?.value ?? "without a name"}`,
      menu.facts.description?.value ?? [],
      count === undefined ? [] : many(count, "test"),
    ].flat(),
    at: menu.keyAt,
  };
}

function aboutRecording(name: string, { id, says, seconds }: ResolvedRecording["value"]): string[] {
  const length = seconds === undefined ? "" : `, ${many(seconds, "second")}`;
  return [`Recording ${name} (id ${id}${length})`, says === undefined ? [] : `"${says}"`].flat();
}

/** What the schema says about a field, and where its value and its defaults come from, as Markdown. */
function aboutField(file: OpenFile, offset: number, found: Found): string[] {
  const { path, isKey } = found;
  const schema = schemasAt(file.subject, path).find(
    (candidate) => candidate.description !== undefined,
  );
  const { description } = isKey ? (schema ?? {}) : {};
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
      ? escaped(`The default is "${value.text}" (${fileAndLine(value)}).`)
      : [],
    isInherited
      ? fenced(
          "yaml",
          menuLines(part, (path) => path),
        )
      : [],
  ].flat();
}

/** The default that the value at a place overrides. */
function defaultOf({ project, source, subject }: OpenFile, { path }: Found): Entry | undefined {
  if (subject !== "menu" && subject !== "defaults") return undefined;
  // The defaults of a folder override those of the folder above it.
  const above = subject === "menu" ? source.file : source.file.replace(/\/[^/]*$/, "");
  const { defaults } = project.inherited.of(above);
  return defaults && entry(nodeAt(defaults, path.slice(0, -1)), String(path.at(-1)));
}
