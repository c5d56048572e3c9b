import type { Code } from "../../diagnostics/codes.ts";
import type { Diagnostics, FilePlace } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { Ref } from "../../schema/ref.ts";
import { type Hint, withSentence } from "../../util/suggest.ts";

/** Something that needs a person: what is wrong, what callers experience, and what to do. */
export interface AnyMatter<Kind extends string = string> {
  readonly kind: Kind;
  /** The menus, old menus and phone numbers that it is about. */
  readonly refs: readonly Ref[];
  /** When it began, if that is recorded. */
  readonly since?: string | undefined;
  /** What causes it, if that is a place in a file. */
  readonly at?: Span | undefined;
  /** What is wrong, as one sentence. */
  readonly words: string;
  /** What callers experience now, as one sentence. Absent if they notice nothing. */
  readonly callers?: string | undefined;
  /** What `words` are about, one after the other. */
  readonly items?: readonly string[] | undefined;
  /** What to do. The first is the shortest way; a command that ends with it shows all. */
  readonly fix: readonly [Hint, ...Hint[]];
  /** What is not sent because of it. */
  readonly blocks: "nothing" | "these menus" | "everything";
  /** The exit code of a command that was asked to do something about these menus. */
  readonly exit: 0 | 1 | 3 | 4;
  /** What `ivrctl explain` describes, for commands that report it as a diagnostic. */
  readonly code: Code;
}

/** What a kind of matter is, and how its facts become words. */
export interface KindOfMatter<F> {
  /** Default: these menus. */
  readonly blocks?: AnyMatter["blocks"];
  /** Default: 1. */
  readonly exit?: AnyMatter["exit"];
  /** Default: IVR684. */
  readonly code?: Code | ((facts: F) => Code);
  /** Whether it only follows from a plan: nobody has to do anything before apply. */
  readonly isPlanned?: true;
  /** Whether plan and apply show it as a change, because apply does something about it. */
  readonly isChange?: true;
  /** Whether only a person can do it on the console, so that apply has done its part. */
  readonly isOnConsole?: true;
  /** Whether a line of a file has to change, so that a plan with it fails. */
  readonly isInFile?: true;
  readonly words: (facts: F, environment: string) => string;
  readonly callers?: (facts: F) => string | undefined;
  readonly items?: (facts: F) => readonly string[];
  readonly fix: (facts: F, environment: string) => readonly [Hint, ...Hint[]];
}

/** The exit code for the most serious matter: an unknown outcome counts most. */
export function exitFor(matters: readonly AnyMatter[]): AnyMatter["exit"] {
  return matters.reduce<AnyMatter["exit"]>((worst, { exit }) => (exit > worst ? exit : worst), 0);
}

/** What callers experience and what is wrong, as one text. */
function matterText(matter: Pick<AnyMatter, "words" | "callers" | "items">): string {
  const { items = [] } = matter;
  return items.length === 0 ? matterHead(matter) : `${matterHead(matter)} ${items.join("; ")}.`;
}

/** The same without the items, for formats that have a line for each. */
export function matterHead({ words, callers }: Pick<AnyMatter, "words" | "callers">): string {
  return callers === undefined ? words : `${callers} ${words}`;
}

/** What callers experience, what is wrong, and the shortest way to go on. */
export function matterHint(matter: AnyMatter): Hint {
  return withSentence(matterText(matter), matter.fix[0]);
}

/** Reports a matter as a diagnostic, at the place that causes it or else at the one given. */
export function reportMatter(
  matter: AnyMatter,
  { file }: FilePlace,
  diagnostics: Diagnostics,
  severity: "error" | "warning" = matter.blocks === "everything" ? "error" : "warning",
): void {
  const { code, at, fix } = matter;
  if (at) diagnostics.add(code, at, matterText(matter), fix[0], severity);
  else diagnostics.addAt(code, { file }, matterText(matter), fix[0], severity);
}

/** How many keys a command names at most. */
export const mostShown = 5;
