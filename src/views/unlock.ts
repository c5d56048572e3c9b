import { type Lock, describeLock } from "../deploy/state/store.ts";
import { suggest } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { type Audience, visible } from "./terminal.ts";

interface Shown {
  readonly environment: string | null;
  readonly id: string;
  readonly released: Lock | null;
  /** The flags that named the store, if any. */
  readonly target: string | undefined;
}

export async function showUnlocked(
  { environment, id, released, target }: Shown,
  diagnostics: readonly Diagnostic[],
  { globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (globals.quiet) return;
  if (released !== null) {
    terminal.out(`Released the lock of ${visible(describeLock(released))}.\n`);
    for (const line of otherLock(released, environment, target)) {
      terminal.say(`${visible(line)}\n`);
    }
  } else if (diagnostics.every(({ severity }) => severity !== "error"))
    terminal.say(`The state of ${environment} has no lock with the id ${visible(id)}.\n`);
}

/** How to release the second lock of a migration. It locks two stores with one id, and both locks name its target. */
function otherLock(
  { id, command }: Lock,
  environment: string | null,
  releasedAt: string | undefined,
): readonly string[] {
  const target = /^state migrate (--to .+)$/s.exec(command)?.[1];
  if (target === undefined || environment === null) return [];
  const [other, flags] = releasedAt === target ? ["source", undefined] : ["target", target];
  return [
    `A migration also locks its ${other}. To release that lock, run:`,
    `  ${suggest("unlock", [id], environment, flags)}`,
  ];
}
