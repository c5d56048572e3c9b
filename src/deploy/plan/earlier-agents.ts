import { isDeepStrictEqual } from "node:util";
import { agentsIn } from "../../model/menu.ts";
import type { AgentReference, Agents } from "../../project/agent-list.ts";
import { withSnapshot } from "../../project/agents-lock.ts";
import type { Project } from "../../workspace/open-project.ts";
import { type StateView, liveRecords } from "../state/view.ts";

/** The agents, with those whom agents.lock.json or a recorded menu meant, and who may have left. */
export function withEarlier(agents: Agents, project: Project, state: StateView): Agents {
  const recorded = liveRecords(state).flatMap(({ current }) => agentsIn(current.menu));
  const meant = (wanted: AgentReference) => {
    // A later record is newer.
    const newest = recorded.findLast(({ agent }) => isDeepStrictEqual(agent.reference, wanted));
    const { name, eid } = newest?.agent ?? {};
    return name === undefined || eid === undefined ? undefined : { name, eid };
  };
  const { absent, count } = absentAgents(state, agents);
  const isCutOff = absent.size >= fewestCutOff && absent.size * 4 > count && absent.size < count;
  return withSnapshot(agents, project, meant, isCutOff);
}

/** A list that lacks so many recorded agents at once, and a quarter of them, may be cut off. */
const fewestCutOff = 3;

/** The recorded agents whose extensions are not on the list, by extension, and the number of recorded ones. */
export function absentAgents(
  state: StateView,
  agents: Agents,
): { readonly absent: ReadonlyMap<string, string>; readonly count: number } {
  const recorded = new Map(
    liveRecords(state).flatMap(({ current }) =>
      agentsIn(current.menu).map(
        ({ agent: { eid, name = `extension ${eid}` } }) => [eid, name] as const,
      ),
    ),
  );
  const absent = [...recorded].filter(([eid]) => agents.with("eid", eid).length === 0);
  return { absent: new Map(absent), count: recorded.size };
}
