import { lossFacts } from "../../compile/lost-agents.ts";
import { agentName } from "../../compile/agent-problems.ts";
import { fileAndLine } from "../../diagnostics/source.ts";
import { type AgentDestination, agentsIn } from "../../model/menu.ts";
import { menuRef } from "../../schema/ref.ts";
import { groupBy } from "../../util/group-by.ts";
import { describePlace } from "../listed/names.ts";
import { type Matter, matter } from "../reasons/kinds.ts";
import { callersOf } from "../../reach/findings.ts";
import type { Worlds } from "../../reach/world.ts";
import type { Decided } from "./decided.ts";
import { absentAgents } from "./earlier-agents.ts";

const lost = {
  left: "agent-left",
  renamed: "agent-renamed",
  namesake: "agent-namesake",
  "no-extension": "agent-without-extension",
} as const;

/** Tells the agents of a menu apart: two references can mean one agent, and one extension two people. */
export function agentKey({ eid, name }: Pick<AgentDestination, "eid" | "name">): string {
  return `${eid} ${name}`;
}

/** The agents of held menus who get no calls, or whom a file does not mean any more, each with all places. */
export function agentMatters(
  { menus, agents, can, state, environment }: Decided,
  worlds: Worlds,
): Matter[] {
  if (agents === undefined) return [];
  const places = menus.flatMap(({ key, content, isBlocked, at, agentsAt }) =>
    !content || !isBlocked || !can.targets.has(key)
      ? []
      : agentsIn(content).flatMap(({ place, agent }) => {
          const { eid, reference } = agent;
          const loss = reference && agents.lost(reference);
          const [listed] = agents.with("eid", eid);
          if (loss === undefined && !listed?.blocked) return [];
          return { key, place, agent, loss, listed, at: agentsAt?.get(agentKey(agent)) ?? [at()] };
        }),
  );
  const isMissing = ({ loss }: (typeof places)[number]) => agents.isCutOff && loss?.why === "left";
  const cutOff = places.filter(isMissing);
  const single = places.filter((one) => !isMissing(one));
  const alike = groupBy(single, ({ agent, loss }) => `${loss?.why} ${agentKey(agent)}`);
  const singleMatters = [...alike.values()].map((same) => {
    const [{ agent, loss, listed, at }] = same;
    const { eid } = agent;
    const byKey = groupBy(same, ({ key }) => key);
    const refs = [...byKey.keys()].map(menuRef);
    const facts = {
      places: [...byKey].map(
        ([key, those]) => `${key} (${those.map(({ place }) => describePlace(place)).join(", ")})`,
      ),
      lines: [...new Set(same.flatMap((one) => one.at.map(fileAndLine)))],
      callers: callersOf(worlds, eid),
    };
    const more = { at: at[0] };
    if (loss) {
      const about = { ...facts, ...lossFacts(loss, agents) };
      return matter(lost[loss.why], refs, about, environment, more);
    }
    const name = listed ? agentName(listed, agents) : `extension ${eid}`;
    return matter("agent-blocked", refs, { ...facts, name }, environment, more);
  });
  if (cutOff.length === 0) return singleMatters;
  const { absent, count } = absentAgents(state, agents);
  const facts = { names: [...absent.values()], count };
  const refs = [...new Set(cutOff.map(({ key }) => menuRef(key)))];
  return [...singleMatters, matter("agents-cut-off", refs, facts, environment)];
}
