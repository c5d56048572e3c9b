import { type CallDestination, type CallPath, type Via, pathName } from "./model.ts";
import { type OtherDestination, keyPlace } from "../model/menu.ts";
import { many } from "../util/many.ts";
import { nobodyAnswers, ownKind, ownWords } from "../schema/destination-kinds.ts";

/** What a caller does to reach a destination, as pictures and pages show it. */
export interface Trigger {
  readonly keys: readonly string[];
  /** The purpose of the key, as callers hear it. */
  readonly purpose: string | undefined;
  /** Other causes that go there: `after 3 wrong keys`. */
  readonly otherwise: readonly string[];
  /** Its paths, by `pathName`. */
  readonly names: readonly string[];
}

/** A path, whatever it reaches. */
type Way = Omit<CallPath, "destination">;

/** What a caller does to take a path. */
export function triggerOf(way: Way): Trigger {
  const { via, key, for: purpose, retries = "0", wait } = way;
  const names = [pathName(way)];
  if (key !== undefined) return { keys: [key], purpose, otherwise: [], names };
  const last = Number(retries) + 1;
  const words =
    via === "invalid"
      ? `after ${many(last, "wrong key")}`
      : `after ${many(last, "silence")}: waits ${many(Number(wait), "second")} for a key`;
  return { keys: [], purpose: undefined, otherwise: [words], names };
}

/** A trigger in words: `key 2 (Billing)`, or `keys 1, 2, wrong key` for several. */
export function describeTrigger({ keys, purpose, otherwise }: Trigger): string {
  const [first, ...others] = keys;
  const named =
    first === undefined ? [] : [others.length === 0 ? keyPlace(first) : `keys ${keys.join(", ")}`];
  const pressed = named.map((words) => (purpose === undefined ? words : `${words} (${purpose})`));
  return [...pressed, ...otherwise].join(", ");
}

/** What a caller does to take a path, in one word: `2`, `wrong keys`, `silence`. */
export function describeTurn({ via, key }: { readonly via: Via; readonly key?: string }): string {
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

export function describeMenu(key: string): string {
  return `menu ${key}`;
}

/** A destination of a kind that the project allows: `department 12`. */
export function describeOther({ name, id }: OtherDestination): string {
  return ownWords(name, id, "words") ?? `${name} ${id}`;
}

/** Whether the call ends there without an agent. */
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

/** The alias and id of a recording, or its id alone. */
export function recordingName({ id, alias }: Heard): string {
  return alias === undefined ? id : `${alias} (${id})`;
}

interface Heard {
  readonly id: string;
  readonly alias?: string | undefined;
}
