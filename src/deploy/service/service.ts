import type { ListedAgent } from "../../schema/agent.ts";
import type { Payload } from "../../schema/wire.ts";
import type { Permit } from "./exchange.ts";
import type { Attempted } from "./outcome.ts";

/**
 * What a service can do. The current service can only create menus. A service that can list or
 * update menus would need more interfaces.
 */
export interface Service {
  /** Sends one request to create a menu, and never repeats it. `key` is only for the trace. */
  create(payload: Payload, key: string, signal?: AbortSignal, permit?: Permit): Promise<Attempted>;
  close(): Promise<void>;
}

/** A source of the agent list. The service has deprecated its own list. */
export interface AgentDirectory {
  list(signal?: AbortSignal): Promise<AgentListing>;
}

export type AgentListing =
  | { readonly kind: "listed"; readonly agents: readonly ListedAgent[] }
  /** `problem` says what the answer was instead. */
  | { readonly kind: "refused"; readonly problem: string; readonly isTokenRejected: boolean };

/** What `--verbose` shows of an exchange: never the token, and never a body. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** The key of the menu, if the request creates one. */
  readonly key: string | null;
  /** The HTTP status, or how far the exchange got without one. */
  readonly result: number | string;
  readonly milliseconds: number;
}
