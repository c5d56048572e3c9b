import type { CallMenu, Press } from "../call/model.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { CallLine } from "../views/call-lines.ts";

/** All data of the page. It can be written as JSON. */
export interface PreviewData {
  /** Changes whenever the data may have changed. */
  readonly revision: string;
  /** Whether a server reports changes. */
  readonly live: boolean;
  readonly environment: string | null;
  /** In the order of their keys. */
  readonly menus: readonly PreviewMenu[];
  /** Problems of the configuration, the agent list and test files. */
  readonly problems: readonly PreviewProblem[];
}

export interface PreviewMenu {
  /** The file, if the menu has no key. */
  readonly key: string;
  readonly file: string;
  readonly name?: string;
  readonly description?: string;
  readonly owner?: string;
  /** Absent if errors prevent calls to this menu. */
  readonly call?: CallMenu;
  readonly tests: readonly PreviewTest[];
  /** The invariants that it breaks, each with a call that breaks it. */
  readonly broken: readonly PreviewTest[];
  readonly problems: readonly PreviewProblem[];
}

/** A call that a test or an invariant checks, and its result. */
export interface PreviewTest {
  readonly name: string;
  /** `ivrs/front-desk.yaml:12` */
  readonly place: string;
  readonly press: readonly Press[];
  readonly passed: boolean;
  /** If it failed, the call step by step, with what was expected instead. */
  readonly lines: readonly CallLine[];
}

export interface PreviewProblem {
  /** The code, and the rule that found it if there is one. */
  readonly title: string;
  readonly severity: Severity;
  readonly message: string;
  readonly place: string;
  /** The source line, and the carets below it. */
  readonly frame?: string;
  readonly hint?: string;
}
