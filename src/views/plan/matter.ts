import type { Argv } from "../../util/suggest.ts";

/** What a person should know or do, and the commands for it. */
export interface Matter {
  readonly words: string;
  readonly commands: readonly Argv[];
}

export function matter(words: string, ...commands: readonly Argv[]): Matter {
  return { words, commands };
}
