import { type Lock, describeLock } from "../deploy/state/store.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import type { Result } from "../cli/result.ts";
import { type Page, visible } from "./terminal.ts";
import { shellWord } from "../util/shell-word.ts";

interface Shown {
  readonly environment: string | null;
  readonly id: string;
  readonly released: Lock | null;
  /** The flags that named the store, if any. */
  readonly target: Argv | undefined;
}

/** What was released, and what else may be locked. */
export function unlockedResult(
  { environment, id, released, target }: Shown,
  hasErrors: boolean,
): Pick<Result, "summary" | "notes"> {
  if (released === null) {
    const none = `The state of ${environment} has no lock with the id ${visible(id)}.\n`;
    return { notes: hasErrors ? "" : none };
  }
  return {
    summary: `Released the lock of ${visible(describeLock(released))}.\n`,
    notes: ({ command }) => otherLock(released, environment, target, command),
  };
}

/** How to release the second lock of a migration. It locks two stores with one id, and both locks name its target. */
function otherLock(
  { id, command }: Lock,
  environment: string | null,
  releasedAt: Argv | undefined,
  commandOf: Page["command"],
): string {
  const target = /^state migrate (--to .+)$/s.exec(command)?.[1];
  if (target === undefined || environment === null) return "";
  const isTarget = releasedAt?.map(shellWord).join(" ") === target;
  const [other, flags] = isTarget ? ["source", []] : ["target", wordsIn(target)];
  return `A migration also locks its ${other}. To release that lock, run:\n  ${commandOf(suggest("unlock", [id], environment, flags))}\n`;
}

/** The words of a text that `shellWord` quoted. */
function wordsIn(text: string): string[] {
  const words = text.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? [];
  return words.map((word) =>
    word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word,
  );
}
