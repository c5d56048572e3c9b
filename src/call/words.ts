/** What a caller does, or fails to do, to get somewhere; in the words that every picture and page uses. */
export interface Trigger {
  readonly keys: readonly string[];
  /** What callers are told the key is for. */
  readonly purpose: string | undefined;
  /** What happens where no such key is pressed: `wrong key, after 2 retries`. */
  readonly otherwise: readonly string[];
}

export function onKey(key: string, purpose: string | undefined): Trigger {
  return { keys: [key], purpose, otherwise: [] };
}

export function onWrongKey(retries: Count): Trigger {
  return { keys: [], purpose: undefined, otherwise: [`wrong key, after ${retryWords(retries)}`] };
}

/** The unit of `wait` is the service's own, which nobody has shown. */
export function onSilence(wait: Count, retries: Count): Trigger {
  const words = `silence for ${wait}, after ${retryWords(retries)}`;
  return { keys: [], purpose: undefined, otherwise: [words] };
}

/** `key 2 (Billing)`; of several, `keys 1, 2, wrong key`. */
export function triggerWords({ keys, purpose, otherwise }: Trigger): string {
  const named = keys.length === 0 ? [] : [`key${keys.length === 1 ? "" : "s"} ${keys.join(", ")}`];
  const pressed = named.map((words) => (purpose === undefined ? words : `${words} (${purpose})`));
  return [...pressed, ...otherwise].join(", ");
}

export function retryWords(count: Count): string {
  switch (String(count)) {
    case "0":
      return "no retry";
    case "1":
      return "1 retry";
    default:
      return `${count} retries`;
  }
}

interface Somebody {
  readonly name: string;
  readonly eid: string | null;
  readonly intercom: string | null;
  readonly team: string | null;
  readonly blocked: boolean;
}

/** Somebody's name, and what else tells them from others. */
export function agentWords({ name, eid, intercom, team, blocked }: Somebody): string[] {
  const mark = team ?? (intercom === null ? `extension ${eid}` : `intercom ${intercom}`);
  return [name, mark, ...(blocked ? ["blocked"] : [])];
}

/** A recording by its alias, where it has one, and its id. */
export function recordingWords({ id, alias }: Heard): string {
  return alias === undefined ? id : `${alias} (${id})`;
}

interface Heard {
  readonly id: string;
  readonly alias?: string | undefined;
}

type Count = string | number;
