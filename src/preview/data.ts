import type { CallMenu, Press } from "../call/model.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { CallLine } from "../views/call-lines.ts";

/** All data of the page. It is written as JSON, which leaves out what is undefined. */
export interface PreviewData {
  /** Whether a server reports changes. */
  readonly live: boolean;
  readonly environment: string | null;
  /** The revision that the menus are compared with, as the user wrote it, with its commit. */
  readonly base: string | null;
  /** What changes for callers since then, as `diff` and `plan` group it. */
  readonly changes: readonly PreviewRow[];
  /** In the order of their keys. */
  readonly menus: readonly PreviewMenu[];
  /** Problems of the configuration, the agent list and test files. */
  readonly problems: readonly PreviewProblem[];
}

/** What changes for callers of one menu, or of several menus alike. */
export interface PreviewRow {
  readonly keys: readonly string[];
  /** `Main menu`, `11 hotels` */
  readonly subject: string;
  readonly lines: readonly string[];
}

/** How a menu differs from the revision that it is compared with. */
export interface PreviewChange {
  readonly kind: "new" | "changed" | "moved" | "deleted";
  /** The key that the menu had. */
  readonly from: string;
  /** What changes for callers. Empty if only the key of the menu changes. */
  readonly lines: readonly string[];
  /** The menu as it was. Absent if it was new or had errors. */
  readonly before?: CallMenu | undefined;
}

export interface PreviewMenu {
  /** The file, if the menu has no key. */
  readonly key: string;
  readonly file: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly owner?: string | undefined;
  /** Whether calls begin in this menu. */
  readonly entry?: boolean;
  /** Absent if nothing changed, or if there is nothing to compare with. */
  readonly change?: PreviewChange | undefined;
  /** Absent if errors prevent calls to this menu. */
  readonly call?: CallMenu | undefined;
  /** Its tests, and the invariants that it breaks. */
  readonly tests: readonly PreviewTest[];
  /** Errors first. */
  readonly problems: readonly PreviewProblem[];
}

/** A call that a test or an invariant checks, and its result. */
export interface PreviewTest {
  readonly name: string;
  /** `ivrs/front-desk.yaml:12` */
  readonly place: string;
  readonly press: readonly Press[];
  /** If it failed, the call step by step, with what was expected instead. Otherwise null. */
  readonly lines: readonly CallLine[] | null;
}

export interface PreviewProblem {
  /** The code, and the rule that found it if there is one. */
  readonly title: string;
  readonly severity: Severity;
  readonly message: string;
  readonly place: string;
  /** Its source line in three parts, of which the second is marked. */
  readonly frame?: { line: number; before: string; marked: string; after: string } | undefined;
  /** How to fix it, and a command that helps. */
  readonly hint?: { readonly words: string; readonly command?: string } | undefined;
}
