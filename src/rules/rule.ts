import type { Code } from "../diagnostics/codes.ts";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { AliasEntry, ResolvedMenu } from "../compile/menu.ts";

/** What makes a menu a good one, by name; each in a file of its own. */
export type Rule = MenuRule | AliasRule | ChangeRule;

/** Judges one menu. */
export interface MenuRule<O extends RuleOptions = RuleOptions> extends About<O> {
  readonly subject: "menu";
  check(menu: ResolvedMenu, context: MenuContext<O>): void;
}

/** Judges the names that the configuration gives, once all menus are known. */
export interface AliasRule extends About<RuleOptions> {
  readonly subject: "aliases";
  check(aliases: RuledAliases, context: Context<RuleOptions>): void;
}

/** Judges what becomes of a menu that callers know. */
export interface ChangeRule extends About<RuleOptions> {
  readonly subject: "change";
  check(change: RuledChange, context: Context<RuleOptions>): void;
}

interface About<O extends RuleOptions> {
  readonly name: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly options: O;
  /** Where it comes from, for its page. */
  readonly source: string;
  /** What it finds leaves nothing to send: it can be neither lowered nor silenced. */
  readonly fixed?: true;
  /** Without an agent list it finds nothing. */
  readonly needsAgents?: true;
}

/** Whole numbers, each with what it is unless it is set. */
export type RuleOptions = Readonly<Record<string, RuleOption>>;

interface RuleOption {
  readonly preset: number;
  readonly about: string;
}

export interface Context<O extends RuleOptions> {
  readonly options: { readonly [K in keyof O]: number };
  readonly report: (at: Span, message: string, hint?: string) => void;
}

interface MenuContext<O extends RuleOptions> extends Context<O> {
  readonly agents: Agents | undefined;
}

interface RuledAliases {
  readonly given: readonly AliasEntry[];
  readonly isUsed: (alias: AliasEntry) => boolean;
}

/** Where each key led in what callers know, and where it leads now. */
export interface RuledChange {
  readonly before: ReadonlyMap<string, Way>;
  readonly after: readonly (Way & { readonly key: string; readonly at: Span })[];
}

export interface Way {
  /** As it is sent: `extension||500101`. */
  readonly destination: string;
  /** In words. */
  readonly who: string;
  readonly for: string | undefined;
}

/** The same literal, with the types of its options inferred. */
export function menuRule<const O extends RuleOptions>(
  rule: Omit<MenuRule<O>, "subject">,
): MenuRule<O> {
  return { subject: "menu", ...rule };
}

/**
 * Where to tell of how two values go together: at the one given, if it stands in
 * the menu's own file; a default alone is not at fault.
 */
export function inMenu({ top, optionsAt }: ResolvedMenu, at: Span): Span {
  if (at.source === top.source) return at;
  return optionsAt?.source === top.source ? optionsAt : top;
}
