import type { Code } from "../diagnostics/codes.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { Flow } from "../compile/flow.ts";
import type { AliasEntry, ResolvedMenu } from "../compile/menu.ts";
import type { MapNode } from "../yaml/node.ts";
import type { Hint } from "../util/suggest.ts";

/** A built-in rule. Each has its own file in built-in/ and is listed in index.ts there. */
export type Rule = MenuRule | ProjectRule | ChangeRule;

/** Checks one menu. */
export interface MenuRule<O extends RuleOptions = RuleOptions> extends About<O> {
  readonly subject: "menu";
  check(menu: ResolvedMenu, context: MenuContext<O>): void;
}

/** Checks all menus together. */
export interface ProjectRule<O extends RuleOptions = RuleOptions> extends About<O> {
  readonly subject: "project";
  check(project: WholeProject, context: Context<O>): void;
}

/** Checks the change of a menu that was applied before. */
export interface ChangeRule extends About<RuleOptions> {
  readonly subject: "change";
  check(change: KeyChanges, context: Context<RuleOptions>): void;
}

interface About<O extends RuleOptions> {
  readonly name: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly options: O;
  /** Who recommends the rule. Shown on its page. */
  readonly source: string;
  /** Always an error: nothing can be sent, so the rule cannot be lowered or ignored. */
  readonly mandatory?: true;
}

/** The options of a rule: whole numbers, each with its default. */
export type RuleOptions = Readonly<Record<string, RuleOption>>;

interface RuleOption {
  readonly preset: number;
  readonly about: string;
}

export interface Context<O extends RuleOptions> {
  readonly options: { readonly [K in keyof O]: number };
  readonly report: Report;
}

export type Report = (at: Span, message: string, hint?: Hint) => void;

interface MenuContext<O extends RuleOptions> extends Context<O> {
  readonly agents: Agents | undefined;
  /** The name of the environment, for commands in hints. */
  readonly environment: string | undefined;
}

/** All menus of a project, none of them invalid. */
export interface WholeProject {
  /** By key. */
  readonly menus: ReadonlyMap<string, ResolvedMenu>;
  /** How the menus link to each other. */
  readonly flow: Flow;
  /** The aliases of ivrctl.yaml. */
  readonly aliases: readonly AliasEntry[];
  readonly defaults: MapNode | undefined;
}

/** The targets of the keys when the menu was applied, and now. */
export interface KeyChanges {
  readonly before: ReadonlyMap<string, KeyTarget>;
  readonly after: readonly (KeyTarget & { readonly key: string; readonly at: Span })[];
}

/** Where a key of a menu leads. */
export interface KeyTarget {
  /** As sent to the service: `extension||500101`. */
  readonly destination: string;
  /** As shown to people. */
  readonly who: string;
  readonly for: string | undefined;
}

/** Returns the rule, with the types of its options inferred. */
export function menuRule<const O extends RuleOptions>(
  rule: Omit<MenuRule<O>, "subject">,
): MenuRule<O> {
  return { subject: "menu", ...rule };
}

/** Returns the rule, with the types of its options inferred. */
export function projectRule<const O extends RuleOptions>(
  rule: Omit<ProjectRule<O>, "subject">,
): ProjectRule<O> {
  return { subject: "project", ...rule };
}
