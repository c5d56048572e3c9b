import type { Marks } from "../compile/agents.ts";
import {
  type Destination,
  type Nobody,
  type Reached,
  type ResolvedMenu,
  type ResolvedOption,
  allOf,
  known,
  whole,
} from "../compile/menu.ts";
import type { CallDestination, CallMenu, CallOption } from "./model.ts";

/** The menu for the call model; undefined if no call can be walked through it. */
export function callMenuOf(menu: ResolvedMenu): CallMenu | undefined {
  const { key, name, recording, options, invalid, timeout, walkable } = menu;
  if (!walkable) return undefined;
  return whole({
    key,
    name: name?.value,
    recording: recording?.value,
    options: options && allOf(options.map(callOption)),
    invalid: whole({
      retries: invalid.retries && retriesIn(invalid.retries.value),
      recording: invalid.recording?.value,
      destination: reachedBy(invalid.destination),
    }),
    timeout: whole({
      wait: timeout.wait?.value,
      retries: timeout.retries && retriesIn(timeout.retries.value),
      retryRecording: timeout.retryRecording?.value,
      recording: timeout.recording?.value,
      destination: reachedBy(timeout.destination),
    }),
  });
}

function callOption({ key, for: purpose, destination }: ResolvedOption): CallOption | undefined {
  const reached = reachedBy(destination);
  return (
    reached && {
      key,
      ...(purpose === undefined ? {} : { for: purpose.value }),
      destination: reached,
    }
  );
}

function reachedBy(reached: Reached | undefined): CallDestination | undefined {
  const destination = known(reached);
  return destination && callDestination(destination);
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

/** More retries than any caller makes; walking an unlimited number could fill the memory. */
const mostRetries = 1000;

function retriesIn(digits: string): number {
  return Math.min(Number(digits), mostRetries);
}

function described({ agent, ...marks }: Marks): string {
  if (agent !== undefined) return agent;
  return Object.entries(marks)
    .map(([mark, value]) => `${mark} ${value}`)
    .join(", ");
}
