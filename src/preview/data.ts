import type { CallLine } from "../views/call-lines.ts";
import type { CallMenu, Press } from "../model/call-menu.ts";

/** All data of the page. It is written as JSON, which leaves out what is undefined. */
export interface PreviewData {
  /** Whether a server reports changes. */
  readonly live: boolean;
  /** Whether the server writes what people change on the page. */
  readonly canEdit?: boolean;
  /** The folder of the project, if ivrctl runs in VS Code, which can open its files. */
  readonly opens?: string | undefined;
  readonly environment: string | null;
  /** The revision that the menus are compared with, as the user wrote it, with its commit. */
  readonly base: string | null;
  /** What changes since then, of one menu or of several alike, as `diff` and `plan` group it. */
  readonly changes: readonly ChangedMenus[];
  /** What else is different, for example names, which callers do not notice. */
  readonly following: readonly string[];
  /** The team and the intercom number of everybody whom callers reach, by extension. Absent without files. */
  readonly people?: Readonly<Record<string, string>> | undefined;
  readonly menus: readonly PreviewMenu[];
  /** Problems of the configuration, the agent list and test files. */
  readonly findings: readonly Finding[];
}

/** `All 8 towns`, and what changes for their callers. */
interface ChangedMenus {
  readonly subject: string;
  readonly keys: readonly string[];
  readonly lines: readonly string[];
}

/** How a menu differs from the revision that it is compared with. */
interface PreviewChange {
  readonly kind: "new" | "changed" | "moved" | "deleted";
  /** The menu as it was. Absent if it is new or had errors. */
  readonly before?: CallMenu | undefined;
}

export interface PreviewMenu {
  /** The file, if the menu has no key. */
  readonly key: string;
  readonly file: string;
  /** The key, if it has none. */
  readonly name: string;
  readonly owner?: string | undefined;
  /** Its phone numbers as people read them. The page has no table of the countries. */
  readonly numbers: readonly string[];
  /** Whether calls begin in this menu. */
  readonly entry?: boolean;
  /** Absent if nothing changed, or if there is nothing to compare with. */
  readonly change?: PreviewChange | undefined;
  /** Absent if errors prevent calls to this menu. */
  readonly call?: CallMenu | undefined;
  /** Whether `call` is the last valid version of a menu that has errors now. The page sets it. */
  readonly isStale?: boolean;
  /** Its problems and tests, and the invariants that it breaks. The worst come first. */
  readonly findings: readonly Finding[];
}

/** A problem, or a test with its result. A broken invariant is a failed test. */
export interface Finding {
  readonly kind: (typeof badgeKinds)[number];
  /** The code of a problem, and the rule that found it if there is one. */
  readonly title?: string | undefined;
  /** The message of a problem, or the name of a test. */
  readonly text: string;
  /** `ivrs/front-desk.yaml:12:5` */
  readonly place: string;
  /** The source line of a problem in three parts, of which the second is marked. */
  readonly frame?: { line: number; before: string; marked: string; after: string } | undefined;
  /** How to fix a problem, and a command that helps. */
  readonly hint?: string;
  readonly press?: readonly Press[];
  /** The menus that have it, if the page shows it for all of them at once. */
  readonly menus?: readonly PreviewMenu[];
  /** The call of a failed test, with what was expected instead. */
  readonly lines?: readonly CallLine[] | undefined;
}

/** The worst come first. */
export const badgeKinds = ["error", "failed", "warning", "note", "passed"] as const;
