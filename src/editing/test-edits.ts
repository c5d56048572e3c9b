import { answers, begin, isReached, press, silence, walk } from "../call/simulated-call.ts";
import { type Edit, EditProblem, endOfLine, lineEnd, ownSpan } from "../references/edits.ts";
import { rootsIn } from "../references/occurrences.ts";
import type { Repair } from "../schema/edit-request.ts";
import type { Intent, WantedDestination } from "../schema/intent.ts";
import { type Reported, testReport } from "../views/test/test-report.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import type { CallDestination } from "../model/call-menu.ts";
import { many } from "../util/many.ts";
import { type MapNode, type Node, entriesOf, entry, field, itemsOf } from "../yaml/node.ts";
import { type Value, inline } from "../yaml/new-document.ts";
import { type At, type Task, type Way, byPath, inMenu } from "./at.ts";
import { newItem, valueEdits } from "./put.ts";

/** A failed test expects what happens now, or presses different keys. No menu may change. */
export function expectTask(at: At, { file, line, press: keys }: Intent & { do: "expect" }): Task {
  const { project } = at;
  const failed = failuresIn(project).find(
    (one) => one.key === at.key && one.file === file && one.line === line,
  );
  const source = [...project.opened.menus, ...project.opened.tests, ...project.opened.folders].find(
    (one) => one.file === file,
  );
  const test =
    source &&
    rootsIn(source)
      .flatMap(testsIn)
      .find((one) => lineOf(one) === line);
  if (failed?.expected === undefined || test?.kind !== "map") {
    throw new EditProblem("There is no failed test in this line any more.", { file });
  }
  const { reached, via, steps, in: inMenuKey } = failed.expected;
  const { walk } = failed;
  const set = (name: string, value: Value | undefined): Edit[] => {
    const own = field(test, name);
    return own === undefined || value === undefined ? [] : valueEdits(own, value);
  };
  const edits = (): Edit[] =>
    keys === undefined
      ? [
          ...(reached ? set("reaches", destinationValue(walk.state.destination, at)) : []),
          ...(via !== undefined && via !== walk.state.via ? set("via", walk.state.via) : []),
          ...(inMenuKey !== undefined && inMenuKey !== walk.in ? set("in", walk.in) : []),
          ...(steps !== undefined && steps !== walk.steps.length
            ? set("steps", walk.steps.length)
            : []),
        ]
      : set("press", pressValue(keys));
  const inherited = itemsOf(field(at.effective, "tests"));
  const isInherited = inherited.some((one) => one.source.file === file && lineOf(one) === line);
  const own: Way = () =>
    inMenu(at, (root) =>
      appended(
        root,
        inherited.map((one) => textAfter(one, edits())),
      ),
    );
  return {
    ways: isInherited ? [() => byPath(edits()), own] : [() => byPath(edits())],
    wanted: () => new Map(),
    missing: (after) =>
      newFailure(project, after, failed) ?? wrongForOthers(project, after, failed),
  };
}

/** The text of a test after edits of it. */
function textAfter({ source, start, end }: Node, edits: readonly Edit[]): string {
  const inside = edits.filter(({ at }) => at.start >= start && at.end <= end);
  const text = inside
    .toSorted((a, b) => b.at.start - a.at.start)
    .reduce(
      (rest, { at, text: next }) =>
        rest.slice(0, at.start - start) + next + rest.slice(at.end - start),
      source.text.slice(start, end),
    );
  const indent = " ".repeat(source.position(start).column - 1);
  return text.trimEnd().replaceAll(`\n${indent}`, `\n${itemIndent}`);
}

/** Before the lines of a test in a menu, except its first. */
const itemIndent = " ".repeat("  - ".length);

/** Why a test that several menus share should not change for all of them: it would still fail for most. */
function wrongForOthers(
  before: LoadedProject,
  after: LoadedProject,
  { file, line }: Reported,
): string | undefined {
  const failing = (project: LoadedProject) =>
    failuresIn(project).filter((one) => one.file === file && one.line === line);
  const was = new Map(failing(before).map(({ key, verdict }) => [key, verdict]));
  const wrong = failing(after).filter(({ key, verdict }) => was.get(key) !== verdict);
  return wrong.length * 2 < was.size
    ? undefined
    : `The test is that of ${many(was.size, "menu")}, and most of them do something else.`;
}

