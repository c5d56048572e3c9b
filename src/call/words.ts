/** What a caller does to reach a destination, as pictures and pages show it. */
export interface Trigger {
  readonly keys: readonly string[];
  /** The purpose of the key, as callers hear it. */
  readonly purpose: string | undefined;
  /** Other causes that lead there: `wrong key, after 2 retries`. */
  readonly otherwise: readonly string[];
}

export function onKey(key: string, purpose: string | undefined): Trigger {
  return { keys: [key], purpose, otherwise: [] };
}

export function onWrongKey(retries: Count): Trigger {
  return { keys: [], purpose: undefined, otherwise: [`wrong key, ${afterRetries(retries)}`] };
}

/** The trigger for silence. The service's documentation does not name the unit of `wait`. */
export function onSilence(wait: Count, retries: Count): Trigger {
  const words = `silence for ${wait}, ${afterRetries(retries)}`;
  return { keys: [], purpose: undefined, otherwise: [words] };
}

/** The name of the place of an option: `key 2`. The state stores it. */
export function placeOf(key: string): string {
  return `key ${key}`;
}

/** A trigger in words: `key 2 (Billing)`, or `keys 1, 2, wrong key` for several. */
export function triggerWords({ keys, purpose, otherwise }: Trigger): string {
  const [first, ...others] = keys;
  const named =
    first === undefined ? [] : [others.length === 0 ? placeOf(first) : `keys ${keys.join(", ")}`];
  const pressed = named.map((words) => (purpose === undefined ? words : `${words} (${purpose})`));
  return [...pressed, ...otherwise].join(", ");
}

function afterRetries(count: Count): string {
  return String(count) === "0" ? "without a retry" : `after ${retryWords(count)}`;
}

function retryWords(count: Count): string {
  switch (String(count)) {
    case "0":
      return "no retry";
    case "1":
      return "1 retry";
    default:
      return `${count} retries`;
  }
}

interface AgentName {
  readonly name: string;
  readonly eid: string | null;
  readonly team: string | null;
  readonly blocked: boolean;
}

/** An agent's name, and what distinguishes the agent from others. */
export function agentWords({ name, eid, team, blocked }: AgentName): string[] {
  return [name, team ?? `extension ${eid ?? "unknown"}`, ...(blocked ? ["blocked"] : [])];
}

/** The alias and id of a recording, or its id alone. */
export function recordingName({ id, alias }: Heard): string {
  return alias === undefined ? id : `${alias} (${id})`;
}

interface Heard {
  readonly id: string;
  readonly alias?: string | undefined;
}

type Count = string | number;
