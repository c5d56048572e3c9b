import type { Agent } from "../compile/agents.ts";
import { type Page, visible } from "./terminal.ts";
import { many } from "../util/many.ts";
import { table, wrap } from "./text.ts";

/** A table of the agents. Empty if there are none. */
export function agentsText(agents: readonly Agent[], { wordWrap }: Page): string {
  return agents.length === 0 ? "" : table(head, agents.map(cells), wordWrap);
}

export interface SavedList {
  readonly environment: string;
  readonly count: number;
  readonly file: string;
  /** Whether the file was written. The embedded sandbox lists the agents in the file, so nothing is. */
  readonly isWritten: boolean;
}

export function pulledText(
  { environment, count, file, isWritten }: SavedList,
  { wordWrap }: Page,
): string {
  const words = count === 0 ? "an empty agent list" : many(count, "agent");
  const sentence = isWritten
    ? `Wrote ${words} for ${environment} to ${file}.`
    : `Nothing to pull: the embedded sandbox uses the agents in ${file}.`;
  return `${wrap(sentence, "", wordWrap)}\n`;
}

const head = ["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""];

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}
