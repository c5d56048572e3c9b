import { isDeepStrictEqual } from "node:util";
import { menuDestination } from "../../schema/wire.ts";
import { phoneText } from "../../util/phone.ts";
import { describeFinding, describePlace } from "./agent-findings.ts";
import { reachedWords } from "./live-numbers.ts";
import type { Change } from "./plan.ts";

/**
 * Describes what no file caused: somebody changed a live menu or its phone numbers on the console, or
 * an agent has another extension, so that callers reach the wrong one.
 */
export function describeOutside(change: Change): string[] {
  return [...onConsole(change), ...strayNumbers(change), ...changedAgents(change)];
}

function onConsole(change: Change): string[] {
  const { key } = change;
  if (change.action === "missing") return [`The service does not list \`${key}\` any more.`];
  return change.drift ? [`\`${key}\` was changed on the console.`] : [];
}

/** The phone numbers that led to the menu on record, and lead elsewhere now. */
function strayNumbers({ key, before: record, bind }: Change): string[] {
  if (!record?.identified) return [];
  const own = menuDestination(record.identified.id);
  const had = new Set(record.naming.numbers);
  const elsewhere = bind.filter(({ number, before }) => had.has(number) && before !== own);
  return elsewhere.map(
    ({ number, before, reached }) =>
      `${phoneText(number)} leads to ${reachedWords(before, reached)} instead of \`${key}\`.`,
  );
}

/** The places where the file refers to an agent as before, but the agent has another extension. */
function changedAgents({ key, before, after }: Change): string[] {
  if (!before || !after) return [];
  return before.naming.agents.flatMap((old) => {
    const now = after.naming.agents.find(
      ({ place, reference }) => place === old.place && isDeepStrictEqual(reference, old.reference),
    );
    if (now === undefined || now.eid === old.eid) return [];
    const problem = { kind: "other-eid", to: now.name, eid: now.eid } as const;
    const words = describeFinding({ ...old, problem, harmless: false });
    return `\`${key}\`, ${describePlace(old.place)}: ${words}.`;
  });
}
