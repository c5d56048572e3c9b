/**
 * Whether the output becomes the log of a pipeline whose runner executes commands in it: GitHub
 * Actions and compatible runners, GitLab, Azure Pipelines.
 */
export function runnerReadsLog(variables: Readonly<Record<string, string | undefined>>): boolean {
  return ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"].some(
    (name) => variables[name]?.toLowerCase() === "true",
  );
}

/**
 * Keeps commands to a runner out of one stream. It inserts a backslash before the last character of
 * what a runner looks for, also if that is divided over several writes.
 */
export class PlainLog {
  /** The unfinished line on the stream. */
  #line = "";

  /** Returns the text to print next. */
  plain(text: string): string {
    const printed = this.#line.length;
    const safe = (this.#line + text).replace(commands, (found, at: number) =>
      at + found.length < printed ? found : `${found}\\`,
    );
    this.#line = lastLine(safe);
    return safe.slice(printed);
  }

  /** Notes a text that is printed unchanged. */
  unchanged(text: string): void {
    this.#line = lastLine(this.#line + text);
  }
}

/**
 * What the runners look for, without its last character:
 * - GitHub: `::` at the start of a line, after spaces; `##[` anywhere
 * - Azure: `##[` and `##vso[` anywhere
 * - GitLab: `section_start:` and `section_end:` anywhere
 *
 * Invisible characters do not count, because the runner of GitHub compares texts as people read them.
 */
const commands =
  /^[\t\v\f\x85\p{Z}\p{DI}]*:\p{DI}*(?=:)|#\p{DI}*#\p{DI}*(?:vso)?(?=\[)|section_(?:start|end)(?=:)/gimu;

function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1);
}
