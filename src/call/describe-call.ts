import { nobodyAnswers, ownKind } from "../schema/destination-kinds.ts";
import { type CallDestination, type Via } from "../model/call-menu.ts";

/** What a caller does to take a path, in one word: `2`, `wrong keys`, `silence`. */
export function describeTurn({ via, key }: { via: Via; key?: string | undefined }): string {
  return key ?? (via === "invalid" ? "wrong keys" : "silence");
}

interface AgentName {
  readonly name: string;
  readonly eid: string | null;
  readonly team: string | null;
  readonly blocked: boolean;
}

/** An agent's name, and what distinguishes the agent from others. */
export function agentLines({ name, eid, team, blocked }: AgentName): string[] {
  return [name, team ?? `extension ${eid ?? "unknown"}`, ...(blocked ? ["blocked"] : [])];
}

export function endsWithoutPerson(destination: CallDestination): boolean {
  return destination.kind === "other" && nobodyAnswers(destination.name);
}

/** How a call ends there, if it reaches nothing: `with a hangup`. */
export function endWords(destination: CallDestination): string | undefined {
  return destination.kind === "other" ? ownKind(destination.name, destination.id)?.ends : undefined;
}

/** The shortest name of a destination: that of the agent, or the key of the menu. */
export function nameOfDestination(destination: CallDestination): string {
  return destination.kind === "menu" ? destination.key : destination.name;
}

/** Why a call cannot reach a destination. */
export const missing = {
  "not-listed": "not on the agent list",
  several: "several agents match",
  "no-extension": "without an extension",
  "no-menu": "no such menu",
  "invalid-menu": "has errors",
  gone: "not on the service",
} as const;
