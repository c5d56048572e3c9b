import type { ListedAgent } from "../../schema/agent.ts";
import type { Payload } from "../../schema/wire.ts";
import type { Permit } from "./exchange.ts";
import type { Attempted } from "./outcome.ts";

/**
 * What a service is able to do. Today's can create a menu; one that can also
 * list or update menus would offer those as abilities of their own.
 */
export interface Service {
  /**
   * One attempt, never repeated by itself. `key` is the menu's, for the trace alone.
   * Without a permit it needs none.
   */
  create(payload: Payload, key: string, signal?: AbortSignal, permit?: Permit): Promise<Attempted>;
  close(): Promise<void>;
}

/** Where the agent list comes from; the service is one source of it, and a deprecated one. */
export interface AgentDirectory {
  list(signal?: AbortSignal): Promise<AgentListing>;
}

export type AgentListing =
  | { readonly kind: "listed"; readonly agents: readonly ListedAgent[] }
  /** `problem` says what came instead. */
  | { readonly kind: "refused"; readonly problem: string };

/** What `--verbose` shows of each exchange. Never a token, never a body. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** The menu's key, where a menu was created. */
  readonly key: string | null;
  /** The HTTP status, or what was seen instead of one. */
  readonly result: number | string;
  readonly milliseconds: number;
}
