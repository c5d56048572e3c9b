import { isAbout } from "../diagnostics/groups.ts";
import { type CodeAction, CodeActionKind, type CodeActionParams } from "vscode-languageserver";
import type { Agent } from "../project/agent-list.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type Diagnostic, diagnosticRange } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { inline } from "../yaml/new-document.ts";
import { type Edit, EditProblem, insertAfter } from "../references/edits.ts";
import { type Occurrence, eachPlace, occurrencesIn, rootsIn } from "../references/occurrences.ts";
import {
  replaceAgent,
  replaceable,
  shortestName,
  shortestReference,
} from "../references/people.ts";
import { visible } from "../util/visible.ts";
import { entriesOf, entry } from "../yaml/node.ts";
import { toProtocol } from "./convert.ts";
import type { OpenFile } from "./place.ts";
import { workspaceEdit } from "./rename.ts";

/** The quick fixes for the lines of a range: the corrections of problems there. */
export function fixesFor(file: OpenFile, { range, context }: CodeActionParams): CodeAction[] {
  const { source, project, uriOf } = file;
  const { only } = context;
  if (only && !only.some((kind) => `${CodeActionKind.QuickFix}.`.startsWith(`${kind}.`))) return [];
  return project.diagnostics
    .filter(
      ({ file: path, line = 0 }) =>
        path === source.file && line > range.start.line && line <= range.end.line + 1,
    )
    .flatMap((problem) => {
      const corrections = correctionsOf(source, problem);
      // A name that is nearly right is misspelled. Otherwise, the agent may have left.
      const fixes = corrections.length > 0 ? corrections : agentFixes(file, problem);
      return fixes.map(({ title, edits }) => ({
        title: visible(title),
        kind: CodeActionKind.QuickFix,
        diagnostics: [toProtocol(problem, uriOf)],
        edit: workspaceEdit(edits, uriOf),
      }));
    });
}

interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

function correctionsOf(source: Source, problem: Diagnostic): Fix[] {
  const { hint } = problem;
  if (typeof hint !== "object" || !("instead" in hint)) return [];
  const at = hint.at ? source.span(hint.at.start, hint.at.end) : placeOf(source, problem);
  return hint.instead.map((value) => {
    const text = hint.at === undefined ? inline(value) : value;
    const title = titleOf(source.text.slice(at.start, at.end), text);
    return { title, edits: [{ at, text }] };
  });
}

function placeOf(source: Source, problem: Diagnostic): Span {
  const { line, column, endLine, endColumn } = diagnosticRange(problem);
  return source.span(source.offset(line, column), source.offset(endLine, endColumn));
}

function titleOf(before: string, after: string): string {
  return before.includes("\n")
    ? "Correct these lines"
    : `Replace ${before.trim()} with ${after.trim()}`;
}

/** Who could take the calls of an agent who is ambiguous, left or is blocked, and who could be key 0. */
function agentFixes({ project, source }: OpenFile, problem: Diagnostic): Fix[] {
  const { start } = placeOf(source, problem);
  if (isAbout(problem, "no operator")) return keyZero(project, source, start);
  const choose = choicesFor[problem.code];
  const all = choose === undefined ? [] : occurrencesIn(project);
  const occurrence = all.find(
    ({ kind, spans, isDefinition }) =>
      kind === "agent" &&
      !isDefinition &&
      spans.some((at) => at.source.file === source.file && at.start === start),
  );
  if (occurrence === undefined || choose === undefined) return [];
  const isGone = occurrence.agent !== undefined || isAbout(problem, "not found", "blocked agent");
  const places = isGone ? replaceable(all.filter(({ id }) => id === occurrence.id)) : [occurrence];
  const where = eachPlace(places).length;
  return choose(occurrence, project, all)
    .slice(0, mostChoices)
    .flatMap((agent) => {
      const name = shortestName(agent, project);
      const edits = attempted(() => replaceAgent(places, agent, project));
      const title = `Replace ${occurrence.name} with ${name}${where > 1 ? ` in all ${where} places` : ""}`;
      return name === undefined || edits === undefined ? [] : { title, edits };
    });
}

const mostChoices = 8;

type Choose = (
  one: Occurrence,
  project: LoadedProject,
  all: readonly Occurrence[],
) => readonly Agent[];

/** For an agent who gets no calls: those of the same team or department, then those of the same menu. */
const colleagues: Choose = (occurrence, { agents }, all) => {
  const { team, department } = occurrence.destination?.reference ?? {};
  const group = occurrence.agent?.team ?? team;
  const near = [
    ...(group === undefined ? [] : (agents?.with("team", group) ?? [])),
    ...(department === undefined ? [] : (agents?.with("department", department) ?? [])),
    ...all.flatMap(({ agent, in: tree }) => (tree.root === occurrence.in.root && agent) || []),
  ];
  return [...new Set(near)].filter((agent) => agent !== occurrence.agent && canTakeCalls(agent));
};

const choicesFor: Partial<Record<Diagnostic["code"], Choose>> = {
  IVR301: colleagues,
  IVR302: (one, { agents }) =>
    (agents?.find(one.destination?.reference ?? {}) ?? []).filter(canTakeCalls),
  IVR304: colleagues,
  // Whoever has the extension now may be the same person with a new name.
  IVR314: (occurrence, project, all) => {
    const lost = project.agents?.lost(occurrence.destination?.reference ?? {});
    const holders = lost?.holders.filter(canTakeCalls) ?? [];
    return [...holders, ...colleagues(occurrence, project, all)];
  },
};

function canTakeCalls({ blocked, eid }: Agent): boolean {
  return !blocked && eid !== null;
}

/** Key 0 goes where callers go who press nothing or a wrong key. */
function keyZero(project: LoadedProject, source: Source, start: number): Fix[] {
  const menu = project.menus.find(
    ({ optionsAt }) => optionsAt?.source === source && optionsAt.start === start,
  );
  const { facts, optionsAt } = menu ?? {};
  const options = rootsIn(source).flatMap((root) => {
    const optionsEntry = entry(root, "options");
    return optionsEntry?.key.start === optionsAt?.start && optionsEntry ? [optionsEntry.value] : [];
  })[0];
  const last = entriesOf(options).findLast(({ merged }) => !merged);
  if (!facts || options === undefined || last === undefined) return [];
  const fallbacks = [facts["timeout.destination"], facts["invalid.destination"]];
  const names = new Set(
    fallbacks.flatMap((fallback) => {
      const name =
        fallback?.agent && canTakeCalls(fallback.agent)
          ? shortestReference(fallback.agent, project)
          : undefined;
      return name === undefined ? [] : inline({ for: "Operator", ...name });
    }),
  );
  return [...names].flatMap((text) => {
    const edits = attempted(() => [insertAfter(last, options, [`0: ${text}`])]);
    return edits === undefined ? [] : { title: `Add 0: ${text}`, edits };
  });
}

/** A fix that cannot be made safely is not offered. */
function attempted<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof EditProblem) return undefined;
    throw error;
  }
}
