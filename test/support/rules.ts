import { lintChanges } from "../../src/deploy/plan/lint-changes.ts";
import { readAgentList } from "../../src/compile/agents.ts";
import { compileProject } from "../../src/compile/compile-project.ts";
import { openFiles } from "../../src/project/open-project.ts";
import { TextFiles } from "../../src/project/text-files.ts";
import { compiledContent } from "../../src/deploy/plan/names.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { diagnosticsText } from "../../src/views/diagnostics/text.ts";
import { commandText } from "../../src/util/suggest.ts";
import { sharedText } from "./cases.ts";

interface Texts {
  readonly menu: string;
  readonly config?: string;
  readonly agents?: boolean;
  readonly notes?: boolean;
}

/** Compiles one menu with the agents and, by default, the configuration of the rule cases. */
export function compileMenu({ menu, config, agents = true, notes = true }: Texts) {
  const text = config ?? sharedText("rules.yaml");
  const list = new Source("agents.json", sharedText("agents.json"));
  const files = new TextFiles({ "ivrctl.yaml": text, "ivrs/menu.yaml": menu });
  const texts = openFiles(files, { environment: undefined, variables: {} });
  return compileProject(texts, {
    agents: agents ? readAgentList(list, undefined, new Diagnostics()) : undefined,
    notes,
  });
}

/** The lines of the problems, each with the name of its rule or its code. */
export function findings(texts: Texts): string[] {
  return compileMenu(texts)
    .diagnostics.sorted()
    .map(({ rule, code, line }) => `${line} ${rule ?? code}`);
}

/** The problems, as printed, if the second menu replaces the first. */
export async function reportOfChange(before: string, after: string): Promise<string> {
  const [applied] = compileMenu({ menu: before }).compiled.values();
  const now = compileMenu({ menu: after });
  const [result] = now.compiled.values();
  if (applied === undefined || result === undefined) throw new Error("Both menus must be valid.");
  const [old, made] = [compiledContent(applied), compiledContent(result)];
  const diagnostics = new Diagnostics();
  lintChanges(
    now.linter,
    now.compiled.values(),
    [
      {
        action: "replace",
        key: "menu",
        before: old,
        after: made,
      },
    ],
    diagnostics,
  );
  return diagnosticsText(diagnostics.sorted(), {
    style: (_, text) => text,
    columns: 120,
    wordWrap: Number.POSITIVE_INFINITY,
    verbose: true,
    command: commandText,
    path: (path) => path,
  });
}
