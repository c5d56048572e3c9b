import type { Source } from "../diagnostics/source.ts";
import type { Agents } from "./agents.ts";
import type { Config } from "./config.ts";
import type { SettledMenu } from "./draft.ts";
import type { Environment } from "./environment.ts";

/** What earlier runs found out, to be opened for what it depends on. */
export interface Cache {
  open(basis: Basis): Opened | undefined;
}

/** What a menu's outcome depends on beside its own text. */
export interface Basis {
  /** Without a fault. */
  readonly config: Config;
  readonly environment: Environment;
  readonly agents: Agents | Source | undefined;
  /** How the rules of the configuration are asked; `bare` where they are not. */
  readonly rules: "all" | "without notes" | "bare";
}

export interface Opened {
  /** The list whose text was given, known to be sound and not read again until somebody looks into it. */
  readonly agents: Agents | undefined;
  memory(agents: Agents | undefined): Memory;
}

/** What is known of texts, each by what it says and where it stands. */
export interface Memory {
  recall(source: Source): readonly SettledMenu[] | undefined;
  /** All menus of a file; those of one that is at fault are looked at anew each time. */
  keep(source: Source, menus: readonly SettledMenu[]): void;
  /** Whatever else somebody wants to know of a text again, as JSON can carry it; to be read when needed. */
  recallNote(source: Source, name: string): (() => unknown) | undefined;
  keepNote(source: Source, name: string, value: unknown): void;
}
