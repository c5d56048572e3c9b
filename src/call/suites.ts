import type { Agents } from "../project/agent-list.ts";
import { linkedMenus } from "../compile/flow.ts";
import type { ResolvedMenu, WrittenTests } from "../compile/compiled-menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { TestFile } from "../schema/menu.ts";
import { groupBy } from "../util/group-by.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import type { Vars } from "../project/vars.ts";
import { type MapNode, at, field, textField } from "../yaml/node.ts";
import { explaining } from "../yaml/mistakes/syntax-mistakes.ts";
import { readMappings } from "../yaml/read-yaml.ts";
import { decode } from "../yaml/decode.ts";
import { invariantRoutes } from "./invariants.ts";
import { type CallMenus, type Walk } from "./simulated-call.ts";
import { type CallTest, readTests, reportSameVariables } from "./tests.ts";
import { type CallMenu, pathName } from "../model/call-menu.ts";
import { keyFromPath } from "../project/files.ts";

/** The tests of one menu: those in its file, then those in test files. */
interface Suite {
  readonly menu: CallMenu;
  readonly tests: readonly CallTest[];
}

export interface Suites {
  /** One for each requested menu that can be simulated, in the order of the menus. */
  readonly suites: readonly Suite[];
  /** The menus whose tests cannot be run, each by its key or, without a key, by its file. */
  readonly notRun: readonly string[];
  /** The files of these menus and tests. */
  readonly files: ReadonlySet<string>;
  readonly diagnostics: Diagnostics;
}

export interface TestInput {
  readonly menus: readonly ResolvedMenu[];
  /** Menus that only other environments have. Their tests are not run. */
  readonly absent: readonly ResolvedMenu[];
  /** Menu files that could not be read. They have been reported. */
  readonly unread: readonly Source[];
  /** All menus, also those of these files. */
  readonly callMenus: CallMenus;
  readonly testFiles: readonly Source[];
  /** Whether a file was requested: a menu with all its tests, or a test file alone. */
  readonly requested: (file: string) => boolean;
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
}

export function readSuites(input: TestInput): Suites {
  const { menus, unread, testFiles, requested, environment, agents } = input;
  const diagnostics = new Diagnostics();
  const varsOf = new Map(menus.map(({ key, vars }) => [key, vars]));
  const absent = new Set(input.absent.map(({ key }) => key));
  const documents = testFiles
    .flatMap((source) => readTestFile(source, varsOf, diagnostics))
    .filter(({ menu }) => !absent.has(menu));
  const menuKeys = new Set(input.callMenus.keys());
  reportStrays(documents, menuKeys, diagnostics);
  const allKeys = menus.flatMap(optionKeys);
  const byKey = new Map(menus.flatMap((menu) => (menu.key ? [[menu.key, menu]] : [])));
  const byMenu = groupBy(documents, ({ menu }): string | undefined => menu);
  const suites: Suite[] = [];
  const notRun: string[] = [];
  const files = new Set<string>();
  const unreadable = unread.map((source) => ({ key: keyFromPath(source.file), source }));
  for (const menu of [...menus, ...unreadable]) {
    const { key, source } = menu;
    const resolved = "tests" in menu ? menu : undefined;
    const isWanted = requested(source.file);
    const inTestFiles = (byMenu.get(key) ?? []).filter(
      (document) => isWanted || requested(document.source.file),
    );
    if (inTestFiles.length === 0 && !(isWanted && resolved)) continue;
    for (const part of [menu, ...inTestFiles]) files.add(part.source.file);
    // Tests that cannot run are read too, so that all their errors are reported at once.
    const keys = resolved && (linkedMenus(resolved).length === 0 ? optionKeys(resolved) : allKeys);
    const read = ({ tests }: Pick<ResolvedMenu, "tests">, found: Diagnostics) =>
      readTests(tests, { environment, agents, diagnostics: found, keys, menuKeys });
    const problems = new Diagnostics();
    const inMenuFile = resolved && isWanted ? read(resolved, problems) : [];
    const around = { menus: byKey, callMenus: input.callMenus };
    if (resolved) reportSameVariables(resolved, inMenuFile, around, problems);
    diagnostics.addAll(problems);
    diagnostics.affect(problems, [{ name: key ?? source.file, file: source.file }]);
    const others = inTestFiles.flatMap((document) => {
      const tests = read(document, diagnostics);
      if (resolved) reportSameVariables(resolved, tests, around, diagnostics);
      return document.valid ? tests : [];
    });
    if (resolved?.call)
      suites.push({ menu: resolved.call, tests: withDistinctNames([...inMenuFile, ...others]) });
    else if (resolved?.tests || inTestFiles.length > 0) notRun.push(key ?? source.file);
  }
  return { suites, notRun, files, diagnostics };
}

function optionKeys({ options = [] }: ResolvedMenu): string[] {
  return options.map(({ key }) => key);
}

