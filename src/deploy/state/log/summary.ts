import type { Linked } from "../entries.ts";
import type { Block } from "./block.ts";

/** Describes a block for people who look at the log: "3 menus created, 1 unknown (run 123)". */
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
    counts.set(entry.event.kind, (counts.get(entry.event.kind) ?? 0) + 1);
  }
  const parts = [...counts].map(([kind, count]) => {
    if (kind === "begun") return "new state";
    if (kind === "rebound") return "new address";
    if (kind === "done") return count === 1 ? "1 follow-up done" : `${count} follow-ups done`;
    const menus = count === 1 ? "1 menu" : `${count} menus`;
    if (kind === "intent") return `creating ${menus}`;
    if (kind === "created") return `${menus} created`;
    if (kind === "failed") return `${count} not created`;
    return `${count} ${kind.replaceAll("-", " ")}`;
  });
  const runs = new Set(linked.map(({ entry }) => entry.run));
  return `${parts.join(", ")} (run ${[...runs].join(", ")})`;
}
