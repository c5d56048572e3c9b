import type { Agents } from "../compile/agents.ts";
import type { Environment } from "../project/environment.ts";
import { keyOf } from "../compile/read-menus.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { callMenuOf } from "./menu.ts";
import type { CallMenu } from "./model.ts";
import { type TestDocument, readTestFile } from "./test-files.ts";
import { type CallTest, readTests } from "./tests.ts";

/** The tests of one menu: those in it, then those in files beside it. */
export interface Suite {
  readonly menu: CallMenu;
  readonly tests: readonly CallTest[];
}

export interface Suites {
  /** One for each menu asked for that can be walked, in their order. */
  readonly suites: readonly Suite[];
  /** The keys, or files, of menus whose tests cannot be run. */
  readonly notRun: readonly string[];
  /** The files that these menus and tests stand in. */
  readonly files: ReadonlySet<string>;
  readonly diagnostics: Diagnostics;
}

interface Input {
  readonly menus: readonly ResolvedMenu[];
  /** Files of menus of which nothing could be read; that is told already. */
  readonly unread: readonly Source[];
  readonly testFiles: readonly Source[];
  /** Whether a file was asked for: a menu with all its tests, or tests alone. */
  readonly asked: (file: string) => boolean;
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
}

/** Tests as they stand in a menu or in a file. */
type Written = Pick<TestDocument, "tests" | "validity">;

export function readSuites(input: Input): Suites {
  const { menus, unread, testFiles, asked, environment, agents } = input;
  const diagnostics = new Diagnostics();
  const documents = testFiles.flatMap((source) => readTestFile(source, diagnostics));
  tellStrays(documents, [...menus.map(({ key }) => key), ...unread.map(impliedKey)], diagnostics);
  const byMenu = new Map<string | undefined, TestDocument[]>();
  for (const document of documents) {
    byMenu.set(document.menu, [...(byMenu.get(document.menu) ?? []), document]);
  }
  const settle = ({ tests, validity }: Written, keys: readonly string[] | undefined) => {
    const settling = { environment, agents, validity, diagnostics, keys };
    return tests === undefined ? [] : readTests(tests, settling);
  };
  const suites: Suite[] = [];
  const notRun: string[] = [];
  const files = new Set<string>();
  for (const menu of menus) {
    const wanted = asked(menu.source.file);
    const beside = (byMenu.get(menu.key) ?? []).filter(
      ({ source }) => wanted || asked(source.file),
    );
    if (!wanted && beside.length === 0) continue;
    for (const { source } of [menu, ...beside]) files.add(source.file);
    // Read also where they cannot be run: what is wrong with them is told all at once.
    const keys = (menu.options ?? []).map(({ key }) => key);
    const own = wanted ? settle(menu, keys) : [];
    const others = beside.flatMap((list) => {
      const found = settle(list, keys);
      return list.sound ? found : [];
    });
    const call = callMenuOf(menu);
    if (call !== undefined) {
      suites.push({ menu: call, tests: withDistinctNames([...own, ...others]) });
    } else if (menu.tests !== undefined || beside.length > 0) {
      notRun.push(menu.key ?? menu.source.file);
    }
  }
  const readable = new Set(menus.map(({ key }) => key));
  for (const document of documents) {
    if (!readable.has(document.menu)) settle(document, undefined);
  }
  for (const source of unread) {
    const key = impliedKey(source);
    const beside = (byMenu.get(key) ?? []).filter(({ source: own }) => asked(own.file));
    if (beside.length === 0) continue;
    for (const one of [source, ...beside.map((document) => document.source)]) files.add(one.file);
    notRun.push(key);
  }
  return { suites, notRun, files, diagnostics };
}

function impliedKey({ file }: Source): string {
  return keyOf(file);
}

function tellStrays(
  documents: readonly TestDocument[],
  known: readonly (string | undefined)[],
  diagnostics: Diagnostics,
): void {
  const keys = new Set(known.filter((key) => key !== undefined));
  for (const { menu, menuAt, named, sound } of documents) {
    // What is at fault may say which menu it is for, where it cannot be read.
    if (keys.has(menu) || (!sound && !named)) continue;
    diagnostics.add(
      "IVR803",
      menuAt,
      `No menu has the key \`${menu}\`${named ? "" : ", which this file's path stands for"}.`,
      didYouMean(nearest(menu, keys)) ??
        (named ? "Correct `menu:`, or write that menu." : "Say with `menu:` which menu is tested."),
    );
  }
}

/** Reports know a test by its menu and its name, and some pass over a second one of that name. */
function withDistinctNames(tests: readonly CallTest[]): CallTest[] {
  const counts = new Map<string, number>();
  return tests.map((test) => {
    const count = (counts.get(test.name) ?? 0) + 1;
    counts.set(test.name, count);
    return count === 1 ? test : Object.assign({}, test, { name: `${test.name} (${count})` });
  });
}
