import { check } from "../compile/check.ts";
import { keyOf } from "../compile/compile.ts";
import { type ListNode, field } from "../compile/read/node.ts";
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
  const implied = keyOf(source.file).replace(/\.test$/, "");
  if (documents.length === 0) {
    diagnostics.add(
      "IVR105",
      source.top(),
      "This file holds no tests.",
      "Write some under `tests:`, or remove the file.",
    );
  }
  return documents.map(({ root }) => {
    const document = { source, menu: implied, menuAt: source.top(), named: false };
    if (root === undefined) return { ...document, tests: undefined };
    if (root.kind !== "map") {
      diagnostics.add(
        "IVR106",
        root,
        `A ${root.kind === "list" ? "list" : "bare text"} stands where a mapping should be.`,
        "Tests stand under `tests:`, and `menu:` may say which menu they are for.",
      );
      return { ...document, tests: undefined };
    }
    const own = new Diagnostics();
    const top = root.entries[0]?.key ?? source.top();
    check(TestFile, root, { diagnostics: own, top });
    diagnostics.addAll(own);
    const menu = field(root, "menu");
    const tests = field(root, "tests");
    return {
      source,
      ...(menu?.kind === "scalar"
        ? { menu: menu.text, menuAt: menu, named: true }
        : { menu: implied, menuAt: top, named: false }),
      tests: tests?.kind === "list" && !own.hasErrors ? tests : undefined,
    };
  });
}
