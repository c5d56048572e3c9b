import type { Agents } from "../compile/agents.ts";
import { keyFromPath } from "../compile/read-menus.ts";
import { type Flow, menuFlow, linkedMenus } from "../compile/flow.ts";
import type { ResolvedMenu, WrittenTests } from "../compile/menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { TestFile } from "../schema/menu.ts";
import { groupBy } from "../util/group-by.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import type { Vars } from "../compile/vars.ts";
import { type MapNode, field, textField } from "../yaml/node.ts";
import { explaining } from "../yaml/mistakes/explain.ts";
import { readMappings } from "../yaml/read-yaml.ts";
import { decode } from "../yaml/decode.ts";
import { toCallMenu, toCallMenus } from "./menu.ts";
import type { CallMenu, CallMenus } from "./model.ts";
import { type CallTest, readTests } from "./tests.ts";

/** The tests of one menu: those in its file, then those in test files. */
export interface Suite {
  readonly menu: CallMenu;
  readonly tests: readonly CallTest[];
}

/** How calls continue from menu to menu. */
export interface CallFlow extends Flow {
  readonly menus: CallMenus;
}

export interface Suites {
  /** One for each requested menu that can be simulated, in the order of the menus. */
  readonly suites: readonly Suite[];
  /** The menus whose tests cannot be run, each by its key or, without a key, by its file. */
  readonly notRun: readonly string[];
  /** The files of these menus and tests. */
  readonly files: ReadonlySet<string>;
  /** How calls continue from menu to menu. */
  readonly flow: CallFlow;
  readonly diagnostics: Diagnostics;
}

interface Input {
  readonly menus: readonly ResolvedMenu[];
  /** Menus that only other environments have. Their tests are not run. */
  readonly absent: readonly ResolvedMenu[];
  /** Menu files that could not be read. They have been reported. */
  readonly unread: readonly Source[];
  readonly testFiles: readonly Source[];
  /** Whether a file was requested: a menu with all its tests, or a test file alone. */
  readonly requested: (file: string) => boolean;
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
}

export function readSuites(input: Input): Suites {
  const { menus, unread, testFiles, requested, environment, agents } = input;
  const diagnostics = new Diagnostics();
  const varsOf = new Map(menus.map(({ key, vars }) => [key, vars]));
  const absent = new Set(input.absent.map(({ key }) => key));
  const documents = testFiles
    .flatMap((source) => readTestFile(source, varsOf, diagnostics))
    .filter(({ menu }) => !absent.has(menu));
  const calls = new Map(menus.map((menu) => [menu, toCallMenu(menu)]));
  const unreadable = unread.map(({ file }) => keyFromPath(file));
  reportStrays(documents, [...menus.map(({ key }) => key), ...unreadable], diagnostics);
  const flow = { ...menuFlow(menus), menus: toCallMenus(calls, unreadable) };
  const menuKeys = new Set(flow.menus.keys());
  const allKeys = new Set(menus.flatMap(optionKeys));
  const byMenu = groupBy(documents, ({ menu }): string | undefined => menu);
  const read = (
    { tests, source }: Pick<TestDocument, "tests" | "source">,
    keys: readonly string[] | undefined,
    found = diagnostics,
  ) => {
    const at = source.top();
    const context = { environment, agents, diagnostics: found, keys, menuKeys, at };
    return tests === undefined ? [] : readTests(tests, context);
  };
  const suites: Suite[] = [];
  const notRun: string[] = [];
  const files = new Set<string>();
  for (const menu of menus) {
    const wanted = requested(menu.source.file);
    const inTestFiles = (byMenu.get(menu.key) ?? []).filter(
      ({ source }) => wanted || requested(source.file),
    );
    if (!wanted && inTestFiles.length === 0) continue;
    for (const { source } of [menu, ...inTestFiles]) files.add(source.file);
    // Tests that cannot run are read too, so that all their errors are reported at once.
    const keys = linkedMenus(menu).length === 0 ? optionKeys(menu) : [...allKeys];
    const found = new Diagnostics();
    const own = wanted ? read(menu, keys, found) : [];
    diagnostics.addAll(found);
    diagnostics.affect(found, [{ name: menu.key ?? menu.source.file, file: menu.source.file }]);
    const others = inTestFiles.flatMap((list) => {
      const tests = read(list, keys);
      return list.valid ? tests : [];
    });
    const call = calls.get(menu);
    if (call !== undefined) {
      suites.push({ menu: call, tests: withDistinctNames([...own, ...others]) });
    } else if (menu.tests !== undefined || inTestFiles.length > 0) {
      notRun.push(menu.key ?? menu.source.file);
    }
  }
  const readable = new Set(menus.map(({ key }) => key));
  for (const document of documents) {
    if (!readable.has(document.menu)) read(document, undefined);
  }
  for (const source of unread) {
    const key = keyFromPath(source.file);
    const inTestFiles = (byMenu.get(key) ?? []).filter(({ source: own }) => requested(own.file));
    if (inTestFiles.length === 0) continue;
    for (const one of [source, ...inTestFiles.map((document) => document.source)])
      files.add(one.file);
    notRun.push(key);
  }
  return { suites, notRun, files, flow, diagnostics };
}

function optionKeys({ options = [] }: ResolvedMenu): string[] {
  return options.map(({ key }) => key);
}

function reportStrays(
  documents: readonly TestDocument[],
  known: readonly (string | undefined)[],
  diagnostics: Diagnostics,
): void {
  const keys = new Set(known.filter((key) => key !== undefined));
  for (const { menu, menuAt, named, valid } of documents) {
    // An invalid document may name its menu in a part that could not be read.
    if (keys.has(menu) || (!valid && !named)) continue;
    diagnostics.add(
      "IVR313",
      menuAt,
      named
        ? `There is no menu with the key \`${menu}\`.`
        : `The path of this file means the menu key \`${menu}\`, and there is no such menu.`,
      didYouMean(nearest(menu, keys)) ??
        (named
          ? "Correct `menu:`, or add that menu."
          : "Add `menu: KEY` with the key of the menu to test."),
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
export function readTestFile(
  source: Source,
  vars: VarsByKey,
  diagnostics: Diagnostics,
): TestDocument[] {
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
  const own = new Diagnostics();
  const top = written.entries[0]?.key ?? source.top();
  const named = textField(written, "menu");
  const root = vars.get(named ?? implied)?.fill(written, own).tree ?? written;
  const decoded = decode(TestFile, root, {
    diagnostics: own,
    top,
    unitOf: (path) => (path[0] === "tests" ? path.slice(0, 3) : path),
  });
  diagnostics.addAll(own);
  const values = decoded?.value.tests;
  const tests = values && {
    values,
    tree: field(decoded?.tree, "tests"),
    written: field(root, "tests"),
  };
  const found = { source, tests, valid: !own.hasErrors };
  const menu = field(root, "menu");
  return menu?.kind === "scalar"
    ? { ...found, menu: menu.text, menuAt: menu, named: true }
    : { ...found, menu: implied, menuAt: top, named: false };
}
