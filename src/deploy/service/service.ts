import type { ListedAgent } from "../../schema/agent.ts";
import type { Permit } from "./exchange.ts";

export interface WriteRequest {
  /** The key of the menu that the request is for. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  readonly permit?: Permit | undefined;
}

/** Why a service did not return what it was asked for. */
export interface Refusal {
  readonly kind: "refused";
  /**
   * - `token`: the service rejects the token.
   * - `scope`: the token is valid, but it may not do this.
   * - `not-offered`: the service does not have this operation.
   * - `agent`: an agent on the agent list is invalid.
   * - `other`: the service cannot be reached, or the answer is invalid.
   */
  readonly reason: "token" | "scope" | "not-offered" | "agent" | "other";
  /** What the answer was instead. */
  readonly problem: string;
}

export type Found<T> = { readonly kind: "found"; readonly value: T } | Refusal;

/** The answer to a request for a list. Every record is in one of the two arrays. */
export type Listing<T> =
  | {
      readonly kind: "listed";
      readonly items: readonly T[];
      readonly unreadable: readonly UnreadableRecord[];
    }
  | Refusal;

/** A record of a list that ivrctl does not understand. */
export interface UnreadableRecord {
  readonly id: string | null;
  readonly name: string | null;
  readonly problem: string;
}

/** A phone number of the account. */
export interface PhoneNumber {
  readonly id: string;
  /** The number with its country code, as the service writes it: `+912241234567`. */
  readonly number: string;
  /** A different form of the number, for example without the `+`. */
  readonly alias: string | null;
  readonly name: string | null;
  /** What it points to, for example `ivr||7926`; null if it points nowhere. */
  readonly destination: string | null;
}

export interface User {
  readonly id: string;
  readonly name: string;
  /** Null if the user takes no calls. */
  readonly agent: { readonly eid: string; readonly name: string; readonly status: number } | null;
}

export interface Department {
  readonly id: string;
  readonly name: string;
  /** The eids of its agents. */
  readonly eids: readonly string[];
}

export type AgentListing =
  | { readonly kind: "listed"; readonly agents: readonly ListedAgent[] }
  | Refusal;

/** What `--verbose` shows of an exchange: never the token, and never a body. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** The key of the menu, if the request creates or changes one. */
  readonly key: string | null;
  /** The HTTP status, or how far the exchange got without one. */
  readonly result: number | string;
  readonly milliseconds: number;
}
