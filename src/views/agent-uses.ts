import { agentDetails } from "../compile/agent-problems.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { describeTurn } from "../call/describe-call.ts";
import type { Use, Uses } from "../references/uses.ts";
import type { Person } from "../references/people.ts";
import type { OwnContent } from "../schema/output/shared-fields.ts";
import type { AgentUsesOutput } from "../schema/output/agents-output.ts";
import { groupBy } from "../util/group-by.ts";
import { joined, listed, many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { visible } from "../util/visible.ts";
import type { Page } from "./terminal.ts";
import { wrap } from "./text.ts";

export function usesJson(
  { name, agent, matches }: Person,
  { uses, elsewhere }: Uses,
): OwnContent<typeof AgentUsesOutput> {
  const { eid = null, team = null, blocked = false } = agent ?? {};
  return {
    agent: { name, eid, team, blocked, listed: matches.length > 0 },
    uses: uses.map(({ menu, via, key, for: purpose = null, at, callers }) => ({
      key: menu,
      via,
      press: key ?? null,
      for: purpose,
      ...placeOf(at),
      callers: callers.map(({ number = null, menu: first, keys }) => ({
        number,
        key: first,
        press: [...keys, describeTurn({ via, key })],
      })),
    })),
    elsewhere: elsewhere.map(placeOf),
  };
}

function placeOf({ source, start }: Span) {
  return { file: source.file, ...source.position(start) };
}

const most = 3;

/** Where an agent is reached, as text. A default of several menus is shown once. */
export function usesText(
  { name, agent, matches }: Person,
  { uses, elsewhere }: Uses,
  page: Page,
): string {
  const { path, verbose, wordWrap } = page;
  const details = agent
    ? agentDetails(agent)
    : matches.length > 0
      ? `${matches.length} agents have this name`
      : "not on the agent list";
  const menus = new Set(uses.map(({ menu }) => menu)).size;
  const who = `${name}${details === "" ? "" : ` (${details})`}${agent?.blocked ? ", blocked" : ""}`;
  const keys = uses.filter(({ via }) => via === "option").length;
  const fallbacks = uses.length - keys;
  const counts = [
    keys > 0 ? many(keys, "key") : [],
    fallbacks > 0 ? many(fallbacks, "fallback") : [],
  ].flat();
  const head =
    uses.length === 0
      ? `No key reaches ${who}.`
      : `${who}: ${joined(counts, "and")} in ${many(menus, "menu")}`;
  const place = ({ source, start }: Span) => `${path(source.file)}:${source.position(start).line}`;
  const groups = groupBy(uses, (use) =>
    verbose ? use : `${fileAndLine(use.at)} ${use.via} ${use.key}`,
  );
  const lines = [...groups.values()].flatMap((group) => useLines(group, place));
  const others =
    elsewhere.length === 0
      ? []
      : ["", `Also in tests, invariants or unused defaults: ${listed(elsewhere.map(place))}`];
  return [head, ...lines, ...others]
    .map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      return `${wrap(visible(line.trimStart()), indent, wordWrap)}\n`;
    })
    .join("");
}

function useLines(group: readonly Use[], place: (at: Span) => string): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { via, key, for: purpose, at } = first;
  const pressed = via === "option" ? `key ${key}` : describeTurn(first);
  const menus = group.map(({ menu }) => menu);
  const where = group.length === 1 ? first.menu : `${group.length} menus (${listed(menus, most)})`;
  const what = purpose === undefined ? pressed : `${pressed} (${purpose})`;
  return ["", `${place(at)}  ${where}: ${what}`].concat(callerLines(group));
}

/** What callers do to reach the agent. For a default of several menus, only which numbers they call. */
function callerLines(group: readonly Use[]): string[] {
  const [first, other] = group;
  const start = (number: string | undefined, menu: string) =>
    number === undefined ? `menu ${menu}` : phoneText(number);
  const all = group.flatMap(({ callers }) => callers);
  if (all.length === 0) return ["  No call gets there."];
  if (first !== undefined && other === undefined) {
    return all.map(
      ({ number, menu, keys }) =>
        `  ${start(number, menu)}: ${[...keys, describeTurn(first)].join(", ")}`,
    );
  }
  const starts = [...new Set(all.map(({ number, menu }) => start(number, menu)))];
  return [`  from ${listed(starts, most)}`];
}
