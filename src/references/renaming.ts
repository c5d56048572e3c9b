import type { LoadedProject } from "../workspace/load-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { digits, instruction, keyPattern, keyRule, varName } from "../schema/field-types.ts";
import { inline } from "../yaml/new-document.ts";
import { hintText } from "../util/suggest.ts";
import { type Node, entriesOf, field } from "../yaml/node.ts";
import { type Edit, EditProblem, betweenFields, inStyle } from "./edits.ts";
import { type Occurrence, eachPlace, occurrencesIn, rootsIn } from "./occurrences.ts";
import { findReplacement, replaceAgent, replaceable } from "./people.ts";

/** What a rename changes. */
export interface Renaming {
  readonly edits: readonly Edit[];
  /** Files that get a different path. */
  readonly files: readonly { readonly from: string; readonly to: string }[];
}

/** Gives the thing at a place a different name, everywhere. Throws an `EditProblem` if that is not safe. */
export function rename(occurrence: Occurrence, to: string, project: LoadedProject): Renaming {
  const all = occurrencesIn(project);
  const same = all.filter(({ id }) => id === occurrence.id);
  const [at] = occurrence.spans;
  if (occurrence.kind === "agent") return { edits: replaced(same, to, project, at), files: [] };
  if (occurrence.kind === "destination" && occurrence.name === "")
    throw new EditProblem("This has no name in the files.", at);
  const taken = all.find(({ kind, name }) => kind === occurrence.kind && isSameName(name, to));
  if (taken !== undefined && taken.name !== occurrence.name) {
    const [place] = taken.spans;
    const message = `There is already a ${occurrence.kind} \`${taken.name}\` (${fileAndLine(place)}).`;
    throw new EditProblem(message, place);
  }
  if (!same.some(({ isDefinition }) => isDefinition)) {
    throw new EditProblem(
      `The files do not define the ${occurrence.kind} \`${occurrence.name}\`. If this is its name on the service, change it there and pull the list again.`,
      at,
    );
  }
  if (occurrence.kind === "menu") return renamedMenu(same, occurrence.name, to, project);
  const isValid = occurrence.kind === "variable" ? varName.test(to) : to.trim() === to && to !== "";
  if (!isValid || digits.test(to)) {
    throw new EditProblem(`\`${to}\` cannot be the name of a ${occurrence.kind}.`, at);
  }
  return {
    edits: eachPlace(same).map(({ spans: [place] }) => nameEdit(place, occurrence, to)),
    files: [],
  };
}

/** Writes a new name in the place of the old one. */
function nameEdit(at: Span, { kind, name }: Occurrence, to: string): Edit {
  const { source, start, end } = at;
  const written = source.text.slice(start, end);
  // The name of a variable in a text has no quotes of its own.
  if (written === name) return { at, text: kind === "variable" ? to : inStyle(at, to) };
  if (/^(["'])(.*)\1$/s.exec(written)?.[2] === name) return { at, text: inStyle(at, to) };
  throw new EditProblem("The name is not written here as a whole, so it cannot be renamed.", at);
}

/** Keys of menus that differ only in case are not allowed. */
function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Agents have their names on the service. In the files, a different name means a different agent. */
function replaced(
  same: readonly Occurrence[],
  to: string,
  project: LoadedProject,
  at: Span,
): readonly Edit[] {
  const problems = new Diagnostics();
  const agent = findReplacement(to, project, problems);
  const [problem] = problems.sorted();
  if (agent !== undefined) {
    return replaceAgent(replaceable(same), agent, project);
  }
  const message = problem?.message ?? "There is no agent list.";
  throw new EditProblem(problem?.hint ? `${message} ${hintText(problem.hint)}` : message, at);
}

/** A menu keeps its record: `moved_from:` names its former key. */
function renamedMenu(
  same: readonly Occurrence[],
  from: string,
  to: string,
  { opened }: LoadedProject,
): Renaming {
  const [menu, other] = same.filter(({ isDefinition }) => isDefinition);
  if (menu === undefined) return { edits: [], files: [] };
  const { raw, source } = menu.in;
  const [at] = menu.spans;
  const problem = (message: string, place = at) => new EditProblem(message, place);
  if (other !== undefined) throw problem(`Two menus have the key \`${from}\`.`, other.spans[0]);
  if (!keyPattern.test(to)) throw problem(`\`${to}\` is not a menu key. ${instruction(keyRule)}`);
  if (field(raw, "moved_from") !== undefined) {
    throw problem("This menu was renamed before. Apply that change, then remove `moved_from:`.");
  }
  const links = eachPlace(same.filter((one) => one !== menu));
  const edits = links.map(({ spans: [place] }) => nameEdit(place, menu, to));
  edits.push(fieldBefore(raw, "moved_from", from));
  if (field(raw, "id") !== undefined) {
    // The path of a test file means the old key.
    const tests = opened.tests.filter(({ file }) => file === `ivrs/${from}.test.yaml`);
    const unnamed = tests.flatMap(rootsIn).filter((root) => field(root, "menu") === undefined);
    const named = unnamed.map((root) => fieldBefore(root, "menu", to));
    return { edits: [...edits, ...named, nameEdit(at, menu, to)], files: [] };
  }
  const files = [".yaml", ".test.yaml"].map((end) => ({
    from: source.file.replace(/\.yaml$/, end),
    to: `ivrs/${to}${end}`,
  }));
  const existing = files.filter(({ from: path }) => opened.files.has(path));
  const inTheWay = existing.find(({ to: path }) => opened.files.has(path));
  if (inTheWay !== undefined) throw problem(`There is already a file ${inTheWay.to}.`);
  return { edits, files: existing };
}

/** Writes a field before the first one of a mapping. */
function fieldBefore(root: Node, name: string, value: string): Edit {
  const first = entriesOf(root).find(({ merged }) => !merged);
  const { source, start } = first?.key ?? root;
  return { at: source.span(start, start), text: `${name}: ${inline(value)}${betweenFields(root)}` };
}
