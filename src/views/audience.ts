import type { Terminal } from "./terminal.ts";

/** Where and how a view prints: the parts of a command's context that views need. */
export interface Audience {
  readonly format: string;
  readonly root: string;
  readonly globals: {
    readonly quiet: boolean;
    readonly verbose: boolean;
    readonly directory: string | undefined;
  };
  readonly terminal: Terminal;
  readonly variables: Readonly<Record<string, string | undefined>>;
}