/** The failed tests that pass with one key in the place of another. */
export function repairsIn(project: LoadedProject): readonly Repair[] {
  const { tests, flow } = project;
  return failuresIn(project).flatMap(({ key, file, line, expected, walk: walked }) => {
    const menu = tests.suites.find((suite) => suite.menu.key === key)?.menu;
    const wanted = expected?.reached;
    if (wanted === undefined || menu === undefined) return [];
    const pressed = [...walked.steps.map((step) => step.press), ...walked.unused];
    const others = pressed.flatMap((_, at) =>
      "1234567890*#".split("").map((other) => pressed.with(at, other)),
    );
    const press = others.find((keys) => {
      const { state, unused, in: inMenu, steps } = walk(menu, keys, flow.menus);
      return (
        unused.length === 0 &&
        isReached(wanted, state.destination) &&
        (expected?.via ?? state.via) === state.via &&
        (expected?.in ?? inMenu) === inMenu &&
        (expected?.steps ?? steps.length) === steps.length
      );
    });
    return press === undefined ? [] : { file, line, press };
  });
}

function failuresIn(project: LoadedProject): Reported[] {
  return testReport(project).calls.filter(({ failed }) => failed);
}

/** Why an edit of a test does not do what it should: the test fails, or a different one fails now. */
function newFailure(
  before: LoadedProject,
  after: LoadedProject,
  fixed?: Reported,
): string | undefined {
  const placeOf = ({ key, file, line }: Reported) => `${key} ${file} ${line}`;
  const failedBefore = new Set(failuresIn(before).map(placeOf));
  if (fixed) failedBefore.delete(placeOf(fixed));
  const wrong = failuresIn(after).find((one) => !failedBefore.has(placeOf(one)));
  return wrong && `With this edit, a test would fail: ${wrong.verdict ?? wrong.name}.`;
}

/** A call becomes a test. No menu may change. */
export function saveTask(at: At, intent: Intent & { do: "test" }): Task {
  const { project, menu, key } = at;
  const { call } = menu;
  if (call === undefined) throw new EditProblem("This menu has errors.", menu.keyAt);
  const walked = intent.press.reduce(
    (one, name) => press(one, name, project.flow.menus),
    begin(call),
  );
  if (walked.state.at !== "ended") {
    throw new EditProblem("The call has not ended, so there is nothing to expect.", menu.keyAt);
  }
  const reaches = destinationValue(walked.state.destination, at);
  const isSilent = intent.press.every((one) => one === silence);
  const pressed = inline(pressValue(isSilent ? [] : intent.press));
  const test = `{ press: ${pressed}, reaches: ${inline(reaches)} }`;
  const countOf = ({ tests }: LoadedProject) =>
    tests.suites.find((suite) => suite.menu.key === key)?.tests.length ?? 0;
  const file = menu.source.file.replace(/\.yaml$/, ".test.yaml");
  const inTestFile: Way = () => {
    const source = project.opened.tests.find((one) => one.file === file);
    if (source === undefined) return new Map([[file, `tests:\n  - ${test}\n`]]);
    const root = rootsIn(source)[0];
    if (root?.kind !== "map") throw new EditProblem("This file cannot be read.", { file });
    return byPath(appended(root, [test]));
  };
  return {
    ways: [() => inMenu(at, (root) => appended(root, [test])), inTestFile],
    wanted: () => new Map(),
    missing: (after) =>
      countOf(after) === countOf(project) + 1
        ? newFailure(project, after)
        : "The menu would lose the tests of its defaults.",
  };
}

/** Tests at the end of the tests of a document. */
function appended(root: MapNode, tests: readonly string[]): Edit[] {
  const own = entry(root, "tests");
  if (own === undefined) {
    const last = entriesOf(root).findLast(({ merged }) => !merged);
    if (last === undefined) throw new EditProblem("This mapping has no fields of its own.", root);
    const { source, end } = ownSpan(last, root);
    const at = endOfLine(source.text, end);
    if (source.text[root.start] === "{") {
      return [{ at: source.span(end, end), text: `, tests: [${tests.join(", ")}]` }];
    }
    const newLine = lineEnd(source.text) + " ".repeat(source.position(root.start).column - 1);
    const items = tests.map((test) => `${newLine}  - ${test}`);
    return [{ at: source.span(at, at), text: `${newLine}tests:${items.join("")}` }];
  }
  return tests.map((test) => newItem(own.value, test));
}

/** The keys of a test as people write them: `3`, or `[1, "*"]`. */
function pressValue(keys: readonly string[]): Value {
  const shown = keys.map((key) => (/^\d$/.test(key) ? Number(key) : key));
  return shown.length === 1 && shown[0] !== undefined ? shown[0] : shown;
}

function testsIn(root: Node): readonly Node[] {
  return itemsOf(field(root, "tests"));
}

function lineOf(node: Node): number {
  const first = entriesOf(node).find(({ merged }) => !merged)?.key ?? node;
  return first.source.position(first.start).line;
}

function destinationValue(to: CallDestination, at: At): Value {
  if (!answers(to) || to.kind === "menu" || to.kind === "unreachable") {
    throw new EditProblem("Nobody answers this call, so a test cannot expect it.", at.menu.keyAt);
  }
  const wanted: WantedDestination = to;
  return at.references.destination(wanted).value;
}
