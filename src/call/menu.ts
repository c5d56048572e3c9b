import type { Marks } from "../compile/agents.ts";
import type { CompiledMenu } from "../compile/compile.ts";
import type { Destination, DrawnMenu, Nobody } from "../compile/menu.ts";
import type { CallDestination, CallMenu, CallOption } from "./model.ts";

/** A compiled menu as a call goes through it; undefined where it cannot be walked. */
export function callMenuOf({ key, drawn }: Pick<CompiledMenu, "key" | "drawn">) {
  return key === undefined || drawn === undefined ? undefined : callMenu(key, drawn);
}

export function callMenu(key: string, drawn: DrawnMenu): CallMenu {
  const { name, recording, options, invalid, timeout } = drawn;
  return {
    key,
    name,
    recording,
    options: options.map(callOption),
    invalid: {
      retries: walkable(invalid.retries),
      recording: invalid.recording,
      destination: callDestination(invalid.destination),
    },
    timeout: {
      wait: timeout.wait,
      retries: walkable(timeout.retries),
      retryRecording: timeout.retryRecording,
      recording: timeout.recording,
      destination: callDestination(timeout.destination),
    },
  };
}

function callOption(option: DrawnMenu["options"][number]): CallOption {
  const { key } = option;
  const destination = callDestination(option.destination);
  return option.for === undefined ? { key, destination } : { key, for: option.for, destination };
}

export function callDestination(destination: Destination | Nobody): CallDestination {
  switch (destination.kind) {
    case "extension": {
      const { name, team, blocked } = destination.agent;
      return { kind: "agent", name, eid: destination.eid, team, blocked };
    }
    case "other":
      return { kind: "other", name: destination.name, id: destination.id };
    case "nobody":
      return { kind: "nobody", name: described(destination.reference), why: destination.why };
  }
}

/** More tries than anyone stays on the line for; a call that took them all would fill the memory. */
const mostRetries = 1000;

function walkable(digits: string): number {
  return Math.min(Number(digits), mostRetries);
}

function described({ agent, ...marks }: Marks): string {
  if (agent !== undefined) return agent;
  return Object.entries(marks)
    .map(([mark, value]) => `${mark} ${value}`)
    .join(", ");
}
