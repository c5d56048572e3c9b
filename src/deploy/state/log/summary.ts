import type { StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { outcomeText } from "../records.ts";
import type { Block } from "./block.ts";

/** Describes a block for people who look at the log: "3 created, 1 unknown (run 123)". */
export function describeBlock(block: Block): string {
  switch (block.kind) {
    case "locked":
      return `locked by ${block.lock.by} (${block.lock.command})`;
    case "released":
      return block.by === null ? "lock released" : `lock released by ${block.by}`;
    case "moved":
      return block.to === null ? "not moved" : `moved to ${block.to}`;
    case "entries":
      return block.arrives ? `${block.linked.length} events copied` : eventsIn(block.linked);
  }
}

function eventsIn(linked: readonly Linked[]): string {
  const counts = new Map<string, number>();
  for (const { entry } of linked) {
    const word = describe(entry.event);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  const runs = new Set(linked.map(({ entry }) => entry.run));
  return `${parts.join(", ")} (run ${[...runs].join(", ")})`;
}

function describe(event: StateEvent): string {
  if (event.kind === "intent") return `about to ${event.action}`;
  return event.kind === "outcome" ? outcomeText(event) : event.kind.replaceAll("-", " ");
}
