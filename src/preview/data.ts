import type { CallMenu, Press } from "../call/model.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { CallLine } from "../views/call-lines.ts";

/** All that the page knows: plain data, as JSON can carry it. */
export interface PreviewData {
  /** Another one whenever anything in it may be another. */
  readonly revision: string;
  /** Whether it comes of a server that tells of changes. */
  readonly live: boolean;
  readonly environment: string | null;
  /** In the order of their keys. */
  readonly menus: readonly PreviewMenu[];
  /** What is wrong with no menu in particular: the configuration, the agent list, files of tests. */
  readonly problems: readonly PreviewProblem[];
}

export interface PreviewMenu {
  /** Of a menu that has none, its file. */
  readonly key: string;
  readonly file: string;
  readonly name?: string;
  readonly description?: string;
  readonly owner?: string;
  /** Absent where no call can be walked through it. */
  readonly call?: CallMenu;
  readonly tests: readonly PreviewTest[];
  /** The invariants that it breaks, each as a call that shows it. */
  readonly broken: readonly PreviewTest[];
  readonly problems: readonly PreviewProblem[];
}

/** A call that was walked, and what came of it. */
export interface PreviewTest {
  readonly name: string;
  /** `ivrs/front-desk.yaml:12` */
  readonly place: string;
  readonly press: readonly Press[];
  readonly passed: boolean;
  /** Of one that failed, the walk it took, with what was expected instead. */
  readonly lines: readonly CallLine[];
}

/** A diagnostic, in the parts it is shown in. */
export interface PreviewProblem {
  /** Its code, and the rule that found it where one did. */
  readonly title: string;
  readonly severity: Severity;
  readonly message: string;
  readonly place: string;
  /** The source line, and under it the carets. */
  readonly frame?: string;
  readonly hint?: string;
}
