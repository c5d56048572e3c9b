import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Destination, mapDestinations } from "../../src/model/menu.ts";
import { Agents } from "../../src/project/agent-list.ts";
import { liveRecords } from "../../src/deploy/state/view.ts";
import {
  callersAt,
  elsewhereNow,
  noticedBy,
  oldInUse,
  oldReach,
  toPoint,
} from "../../src/reach/findings.ts";
import { type Place, type Reached, deadEnds, isEnd } from "../../src/reach/walk.ts";
import { worldsOf } from "../../src/deploy/plan/worlds.ts";
import { type Situation, people, plannedIn } from "../plan/world.ts";

// Who callers reach: now and not what was applied, nobody, what they notice when, what a person points
// elsewhere, and which old menus they reach. The words of a situation are those of plan/world.ts. `people`
// has who has which extension now; recorded menus know the usual ones.
const groups = readFileSync(join(import.meta.dirname, "cases.txt"), "utf8")
  .split(/^# /m)
  .slice(1);

describe.each(groups.map((group) => group.trimEnd().split(/\n\n+/)))("%s", (_, ...blocks) => {
  const cases = blocks.map((block) => {
    const [name = "", ...lines] = block.split("\n");
    const at = lines.findIndex((line) => line.startsWith("  →"));
    const given = lines.slice(0, at).map((line) => [line.trim().split(" ", 1)[0], line.slice(10)]);
    const said = lines.slice(at).map((line) => line.slice(4).trimEnd());
    return [name, Object.fromEntries(given) as Situation & { people?: string }, said] as const;
  });

  test.each(cases)("%s", (__, situation, said) => {
    expect(saidOf(situation)).toEqual(said);
  });
});

const usual = Object.entries(people).map(([name, to]) => [name, to.slice(4)] as const);

function saidOf({
  people: list,
  ...situation
}: Situation & { readonly people?: string }): string[] {
  const now = list === undefined ? usual : list.split(" ").map((one) => one.split("="));
  const agents = new Agents(now.map(([name = "", eid = ""]) => ({ id: eid, name, eid })));
  const names = new Map(usual.map(([name, eid]) => [eid, name]));
  const named = (to: Destination): Destination =>
    to.kind === "agent" ? { ...to, name: names.get(to.eid) ?? to.eid } : to;
  const { state, ...planned } = plannedIn(situation);
  for (const { current } of liveRecords(state)) {
    Object.assign(current, { menu: mapDestinations(current.menu, named) });
  }
  const worlds = worldsOf({ ...planned, state, agents });
  const noticed = noticedBy(worlds);
  const keys = planned.desired.map(({ key }) => key);
  const those = (when: string) => keys.filter((key) => noticed(key) === when).join(", ");
  const say = (what: string, some: readonly string[] | string) =>
    some.length === 0
      ? []
      : [`${what.padEnd(7)} ${typeof some === "string" ? some : some.join("; ")}`];
  const clean = [...oldReach(worlds)].flatMap(([id, reach]) =>
    reach === "unreached" ? id.replace("menu:", "") : [],
  );
  const all = [
    ...elsewhereNow(worlds).flatMap(({ places, was, is }) =>
      say("now", `${placesText(places)}: ${word(was)} → ${word(is)}`),
    ),
    ...say("nobody", placesText(deadEnds(worlds.now))),
    ...say("apply", those("apply")),
    ...say("later", those("later")),
    ...toPoint(worlds).flatMap(({ entry, to, until, isNoticed }) =>
      say(
        "point",
        `${entry} to ${word(to)}, until then ${word(until)}${isNoticed ? "" : " (the same)"}`,
      ),
    ),
    ...oldInUse(worlds).flatMap(({ menu, numbers, links }) =>
      say("in use", `${word(menu)} by ${[...numbers, ...links.map(({ key }) => key)].join(", ")}`),
    ),
    ...say("clean", clean),
  ];
  return all.length === 0 ? ["nothing"] : all;
}

function placesText(places: readonly Place[]): string {
  return places.length === 0 ? "" : (callersAt(places) ?? "");
}

function word(reached: Reached): string {
  if (isEnd(reached)) return reached.words.replace(/ \(.*/, "");
  return reached.id === undefined ? `new ${reached.key}` : `${reached.key} #${reached.id}`;
}
