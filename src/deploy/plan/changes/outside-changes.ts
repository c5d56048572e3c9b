import { isDeepStrictEqual } from "node:util";
import { agentsIn } from "../../../model/menu.ts";
import { phoneText } from "../../../util/phone.ts";
import type { Change } from "./changes.ts";
import { describePlace, otherAgent } from "../../listed/names.ts";

/**
 * Describes what no file caused: somebody changed a live menu or its phone numbers on the console, or
 * an agent has a different extension, so that callers reach the wrong one.
 */
export function describeOutside(change: Change): string[] {
  return [...onConsole(change), ...strayNumbers(change), ...changedAgents(change)];
}

function onConsole(change: Change): string[] {
  const { key, action, drift } = change;
  return drift && action !== "drift" ? [`\`${key}\` was changed on the console`] : [];
}

/** The phone numbers that pointed to the recorded menu, and point elsewhere now. */
function strayNumbers({ key, before: record, bind }: Change): string[] {
  if (!record?.identified) return [];
  const expected = record.identified.id;
  const had = new Set(record.menu.numbers);
  const elsewhere = bind.filter(
    ({ number, before }) => had.has(number) && !(before?.kind === "menu" && before.id === expected),
  );
  return elsewhere.map(
    ({ number, from }) => `${phoneText(number)} points to ${from} instead of \`${key}\``,
  );
}

/** The places where the file refers to an agent as before, but the agent has a different extension. */
function changedAgents({ key, before, after }: Change): string[] {
  if (!before || !after) return [];
  const present = new Map(agentsIn(after).map(({ place, agent }) => [place, agent]));
  return agentsIn(before.menu).flatMap(({ place, agent: old }) => {
    const now = present.get(place);
    const isMeant = isDeepStrictEqual(now?.reference, old.reference);
    if (now === undefined || !isMeant || now.eid === old.eid) return [];
    return `\`${key}\`, ${describePlace(place)}: ${otherAgent(old, now)}`;
  });
}
