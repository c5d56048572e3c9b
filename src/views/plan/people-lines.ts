import { actions } from "../../deploy/plan/changes/actions.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import { destinationWords, plainName } from "../../model/field-words.ts";
import type { AgentDestination, Menu } from "../../model/menu.ts";
import { many } from "../../util/many.ts";

/** The people whom more or fewer keys reach after a plan, by name: `Asha Rao: 3 more keys, 1 fewer`. */
export function peopleLines(changes: readonly Change[]): string[] {
  const people = new Map<string, { agent: AgentDestination; more: number; fewer: number }>();
  const count = (agent: AgentDestination | undefined, what: "more" | "fewer") => {
    if (agent === undefined) return;
    const person = people.get(agent.eid) ?? { agent, more: 0, fewer: 0 };
    person[what] += 1;
    people.set(agent.eid, person);
  };
  for (const { action, before, drift, after } of changes) {
    const { isLeft, keepsContent } = actions[action];
    if (action !== "waiting" && (isLeft || keepsContent)) continue;
    const [was, is] = [agentsIn((drift ?? before)?.menu), agentsIn(after)];
    for (const key of new Set([...was.keys(), ...is.keys()])) {
      if (was.get(key)?.eid === is.get(key)?.eid) continue;
      count(was.get(key), "fewer");
      count(is.get(key), "more");
    }
  }
  const agents = [...people.values()].map(({ agent }) => agent);
  const named = [...people.values()].map(
    ({ agent, more, fewer }) => [distinctName(agent, agents), more, fewer] as const,
  );
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([name, more, fewer]) => {
    const added = more === 0 ? [] : many(more, "more key");
    const removed = fewer === 0 ? [] : more === 0 ? many(fewer, "fewer key") : `${fewer} fewer`;
    return `${name}: ${[added, removed].flat().join(", ")}`;
  });
}

/** The name, with what the file says besides and then with the extension, if others have the same words. */
function distinctName(agent: AgentDestination, agents: readonly AgentDestination[]): string {
  const isShared = (words: (one: AgentDestination) => string) =>
    agents.filter((one) => words(one) === words(agent)).length > 1;
  if (!isShared(plainName)) return plainName(agent);
  const words = destinationWords(agent);
  return isShared(destinationWords) ? `${words} (extension ${agent.eid})` : words;
}

/** The agents whom the keys of a menu reach. */
function agentsIn({ options }: Pick<Menu, "options"> = { options: [] }) {
  return new Map(
    options.flatMap(({ key, destination }) =>
      destination.kind === "agent" ? [[key, destination] as const] : [],
    ),
  );
}
