import { check } from "../compile/check.ts";
import { keyOf } from "../compile/compile.ts";
import { type ListNode, type Node, field } from "../compile/read/node.ts";
import { readYaml } from "../compile/read/yaml.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { TestFile } from "../schema/test-file.ts";

/** The tests of one menu in a file beside it. */
export interface TestDocument {
  readonly source: Source;
  /** The key of the menu that is tested, and where that is said. */
  readonly menu: string;
  readonly menuAt: Span;
  /** Whether the document says so itself. */
  readonly named: boolean;
  /** Undefined where something is wrong with their shape, which is told. */
  readonly tests: ListNode | undefined;
}

/** A file of tests: a document for each menu, nearly always one. */
export function readTestFile(source: Source, diagnostics: Diagnostics): TestDocument[] {
  const documents = readYaml(source, diagnostics).filter(({ root, broken }) => root ?? broken);
  if (documents.length === 0) {
    diagnostics.add(
      "IVR105",
      source.top(),
      "This file holds no tests.",
      "Write some under `tests:`, or remove the file.",
    );
  }
  return documents.map(({ root }) => readDocument(root, source, diagnostics));
}

function readDocument(
  root: Node | undefined,
  source: Source,
  diagnostics: Diagnostics,
): TestDocument {
  const implied = keyOf(source.file).replace(/\.test$/, "");
  if (root?.kind !== "map") {
    if (root !== undefined) {
      diagnostics.add(
        "IVR106",
        root,
        `A ${root.kind === "list" ? "list" : "bare text"} stands where a mapping should be.`,
        "Tests stand under `tests:`, and `menu:` may say which menu they are for.",
      );
    }
    return { source, menu: implied, menuAt: source.top(), named: false, tests: undefined };
  }
  const own = new Diagnostics();
  const top = root.entries[0]?.key ?? source.top();
  check(TestFile, root, { diagnostics: own, top });
  diagnostics.addAll(own);
  const list = field(root, "tests");
  const tests = list?.kind === "list" && !own.hasErrors ? list : undefined;
  const menu = field(root, "menu");
  return menu?.kind === "scalar"
    ? { source, menu: menu.text, menuAt: menu, named: true, tests }
    : { source, menu: implied, menuAt: top, named: false, tests };
}
