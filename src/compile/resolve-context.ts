import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Agents } from "./agents.ts";
import type { Validity } from "../yaml/validate-node.ts";
import type { Environment } from "../project/environment.ts";

/** What a menu's references are settled with. */
export interface Context {
  /** Without one, aliases and destination kinds are left unchecked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are left unchecked. */
  readonly agents: Agents | undefined;
  readonly validity: Validity;
  readonly diagnostics: Diagnostics;
}
