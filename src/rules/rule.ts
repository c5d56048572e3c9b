import type { Code } from "../diagnostics/codes.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Agents } from "../project/agent-list.ts";
import type { Flow } from "../compile/flow.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import type { Hint } from "../util/suggest.ts";
import { type RuleOptions, ruleSeverities } from "../schema/rules.ts";

/**
 * A rule. Each built-in one has its own file in built-in/ and is listed in index.ts there. Those of
 * plugins have the same type.
 */
export type Rule = {
  [S in keyof Subjects]: RuleAbout<S>;
}[keyof Subjects];

/** What a rule checks. */
export interface Subjects {
  readonly menu: ResolvedMenu;
  /** A menu that has no other error. */
  readonly "valid-menu": ResolvedMenu;
  /** All menus together. */
  readonly project: WholeProject;
  /** The change of a menu that was applied before. */
  readonly change: KeyChanges;
}

export interface RuleAbout<S extends keyof Subjects, O extends RuleOptions = RuleOptions> {
  readonly subject: S;
  readonly name: string;
  readonly code: Code;
  readonly severity: Severity | "off";
  readonly options: O;
  /** What a custom rule checks, in its own words. */
  readonly about?: string;
  /** Who recommends the rule, in Markdown, for docs/rules.md. */
  readonly source?: string;
  check(subject: Subjects[S], context: RuleContext<O>): void;
}

export interface RuleContext<O extends RuleOptions = RuleOptions> {
  readonly options: { readonly [K in keyof O]: Widened<O[K]["preset"]> };
  readonly report: Report;
  /** Reports that the rule itself does not work. */
  readonly fail: Report;
  readonly agents: Agents | undefined;
  /** The name of the environment, for commands in hints. */
  readonly environment: string | undefined;
}

/** The type of all values of an option, instead of that of its default alone. */
type Widened<V> = V extends number ? number : V;

type Report = (at: Span, message: string, hint?: Hint) => void;

/** All menus of a project, none of them invalid. */
interface WholeProject {
  /** By key. */
  readonly menus: ReadonlyMap<string, ResolvedMenu>;
  /** How the menus link to each other. */
  readonly flow: Flow;
}

/** The targets of the keys when the menu was applied, and now. */
export interface KeyChanges {
  readonly before: ReadonlyMap<string, KeyTarget>;
  readonly after: readonly (KeyTarget & { readonly key: string; readonly at: Span })[];
}

/** Where a key of a menu goes. */
export interface KeyTarget {
  /** What distinguishes it from others: `agent 500101`. */
  readonly destination: string;
  /** As shown to people. */
  readonly who: string;
  readonly for: string | undefined;
}

/** Returns a function that returns a rule, with the types of its options inferred. */
function ruleAbout<S extends keyof Subjects>(subject: S) {
  return <const O extends RuleOptions>(
    rule: Omit<RuleAbout<S, O>, "subject">,
  ): RuleAbout<S, O> => ({ subject, ...rule });
}

export const menuRule = ruleAbout("menu");
export const projectRule = ruleAbout("project");

export function readSeverity(word: (typeof ruleSeverities)[number]): Severity | "off" {
  return word === "warn" ? "warning" : word;
}
