import {
  type CallDestination,
  type CallRecording,
  type Step,
  nameOf,
  silence,
} from "../call/model.ts";

/** Who, or what, a call lands at; with what keeps anyone from being reached there. */
export function destinationWords(destination: CallDestination): string {
  switch (destination.kind) {
    case "agent": {
      const who = `${destination.name} (extension ${destination.eid})`;
      return destination.blocked ? `${who}, who is blocked and gets no calls` : who;
    }
    case "other":
      return `${destination.name} ${destination.id}`;
    case "nobody":
      return `${destination.name}, ${missing[destination.why]}`;
  }
}

const missing = {
  "not-listed": "whom the agent list does not have",
  several: "of whom the agent list has several",
  "no-extension": "to whom the agent list gives no extension",
} as const;

/** What the caller does. */
export function actWords({ press }: Pick<Step, "press">): string {
  return press === silence ? "is silent" : `presses ${press}`;
}

/** What it counts as: `wrong key 1 of 3`. */
export function countWords({ as, count, of, for: purpose }: Step): string {
  switch (as) {
    case "option":
      return purpose === undefined ? "a key of the menu" : `a key of the menu, for ${purpose}`;
    case "invalid":
      return `wrong key ${count} of ${of}`;
    case "timeout":
      return `silence ${count} of ${of}`;
  }
}

/** What is heard, with what it says where that is known. */
export function recordingWords(recording: CallRecording): string {
  const says = recording.says?.trim().replace(/\s+/g, " ");
  return says === undefined ? nameOf(recording) : `${nameOf(recording)} “${says}”`;
}

export function stepsWords(count: number): string {
  return count === 1 ? "1 step" : `${count} steps`;
}

/** A destination as JSON has it. */
export function reachedJson(destination: CallDestination): object {
  switch (destination.kind) {
    case "agent": {
      const { name, eid, blocked } = destination;
      return { name, eid, ...(blocked ? { problem: "blocked" } : {}) };
    }
    case "other":
      return { name: destinationWords(destination), eid: null };
    case "nobody":
      return { name: destination.name, eid: null, problem: destination.why };
  }
}

export function stepJson({ press, as, count, of, heard, state }: Step): object {
  const next = state.at === "waiting" ? "wait" : "land";
  return { press, as, count, of, heard: heard.map(nameOf), next };
}
