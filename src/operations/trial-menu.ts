import type { AgentDestination, Menu } from "../model/menu.ts";
import type { Environment } from "../project/environment.ts";

/** What the menu of a trial is made of. */
export interface TrialParts {
  readonly agents: readonly [AgentDestination, ...AgentDestination[]];
  /** The ids of recordings: the same one several times, if there is only one. */
  readonly recordings: readonly [string, ...string[]];
}

/** The menu of a trial. Nobody reaches it. */
export function trialMenu(
  name: string,
  key: string,
  { agents, recordings }: TrialParts,
  wire: Environment["wire"],
): Menu {
  const [agent, other = agent] = agents;
  const at = (index: number, field: string) => ({
    id: recordings[index % recordings.length] ?? recordings[0],
    ...(wire.plain_recordings.some((one) => one === field) && { plain: true as const }),
  });
  return {
    name,
    // With the key, no other menu has the same content, not even one of a different trial.
    description: `Made by ${key}. Nobody reaches it.`,
    recording: at(0, "recording"),
    "timeout.wait": "7",
    options: [
      { key: "1", destination: agent },
      { key: "2", destination: other },
    ],
    "invalid.retries": "1",
    "invalid.recording": at(1, "invalid_recording"),
    "invalid.destination": agent,
    "timeout.retry_recording": at(2, "timeout_retry_recording"),
    "timeout.recording": at(3, "timeout_recording"),
    "timeout.destination": agent,
    "timeout.retries": "2",
    "extra.timeout_retries": "1",
  };
}
