import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Agent } from "../project/agent-list.ts";
import { canonicalKey } from "../project/options.ts";
import { EditProblem } from "../references/edits.ts";
import { type Occurrence, eachPlace, occurrencesIn } from "../references/occurrences.ts";
import { findPerson, findReplacement, replaceAgent, replaceable } from "../references/people.ts";
import { type Renaming, rename } from "../references/renaming.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import type { Intent } from "../schema/intent.ts";
import { groupBy } from "../util/group-by.ts";
import { hintText } from "../util/suggest.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type Task, type Texts, byPath } from "./at.ts";
import { changedFacts, factsOf, identity } from "./facts.ts";

/** The task to give something in the files a different name, or to put a different person there. */
export function renameTask(
  occurrence: Occurrence,
  to: string,
  project: LoadedProject,
): Task & { readonly renaming: Renaming } {
  const renaming = rename(occurrence, to, project);
  const ways = [() => renamedTexts(renaming, project)];
  if (occurrence.kind === "agent") {
    const places = occurrencesIn(project).filter(({ id }) => id === occurrence.id);
    return { ...replaceTask(places, personNamed(to, project), project), ways, renaming };
  }
  const isMenu = occurrence.kind === "menu";
  const wanted = (before: LoadedProject) => movedFacts(before, occurrence.name, to);
  return { renaming, ways, wanted: isMenu ? wanted : () => new Map() };
}

/** The facts of all menus, after a menu has a different key. */
function movedFacts(
  { menus }: LoadedProject,
  from: string,
  to: string,
): ReturnType<Task["wanted"]> {
  const [old, now] = [from, to].map((key) => identity({ kind: "menu", key }));
  const moved = menus.map((menu) => {
    const facts = factsOf(menu);
    const links = [...facts].flatMap(([path, text]) => (text === old ? [[path, now]] : []));
    const key = menu.key === from ? to : menu.key;
    return [key ?? "", changedFacts(facts, Object.fromEntries(links))] as const;
  });
  return new Map([[from, undefined], ...moved]);
}

function renamedTexts({ edits, files }: Renaming, { opened }: LoadedProject): Texts {
  const texts = new Map<string, string | undefined>(byPath(edits));
  for (const { from, to } of files) {
    const text = texts.get(from) ?? opened.files.read(from, "yamlFile", new Diagnostics())?.text;
    texts.set(to, text).set(from, undefined);
  }
  return texts;
}

/** The menu with this key, as the place where it is defined. */
export function menuNamed(key: string, project: LoadedProject): Occurrence {
  const definition = occurrencesIn(project).find(
    ({ kind, name, isDefinition }) => kind === "menu" && isDefinition && name === key,
  );
  if (definition === undefined)
    throw new EditProblem(`There is no menu \`${key}\`.`, { file: "ivrs" });
  return definition;
}

/** The task to put a person everywhere in the place of a different one. */
export function personTask(project: LoadedProject, { from, to }: Intent & { do: "replace" }): Task {
  const problems = new Diagnostics();
  const person = findPerson(from, project, problems);
  const [problem] = problems.sorted();
  if (person === undefined) {
    throw new EditProblem(problem?.message ?? "There is no agent list.", { file: "ivrs" });
  }
  if (!project.complete) {
    const message = "A file that cannot be read may have this person, too. Fix it first.";
    throw new EditProblem(message, project.diagnostics[0] ?? { file: "ivrs" });
  }
  return replaceTask(person.places, personNamed(to, project), project);
}

function personNamed(words: string, project: LoadedProject): Agent {
  const problems = new Diagnostics();
  const agent = findReplacement(words, project, problems);
  if (agent !== undefined) return agent;
  const [problem] = problems.sorted();
  const { message = "There is no agent list.", hint } = problem ?? {};
  throw new EditProblem(hint ? `${message} ${hintText(hint)}` : message, { file: "ivrs" });
}

const destinations: ReadonlySet<string> = new Set(fieldsOfKind("destination"));

function isDestination(fact: string): boolean {
  return destinations.has(fact) || /^options\.[^.]+$/.test(fact);
}

/** The task to put a person in some places. A text that has the same variable may change, too. */
export function replaceTask(
  places: readonly Occurrence[],
  to: Agent,
  project: LoadedProject,
): Task {
  const own = replaceable(places);
  const written = new Set(own.map(placeOf));
  const factsAt = (occurrences: readonly Occurrence[]) =>
    occurrences.flatMap(({ in: { subject, key }, path }): [string, string][] => {
      const fact = path.map((step) => canonicalKey(String(step))).join(".");
      return subject === "menu" && key !== undefined && isDestination(fact) ? [[key, fact]] : [];
    });
  const now = identity({ kind: "agent", eid: to.eid ?? "" });
  return {
    ways: [() => byPath(replaceAgent(own, to, project))],
    wanted: (before) => {
      if (before !== project) return new Map();
      const changed = groupBy(factsAt(own), ([key]) => key);
      return new Map(
        before.menus.flatMap((menu) => {
          const changes = changed.get(menu.key ?? "")?.map(([, fact]) => [fact, now]) ?? [];
          return changes.length === 0
            ? []
            : [[menu.key ?? "", changedFacts(factsOf(menu), Object.fromEntries(changes))]];
        }),
      );
    },
    free: (before) => {
      const same = occurrencesIn(before).filter((one) => written.has(placeOf(one)));
      const facts = new Set(before === project ? [] : factsAt(same).map((one) => one.join("\0")));
      return (menu, path) => path !== "" && (!isDestination(path) || facts.has(`${menu}\0${path}`));
    },
    missing: (after) => {
      const left = new Set(eachPlace(own).map(placeIn));
      const wrong = occurrencesIn(after).find(
        (one) => left.has(placeIn(one)) && one.destination && one.agent?.eid !== to.eid,
      );
      const here = own.find(
        (one) => wrong && eachPlace([one]).map(placeIn).includes(placeIn(wrong)),
      );
      if (here === undefined) return undefined;
      const message = "Here, the new name would not be read as that person.";
      throw new EditProblem(message, here.spans[0]);
    },
  };
}

/** Where something is written. */
function placeOf({ spans: [{ source, start }] }: Occurrence): string {
  return `${source.file} ${start}`;
}

/** What it is a part of, which an edit does not change. */
function placeIn({ in: { source, key = "" }, path }: Occurrence): string {
  return [source.file, key, ...path].join("\0");
}
