import type { Agents } from "../compile/agents.ts";
import type { CompiledMenu } from "../compile/compile.ts";
import type { Environment } from "../compile/environment.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { callMenuOf } from "./menu.ts";
import type { CallMenu } from "./model.ts";
import { type CallTest, readTests } from "./tests.ts";

/** The tests of one menu. */
export interface Suite {
  readonly menu: CallMenu;
  readonly tests: readonly CallTest[];
}

export interface Suites {
  /** One for each menu that can be walked, in their order. */
  readonly suites: readonly Suite[];
  /** The keys, or files, of menus whose tests cannot be run. */
  readonly notRun: readonly string[];
  readonly diagnostics: Diagnostics;
}

interface Input {
  readonly menus: readonly CompiledMenu[];
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
}

export function readSuites({ menus, environment, agents }: Input): Suites {
  const diagnostics = new Diagnostics();
  const suites: Suite[] = [];
  const notRun: string[] = [];
  for (const compiled of menus) {
    const menu = callMenuOf(compiled);
    const { tests } = compiled;
    if (menu !== undefined) {
      const settling = { environment, agents, diagnostics };
      suites.push({ menu, tests: tests === undefined ? [] : readTests(tests, menu, settling) });
    } else if (tests !== undefined) notRun.push(compiled.key ?? compiled.source.file);
  }
  return { suites, notRun, diagnostics };
}
