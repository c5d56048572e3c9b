import { aboutAgent } from "../compile/agent-problems.ts";
import type { ResolvedDestination, ResolvedRecording } from "../compile/compiled-menu.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { type Occurrence, eachPlace, occurrencesIn } from "../references/occurrences.ts";
import { schemasAt } from "../workspace/file-schemas.ts";
import { many } from "../util/many.ts";
import { secrets } from "../util/secrets.ts";
import { fenced } from "../views/markdown.ts";
import { inSchemaOrder, menuLines } from "../views/menu-lines.ts";
import { visible } from "../util/visible.ts";
import { type MapEntry, entry, nodeAt, scalarsIn } from "../yaml/node.ts";
import { type FoundScalar, type OpenFile, varsAt, menuAt, scalarAt } from "./place.ts";
import { describeOther } from "../model/field-words.ts";

/** Explains what is at an offset, as Markdown. Names may contain anything, so they are escaped. */
export function explain(file: OpenFile, offset: number): string | undefined {
  const place = scalarAt(file.source, offset);
  if (place === undefined) return undefined;
  const parts = [...aboutAt(file, offset).map(escaped), ...aboutField(file, offset, place)];
  return parts.length === 0 ? undefined : secrets.mask(parts.join("\n\n"));
}

function escaped(text: string): string {
  return visible(text).replace(/[\\`*_[\]<&~]/g, String.raw`\$&`);
}

/** Where the thing at an offset is defined, or the default that it overrides. */
export function findDefinition(file: OpenFile, offset: number): Span | undefined {
  const occurrence = occurrenceAt(file, offset, "use");
  if (occurrence?.kind === "variable") return varsAt(file, offset)?.find(occurrence.name)?.key;
  const { recordings, smsTemplates, destinations } = file.project.environment ?? {};
  const aliases = new Map<Occurrence["kind"], typeof recordings>([
    ["recording", recordings],
    ["SMS template", smsTemplates],
    ["destination", destinations],
  ]);
  if (occurrence && aliases.has(occurrence.kind)) {
    // The alias of the environment comes before that of the project.
    return aliases.get(occurrence.kind)?.get(occurrence.name)?.at;
  }
  const defined = occurrencesIn(file.project).find(
    ({ id, isDefinition }) => isDefinition && id === occurrence?.id,
  );
  const place = scalarAt(file.source, offset);
  return defined?.spans[0] ?? (place && defaultOf(file, place)?.key);
}

/** Every place that means the same as the text at an offset. */
export function findReferences(file: OpenFile, offset: number, withDefinition: boolean): Span[] {
  const occurrence = occurrenceAt(file, offset);
  const same = occurrencesIn(file.project).filter(
    ({ id, isDefinition }) => id === occurrence?.id && (withDefinition || !isDefinition),
  );
  return eachPlace(same).map(({ spans }) => spans[0]);
}

/** The smallest text at an offset that means something. */
export function occurrenceAt(
  { project, source }: OpenFile,
  offset: number,
  kind?: "use",
): Occurrence | undefined {
  let best: { readonly one: Occurrence; readonly length: number } | undefined;
  for (const one of occurrencesIn(project)) {
    if (kind === "use" && one.isDefinition) continue;
    for (const { source: own, start, end } of one.spans) {
      const isHere = own.file === source.file && start <= offset && offset <= end;
      if (isHere && end - start < (best?.length ?? Number.POSITIVE_INFINITY)) {
        best = { one, length: end - start };
      }
    }
  }
  return best?.one;
}

/** What the text at an offset means, in words. */
function aboutAt(file: OpenFile, offset: number): readonly string[] {
  const occurrence = occurrenceAt(file, offset, "use");
  if (occurrence === undefined) return [];
  const { name, destination, recording } = occurrence;
  const { environment } = file.project;
  switch (occurrence.kind) {
    case "variable": {
      const vars = varsAt(file, offset);
      const variable = vars?.find(name);
      if (variable === undefined) return [];
      return [`{{${name}}} is "${vars?.textOf(name) ?? ""}" (${fileAndLine(variable.value)}).`];
    }
    case "menu":
      return aboutMenu(name, file);
    case "SMS template": {
      const id = environment?.smsTemplates.get(name)?.id;
      return id === undefined ? [] : [`SMS template ${name} (id ${id})`];
    }
    case "recording":
      return recording ? aboutRecording(recording.alias ?? name, recording) : [];
    case "agent":
    case "destination":
      return destination ? aboutDestination(destination) : [];
  }
}

function aboutDestination({ value, agent }: ResolvedDestination): string[] {
  switch (value?.kind) {
    case "agent": {
      const who = `Agent ${value.name} (extension ${value.eid})`;
      return [who, (agent && aboutAgent(agent)) || []].flat();
    }
    case "other":
      return [describeOther(value)];
    case undefined:
      return ["There is no agent list, so ivrctl does not check agents."];
    default:
      return [];
  }
}

function aboutMenu(key: string, { project: { menus, tests } }: OpenFile): string[] {
  const menu = menus.find((candidate) => candidate.key === key);
  if (menu === undefined) return [];
  const count = tests.suites.find((suite) => suite.menu.key === key)?.tests.length;
  return [
    `Menu ${key}: ${menu.name?.value ?? "without a name"}`,
    menu.facts.description?.value ?? [],
    count === undefined ? [] : many(count, "test"),
  ].flat();
}

function aboutRecording(name: string, { id, says, seconds }: ResolvedRecording["value"]): string[] {
  const length = seconds === undefined ? "" : `, ${many(seconds, "second")}`;
  return [`Recording ${name} (id ${id}${length})`, says === undefined ? [] : `"${says}"`].flat();
}

/** What the schema says about a field, and where its value and its defaults come from, as Markdown. */
function aboutField(file: OpenFile, offset: number, place: FoundScalar): string[] {
  const { path, isKey } = place;
  const schema = schemasAt(file.subject, path).find(
    (candidate) => candidate.description !== undefined,
  );
  const { description } = isKey ? (schema ?? {}) : {};
  const preset = defaultOf(file, place);
  const value = preset?.value;
  const menu = menuAt(file, offset);
  const isFirst = menu?.node.top.start === place.scalar.start;
  const entries = menu?.root.entries.filter(({ key }) => isFirst || key.text === path[0]) ?? [];
  const part =
    isKey && path.length === 1 && menu ? inSchemaOrder({ ...menu.root, entries }) : undefined;
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
function defaultOf(
  { project, source, subject }: OpenFile,
  { path }: FoundScalar,
): MapEntry | undefined {
  if (subject !== "menu" && subject !== "defaults") return undefined;
  // The defaults of a folder override those of the folder above it.
  const above = subject === "menu" ? source.file : source.file.replace(/\/[^/]*$/, "");
  const { defaults } = project.inherited.of(above);
  return defaults && entry(nodeAt(defaults, path.slice(0, -1)), String(path.at(-1)));
}