function reportStrays(
  documents: readonly TestDocument[],
  keys: ReadonlySet<string>,
  diagnostics: Diagnostics,
): void {
  for (const { menu, menuAt, named, valid } of documents) {
    // An invalid document may name its menu in a part that could not be read.
    if (keys.has(menu) || (!valid && !named)) continue;
    diagnostics.add(
      "IVR313",
      menuAt,
      named
        ? `There is no menu with the key \`${menu}\`.`
        : `The path of this file means the menu key \`${menu}\`, and there is no such menu.`,
      named
        ? (didYouMean(nearest(menu, keys)) ?? "Correct `menu:`, or add that menu.")
        : (didYouMean(nearest(menu, keys))?.words ?? "Add `menu: KEY` with the menu's key."),
    );
  }
}

/** Makes the names of tests unique. Some report formats drop a second test with the same name. */
function withDistinctNames(tests: readonly CallTest[]): CallTest[] {
  const counts = new Map<string, number>();
  return tests.map((test) => {
    const count = (counts.get(test.name) ?? 0) + 1;
    counts.set(test.name, count);
    return count === 1 ? test : Object.assign({}, test, { name: `${test.name} (${count})` });
  });
}

/** The tests of one menu in a test file. */
interface TestDocument {
  readonly source: Source;
  /** The key of the tested menu, and its place. */
  readonly menu: string;
  readonly menuAt: Span;
  /** Whether the document has `menu:`. */
  readonly named: boolean;
  /** Undefined if there is no list. That has been reported. */
  readonly tests: WrittenTests | undefined;
  /** Whether the document is valid. If not, that has been reported. */
  readonly valid: boolean;
}

/** Reads a test file. It has a document for each menu, nearly always one. */
function readTestFile(source: Source, vars: VarsByKey, diagnostics: Diagnostics): TestDocument[] {
  return explaining(source, diagnostics, (text, found) => readDocuments(text, vars, found));
}

/** The variables of the menus, by their keys. */
type VarsByKey = ReadonlyMap<string | undefined, Vars>;

function readDocuments(source: Source, vars: VarsByKey, diagnostics: Diagnostics): TestDocument[] {
  return readMappings(source, "tests", help, diagnostics).map(({ root }) =>
    readDocument(root, source, vars, diagnostics),
  );
}

const help = "Write `tests:` and put the tests under it, or delete the file.";

function readDocument(
  written: MapNode | undefined,
  source: Source,
  vars: VarsByKey,
  diagnostics: Diagnostics,
): TestDocument {
  const implied = keyFromPath(source.file).replace(/\.test$/, "");
  if (written === undefined) {
    const nothing = { tests: undefined, valid: false };
    return { source, menu: implied, menuAt: source.top(), named: false, ...nothing };
  }
  const problems = new Diagnostics();
  const top = written.entries[0]?.key ?? source.top();
  const named = textField(written, "menu");
  const root = vars.get(named ?? implied)?.fill(written, problems).tree ?? written;
  const decoded = decode({ complete: TestFile }, root, {
    diagnostics: problems,
    top,
    unitOf: (path) => path.slice(0, 2),
  });
  diagnostics.addAll(problems);
  const tests = decoded && { values: decoded.value.tests, tree: at(decoded.tree, ["tests"]) };
  const suite = { source, tests, valid: !problems.hasErrors };
  const menu = field(root, "menu");
  return menu?.kind === "scalar"
    ? { ...suite, menu: menu.text, menuAt: menu, named: true }
    : { ...suite, menu: implied, menuAt: top, named: false };
}

/** How many paths through the menus the tests take. */
export interface Coverage {
  readonly paths: number;
  readonly tested: number;
  /** Rounded down to a tenth, so that 100 means all paths. */
  readonly percent: number;
  /** `untested` has the names of paths: `key 2`, `invalid`, `timeout`. */
  readonly menus: readonly { key: string; paths: number; untested: readonly string[] }[];
}

/** Counts the paths that calls take. A call through several menus takes a path of each. */
export function measureCoverage(menus: readonly CallMenu[], walks: readonly Walk[]): Coverage {
  const taken = new Set(
    walks.flatMap(({ steps }) =>
      steps
        .filter(({ enters, state }) => enters !== undefined || state.at === "ended")
        .map((step) => `${step.in} ${pathName({ via: step.as, key: step.press })}`),
    ),
  );
  const perMenu = menus.map((menu) => {
    const places = invariantRoutes(menu).map(pathName);
    const untested = places.filter((place) => !taken.has(`${menu.key} ${place}`));
    return { key: menu.key, paths: places.length, untested };
  });
  const paths = perMenu.reduce((sum, menu) => sum + menu.paths, 0);
  const tested = perMenu.reduce((sum, menu) => sum + menu.paths - menu.untested.length, 0);
  const percent = paths === 0 ? 100 : Math.floor((tested * 1000) / paths) / 10;
  return { paths, tested, percent, menus: perMenu };
}
