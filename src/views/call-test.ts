import type { KnownPeople } from "../call/reached.ts";
import { type Call, silence } from "../call/simulated-call.ts";
import type { CallDestination } from "../model/call-menu.ts";
import { ownKind } from "../schema/destination-kinds.ts";

/**
 * A call that has ended, as a test in YAML: `- { press: ["9"], reaches: "Front Desk" }`. Undefined if it cannot
 * be a test, because nobody answers there. JSON is YAML, so no name can be more than text.
 */
export function callTest(
  { steps, state }: Call,
  people: Readonly<Record<string, Pick<KnownPeople, "reference">>>,
): string | undefined {
  const reaches = state.at === "ended" ? reachesOf(state.destination, people) : undefined;
  if (reaches === undefined) return undefined;
  const press = JSON.stringify(steps.map((step) => step.press)).replaceAll(",", ", ");
  const isSilent = steps.every((step) => step.press === silence);
  return `  - { press: ${isSilent ? "[]" : press}, reaches: ${reaches} }`;
}

function reachesOf(
  destination: CallDestination,
  people: Readonly<Record<string, Pick<KnownPeople, "reference">>>,
): string | undefined {
  if (destination.kind === "other") {
    const { name, id } = destination;
    const own = ownKind(name, id);
    if (own === undefined) return `{ kind: ${JSON.stringify(name)}, id: ${JSON.stringify(id)} }`;
    return `{ ${name}: ${own.onlyId === undefined ? JSON.stringify(id) : "true"} }`;
  }
  if (destination.kind !== "agent" || destination.blocked) return undefined;
  const fields = Object.entries(people[destination.eid]?.reference ?? { eid: destination.eid });
  const [[name, value] = [], other] = fields;
  if (name === "agent" && other === undefined) return JSON.stringify(value);
  return `{ ${fields.map(([field, text]) => `${field}: ${JSON.stringify(text)}`).join(", ")} }`;
}
