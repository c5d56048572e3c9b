import { type Validity, validateNode } from "../yaml/validate-node.ts";
import { keyOf } from "../compile/read-menus.ts";
import { type ListNode, type Node, field } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { TestFile } from "../schema/menu.ts";

/** The tests of one menu in a file beside it. */
export interface TestDocument {
  readonly source: Source;
  /** The key of the menu that is tested, and where that is said. */
  readonly menu: string;
  readonly menuAt: Span;
  /** Whether the document says so itself. */
  readonly named: boolean;
  /** Undefined where there is no such list, which is told. */
  readonly tests: ListNode | undefined;
  /** Whether nothing is wrong with the document's shape; what is, is told. */
  readonly sound: boolean;
  readonly validity: Validity;
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
    const validity = { faulty: new Set<Node>(), misspelt: new Set<Node>() };
    const nothing = { tests: undefined, sound: false, validity };
    return { source, menu: implied, menuAt: source.top(), named: false, ...nothing };
  }
  const own = new Diagnostics();
  const top = root.entries[0]?.key ?? source.top();
  const validity = validateNode(TestFile, root, { diagnostics: own, top });
  diagnostics.addAll(own);
  const list = field(root, "tests");
  const tests = list?.kind === "list" ? list : undefined;
  const found = { source, tests, sound: !own.hasErrors, validity };
  const menu = field(root, "menu");
  return menu?.kind === "scalar"
    ? { ...found, menu: menu.text, menuAt: menu, named: true }
    : { ...found, menu: implied, menuAt: top, named: false };
}
