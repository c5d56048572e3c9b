import type { LoadedProject } from "../workspace/load-project.ts";
import { describeTurn } from "../call/describe-call.ts";
import { canonicalKey } from "../project/options.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { textField } from "../yaml/node.ts";
import { type Occurrence, eachPlace } from "./occurrences.ts";
import type { Person } from "./people.ts";
import type { Via } from "../model/call-menu.ts";
import { instancesOf } from "../call/dead-ends.ts";
import { menuTarget } from "../reach/instance.ts";
import { waysIn } from "../reach/walk.ts";

/** How callers get to a menu: what they call, and what they press there. */
interface Caller {
  /** Undefined for a menu without a phone number. */
  readonly number: string | undefined;
  readonly menu: string;
  readonly keys: readonly string[];
}

/** A key or a fallback of a menu that reaches an agent. */
export interface Use {
  readonly menu: string;
  readonly via: Via;
  readonly key?: string | undefined;
  readonly for?: string | undefined;
  readonly at: Span;
  readonly callers: readonly Caller[];
}

/** Where an agent is reached, and the other places that name the agent: tests, rules, unused defaults. */
export interface Uses {
  readonly uses: readonly Use[];
  readonly elsewhere: readonly Span[];
}

export function usesOf({ places }: Person, project: LoadedProject): Uses {
  const callers = callersOf(project);
  const uses = places.flatMap((place): Use[] => {
    const { in: tree, path, node, spans } = place;
    const { key: menu = "", isAbsent } = tree;
    const via = viaOf(place);
    if (via === undefined || isAbsent) return [];
    const key = via === "option" ? canonicalKey(String(path[1])) : undefined;
    const purpose = textField(node, "for");
    return [{ menu, via, key, for: purpose, at: spans[0], callers: callers.get(menu) ?? [] }];
  });
  const used = new Set(uses.map(({ at }) => fileAndLine(at)));
  const others = eachPlace(places).map(({ spans }) => spans[0]);
  const order = (a: Span, b: Span) =>
    a.source.file === b.source.file ? a.start - b.start : a.source.file < b.source.file ? -1 : 1;
  return {
    uses: uses.sort((a, b) => order(a.at, b.at)),
    elsewhere: others.filter((at) => !used.has(fileAndLine(at))).sort(order),
  };
}

/** How callers take the path that a place is about. Undefined for a place that is not a path of a menu. */
function viaOf({ in: { subject }, path }: Occurrence): Via | undefined {
  const [section, step] = path;
  if (subject !== "menu" || path.length !== 2) return undefined;
  if (section === "options") return "option";
  if (step !== "destination") return undefined;
  return section === "invalid" || section === "timeout" ? section : undefined;
}

/** How callers get to each menu: from each number and each first menu, with the fewest keys. */
function callersOf({ flow, menus }: LoadedProject): ReadonlyMap<string, readonly Caller[]> {
  const callers = new Map<string, Caller[]>();
  const { instances, routesTo } = instancesOf(flow);
  for (const { key: menu, numbers } of menus) {
    if (menu === undefined || !flow.entries.has(menu)) continue;
    const phones = numbers.length === 0 ? [undefined] : numbers.map(({ value }) => value);
    const entries = new Map([["", menuTarget(menu)]]);
    for (const [{ key }, place] of waysIn({ entries, menus: instances })) {
      const keys = routesTo(place).map(describeTurn);
      const uses = phones.map((number) => ({ number, menu, keys }));
      callers.set(key, [...(callers.get(key) ?? []), ...uses]);
    }
  }
  return callers;
}
