import type { Span } from "../diagnostics/source.ts";
import { ageOf } from "../util/age.ts";
import { suggest } from "../util/suggest.ts";
import { shellWord } from "../util/shell-word.ts";
import { type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

interface Fix {
  readonly at: Span;
  readonly before: string;
  readonly after: string;
}

/** Lists the fixes, each with its place. */
export function sayFixed(fixes: readonly Fix[], terminal: Terminal): void {
  for (const { file, line, column, before, after } of plainFixes(fixes)) {
    terminal.say(
      visible(`fixed ${terminal.path(file)}:${line}:${column}: ${before} is now ${after}`) + "\n",
    );
  }
  if (fixes.length === 0) terminal.say("Nothing to fix.\n");
}

/** The fixes in JSON. */
export function plainFixes(fixes: readonly Fix[]) {
  return fixes.map(({ at: { source, start }, before, after }) => {
    const { line, column } = source.position(start);
    return { file: source.file, line, column, before, after };
  });
}

/** Prints how many of the problems `--fix` can fix, and the command. */
export function showFixable(count: number, { terminal, args }: Fixable): void {
  if (count === 0) return;
  const paths = args.map((path) => ` ${shellWord(visible(terminal.path(path)))}`);
  terminal.out(
    `${count} of these can be fixed with --fix:\n  ivrctl validate --fix${paths.join("")}\n`,
  );
}

interface Fixable {
  readonly terminal: Terminal;
  /** The files that were validated. */
  readonly args: readonly string[];
}

export function sayUnchecked(environment: string | undefined, terminal: Terminal): void {
  const words =
    "Agents were not checked, because there is no agent list. Use --agents FILE, or run:";
  terminal.say(
    `${wrap(words, "", terminal.wordWrap)}\n  ${suggest("agents pull", [], environment)}\n`,
  );
}

interface Valid {
  readonly menus: readonly unknown[];
  readonly environment: { readonly name: string } | undefined;
  readonly agents: { readonly origin: { readonly pulledAt?: Date | undefined } } | undefined;
}

export function sayValid({ menus, environment, agents }: Valid, terminal: Terminal): void {
  const count = menus.length === 1 ? "1 menu is valid" : `${menus.length} menus are valid`;
  const pulledAt = agents?.origin.pulledAt;
  const list = pulledAt === undefined ? "" : `, with the agent list ${ageOf(pulledAt)}`;
  const words = `${count} for the environment ${environment?.name ?? "?"}${list}.`;
  terminal.out(`${wrap(words, "", terminal.outColumns)}\n`);
}
