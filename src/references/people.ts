import { peopleIn } from "../call/reached.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { referenceWords, reportAmbiguous, reportNotFound } from "../compile/agent-problems.ts";
import { type Agent, type AgentReference, type Agents, normalName } from "../project/agent-list.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { References } from "./shortest-reference.ts";
import { findSnapshot, snapshotName } from "../project/agents-lock.ts";
import { changedFields } from "../model/menu-diff.ts";
import { joined } from "../util/many.ts";
import { type Edit, destinationEdits } from "./edits.ts";
import { type Occurrence, eachPlace, occurrencesIn } from "./occurrences.ts";

/** An agent that a person named: one of the list, or one that only the files name. */
export interface Person {
  readonly name: string;
  readonly agent: Agent | undefined;
  /** The agents on the list whom the name means. */
  readonly matches: readonly Agent[];
  /** Every place that means the agent. */
  readonly places: readonly Occurrence[];
}

/** Reads the name of an agent as people write it: `Ravi Kumar`, or `Ravi Kumar, team Billing`. */
function readReference(words: string, agents: Agents | undefined): AgentReference {
  const isName = agents !== undefined && agents.with("agent", words).length > 0;
  const parts = isName ? [words] : words.split(/,\s+/);
  return Object.fromEntries(
    parts.map((part) => {
      const match = isName
        ? null
        : /^(team|department|intercom|eid|extension|id):? +(.+)$/.exec(part);
      if (match === null) return ["agent", part];
      return [match[1] === "extension" ? "eid" : match[1], match[2]];
    }),
  );
}

/**
 * Finds an agent by name, also one that is no longer on the list, or whose name others have now. Reports a
 * name that no file has, unless it means one agent.
 */
export function findPerson(
  words: string,
  project: LoadedProject,
  diagnostics: Diagnostics,
): Person | undefined {
  const all = occurrencesIn(project).filter((one) => one.kind === "agent" && !one.isDefinition);
  const wanted = readReference(words, project.agents);
  const matches = project.agents?.find(wanted) ?? [];
  const [agent, ...others] = matches;
  if (agent !== undefined && others.length === 0) {
    return { name: agent.name, agent, matches, places: all.filter((one) => one.agent === agent) };
  }
  const isSame = ({ destination }: Occurrence) => {
    const { reference = {} } = destination ?? {};
    // With more fields, it is a different name.
    if (agent && Object.keys(reference).length > Object.keys(wanted).length) return false;
    return Object.entries(wanted).every(([name, value]) => {
      const { [name]: written = "" } = { ...reference };
      return normalName(written) === normalName(value);
    });
  };
  const places = all.filter((one) => one.agent === undefined && isSame(one));
  if (places.length > 0) return { name: words, agent: undefined, matches, places };
  report(words, project, diagnostics);
  return undefined;
}

/** Finds the agent on the list who can take calls. Reports any other name. */
export function findReplacement(
  words: string,
  project: LoadedProject,
  diagnostics: Diagnostics,
): Agent | undefined {
  const wanted = readReference(words, project.agents);
  const [agent, other] = project.agents?.find(wanted) ?? [];
  if (agent === undefined || other !== undefined) {
    report(words, project, diagnostics);
    return undefined;
  }
  if (!agent.blocked && agent.eid !== null) return agent;
  diagnostics.addFile(
    agent.blocked ? "IVR304" : "IVR305",
    listFile(project),
    agent.blocked
      ? `${agent.name} is blocked and gets no calls.`
      : `The agent list has no extension for ${agent.name}.`,
    "Choose a different agent, or change this agent on the console and pull the list again.",
  );
  return undefined;
}

/** Reports a name that means no agent or several, as if it were in the agent list. */
function report(words: string, project: LoadedProject, diagnostics: Diagnostics): void {
  const { agents, environment } = project;
  if (agents === undefined) return;
  const wanted = readReference(words, agents);
  const problems = new Diagnostics();
  const place = new Source("", "").top();
  const several = agents.find(wanted);
  if (several.length > 1) reportAmbiguous(wanted, several, place, problems);
  else reportNotFound(wanted, () => place, agents, environment?.name, problems);
  const choices = several.flatMap((agent) => shortestName(agent, project) ?? []).slice(0, 3);
  const quoted = choices.map((choice) => `\`${choice}\``);
  for (const problem of problems.sorted()) {
    const { code, message, hint } = problem;
    const choose = isAbout(problem, "ambiguous")
      ? `Write the name of the agent, \`intercom ${words}\` or \`eid ${words}\`.`
      : choices.length > 1
        ? `Write ${joined(quoted, "or")}.`
        : hint;
    diagnostics.addFile(code, listFile(project), message, choose);
  }
}

/** The shortest fields that match only this agent. Undefined for an agent without an extension. */
export function shortestReference(
  { eid }: Agent,
  { agents, environment }: LoadedProject,
): AgentReference | undefined {
  if (environment === undefined || eid === null) return undefined;
  const { value } = new References(agents, environment).agent(eid);
  return typeof value === "string" ? { agent: value } : value;
}

/** The team or departments and the intercom number of everybody whom callers reach, by extension. */
export function knownPeople(project: LoadedProject): Readonly<Record<string, string>> {
  const names = peopleIn(project.menus).flatMap(([{ person }]) => {
    const eid = person.kind === "agent" ? person.eid : undefined;
    const [agent] = eid === undefined ? [] : (project.agents?.find({ eid }) ?? []);
    if (eid === undefined || agent === undefined) return [];
    const { team, departments, intercom } = agent;
    const details = [team ?? departments.join(" and "), intercom].filter(Boolean).join(" · ");
    return [[eid, details] as const];
  });
  return Object.fromEntries(names);
}

/** The same as words: `Ravi Kumar, team Billing`. */
export function shortestName(agent: Agent, project: LoadedProject): string | undefined {
  const fields = shortestReference(agent, project);
  return fields && referenceWords(fields);
}

function listFile({ opened, environment }: LoadedProject): string {
  return findSnapshot(opened.files, environment?.name) ?? snapshotName;
}

/** The places that mean one agent in this environment. `{ team: Billing }` in a test allows a whole team. */
export function replaceable(places: readonly Occurrence[]): Occurrence[] {
  return places.filter(({ path, destination, isDefinition, in: tree }) => {
    const { agent, eid, id, intercom } = destination?.reference ?? {};
    const isOne = [agent, eid, id, intercom].some((one) => one !== undefined);
    return !isDefinition && !tree.isAbsent && (isOne || !path.includes("reaches"));
  });
}

/** The edits that put an agent in some places. */
export function replaceAgent(
  places: readonly Occurrence[],
  to: Agent,
  project: LoadedProject,
): Edit[] {
  const fields = shortestReference(to, project);
  return fields === undefined
    ? []
    : eachPlace(places).flatMap(({ node }) => (node ? destinationEdits(node, fields) : []));
}

/** What else an edit changes in menus, because it uses the same variable or anchor: `main: description`. */
export function otherChanges(before: LoadedProject, after: LoadedProject): string[] {
  const now = new Map([...after.compiled.values()].map(({ key, content }) => [key, content]));
  return [...before.compiled.values()].flatMap(({ key, content }) => {
    const changed = changedFields(content, now.get(key) ?? content);
    return changed.flatMap(({ path, before: was, after: is }) =>
      (is ?? was)?.is === "destination" ? [] : `${key}: ${path}`,
    );
  });
}
