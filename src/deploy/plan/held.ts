import { fileAndLine } from "../../diagnostics/source.ts";
import { agentsIn } from "../../model/menu.ts";
import { groupBy } from "../../util/group-by.ts";
import { waysTo } from "../matters/callers.ts";
import { type Facts, type Matter, type MatterKind, matter } from "../matters/kinds.ts";
import { liveRecord, menuRecord } from "../state/view.ts";
import type { Decided, WantedMenu } from "./decided.ts";
import { pathBetween, referencesIn } from "./menu-ids.ts";
import { describePlace, reachedOn } from "../listed/names.ts";
import { numbersKept } from "./numbers.ts";
import { isAbsent, isNamed } from "./steps/guards.ts";
import { linkTargets } from "./steps/plan-steps.ts";
import type { Link, Resource } from "./steps/resource.ts";
import {
  type Ref,
  isNumber,
  isOld,
  kindOf,
  menuRef,
  nameIn,
  refText,
  asRef,
} from "../../schema/ref.ts";
import { type Step, type Why, isHeld, isHeldBy, ownerOf } from "./steps/step.ts";

/** A step that is held back. `of` is what the hold is about besides. */
interface Held {
  readonly step: Step;
  readonly of: string;
  readonly input: Decided;
}

type Found = readonly Matter[] | Matter | undefined;

/** Collects what is known about a hold of a menu, or of a phone number in its file. */
type InFile = (held: Held & { readonly menu: WantedMenu }) => Found;

/** What holds steps back, if the file of the menu is there. Other matters say the rest. */
const inFile: Partial<Record<Why, InFile>> = {
  lookalike: ({ of, menu: { key, at }, input }) =>
    heldMatter("lookalike", key, { key, of: nameIn(of), isMoved: false }, input, at("name"), of),
  unknown({ menu: { key, movedFrom, at }, input }) {
    if (movedFrom === undefined || menuRecord(input.state, key)) return undefined;
    const facts = { key, of: movedFrom, isMoved: true };
    return heldMatter("lookalike", key, facts, input, at("moved_from"), menuRef(movedFrom));
  },
  namesake({ step: { ref, base }, menu: { key, content, at }, input }) {
    const { namesakes: ids = [], prior } = input.resources.find((one) => one.ref === ref) ?? {};
    const facts = {
      key,
      name: content?.name ?? key,
      ids,
      isReplaced: base !== undefined,
      isOther: prior?.id !== undefined,
      hasLinks: content === undefined || referencesIn(content).length > 0,
    };
    return heldMatter("same-name", key, facts, input, at("name"));
  },
  rename: ({ of, menu: { key, at }, input }) =>
    heldMatter("renamed", key, { key, of: nameIn(of) }, input, at("name"), of),
  twice: ({ menu: { key, movedFrom: from = "", at }, input }) =>
    heldMatter("moved-twice", key, { key, from }, input, at("moved_from"), menuRef(from)),
  refused: ({ menu: { key, at }, input }) => heldMatter("refused", key, { key }, input, at()),
  circle({ step: { ref }, of, menu: { key, at }, input }) {
    const path = pathBetween(of, ref, linkTargets(input.resources)).map(nameIn);
    const facts = { path, canUpdate: input.can.operations.has("update") };
    return heldMatter("circle", key, facts, input, at(menuRef(nameIn(of))));
  },
  loses: ({ step: { webhooks: pressed = [] }, menu: { key, at }, input }) =>
    heldMatter("webhook-loss", key, { key, pressed }, input, at()),
  unreadable: ({ step, menu, input }) => uncompared("not-found", step.ref, menu, input),
  unlisted({ step: { ref }, menu: { key, at }, input }) {
    const number = nameIn(ref);
    const ids = (input.lists.numbers?.find(number) ?? []).map(({ id }) => id);
    const facts = { number, key, ids, line: fileAndLine(at(ref)) };
    return heldMatter("number-unlisted", key, facts, input, at(ref), ref);
  },
  foreign: (about) => elsewhere("number-taken", about),
  moved: (about) => elsewhere("number-moved", about),
  waiting({ step: { ref }, of, menu: { key, at }, input }) {
    // Otherwise, the steps of the menu say what they wait for.
    if (!isNumber(ref) || input.steps.some((step) => step.ref === of)) return undefined;
    return heldMatter("number-waiting", key, { number: nameIn(ref), key }, input, at(ref), ref);
  },
};

/** A number that points to something else. */
function elsewhere(
  kind: "number-taken" | "number-moved",
  { step: { ref, base }, menu: { key, at }, input }: Parameters<InFile>[0],
): Matter {
  const { state, lists, agents } = input;
  const reached = lists.menus && reachedOn(state, lists.menus, agents);
  const reaches = reached?.(base && "to" in base ? base.to : null) ?? "something else";
  const facts = { number: nameIn(ref), key, reaches };
  return matter(kind, [ref, menuRef(key)], facts, input.environment, { at: at(ref) });
}

/** What holds steps back, whether there is a file or not. */
const anywhere: Partial<Record<Why, (held: Held) => Found>> = {
  mistaken({ step: { ref }, input }) {
    const { observed, prior } = input.resources.find((one) => one.ref === ref) ?? {};
    if (observed?.kind !== "seen" || !("menu" in observed.content)) return undefined;
    const menu = prior?.content && "menu" in prior.content ? prior.content.menu : undefined;
    const { id = "?" } = prior ?? {};
    const [key, other] = [nameIn(ref), observed.content.menu.name];
    const facts = { key, name: menu?.name ?? key, id, other };
    return matter("wrong-id", [ref], facts, input.environment);
  },
  creates({ input: { steps, can, limitAt: at, environment } }) {
    const created = steps.filter((step) => isHeldBy(step, "creates"));
    const facts = { count: created.length, limit: can.maxCreates ?? 0 };
    return matter("too-many-creates", refsOf(created), facts, environment, { at });
  },
  /** A list may be cut off, so nothing is deleted, and nothing is created again. */
  cutoff: ({ input: { environment, resources, can } }) =>
    [...groupBy(unnamed({ resources, can }), ({ ref }) => kindOf(ref))].map(([noun, absent]) => {
      const refs = refsOf(absent);
      const facts = { noun, names: refs.map(nameIn), gone: refs.map(refText) };
      return matter("cut-off-list", refs, facts, environment);
    }),
  /** Something sends callers to a menu that is to be deleted. */
  inbound({ step: { ref, id = "?", holds }, input: { environment, steps, links } }) {
    // A menu that stays only because it links to one that stays is no reason of its own.
    const deleting = new Set<string>(steps.flatMap((one) => (one.op === "delete" ? one.ref : [])));
    const found = new Set(
      holds.flatMap(({ why, of = "" }) => (why === "inbound" && !deleting.has(of) ? of : [])),
    );
    const inbound = links.filter(({ from, to }) => found.has(from) && (to ?? id) === id);
    if (inbound.length === 0) return [];
    const late = inbound.flatMap(({ from, kind }) => (kind === "lagging" ? nameIn(from) : []));
    const facts = {
      name: nameIn(ref),
      id,
      isOld: isOld(ref),
      sources: describeInboundLinks(inbound),
      lagging: late.length === inbound.length ? late : [],
    };
    return matter("delete-guard", [ref], facts, environment);
  },
};

/** What is absent from a list and was not named, so that the list may be cut off. */
export function unnamed({ resources, can }: Pick<Decided, "resources" | "can">): Resource[] {
  return resources.filter((one) => isAbsent(one) && !isNamed(one, can));
}

/** Finds what holds steps back, and what a plan cannot compare or leaves as it is. */
export function heldMatters(input: Decided): Matter[] {
  const wanted = new Map<Ref, WantedMenu>(input.menus.map((menu) => [menuRef(menu.key), menu]));
  const menus = new Map<Ref, WantedMenu>([
    ...input.menus.map((menu) => [menuRef(menu.movedFrom ?? menu.key), menu] as const),
    ...wanted,
  ]);
  const holds = input.steps.flatMap((step) => step.holds.map((hold) => ({ step, ...hold })));
  const found = [...groupBy(holds, ({ why }) => why).values()]
    .flat()
    .flatMap(({ step, why, of = "" }) => {
      const held = { step, of, input };
      const menu = menus.get(ownerOf(step));
      return (menu && inFile[why]?.({ ...held, menu })) ?? anywhere[why]?.(held) ?? [];
    });
  const stepsOf = groupBy(input.steps, ({ ref }) => ref);
  for (const one of input.resources) {
    if (input.can.targets.names(one.ref)) found.push(...oldMenus(one, input));
    const menu = wanted.get(one.ref);
    if (menu === undefined || !input.can.targets.has(menu.key)) continue;
    found.push(...leftAlone(one, menu, stepsOf.get(one.ref) ?? [], input));
  }
  const all = [...found, ...agentMatters(input)].toReversed();
  // Some holds of several steps are one matter.
  const each = new Map(all.map((one) => [`${one.kind} ${one.refs.join(" ")}`, one]));
  return [...each.values()].toReversed();
}

function heldMatter<K extends MatterKind>(
  kind: K,
  key: string,
  facts: Facts[K],
  { environment }: Decided,
  at: Matter["at"],
  also?: string,
): Matter {
  const refs = [menuRef(key), ...(also === undefined ? [] : [asRef(also)])];
  return matter(kind, refs, facts, environment, { at });
}

function refsOf(some: readonly { readonly ref: Ref }[]): Ref[] {
  return some.map(({ ref }) => ref);
}

/** The agents of held menus who get no calls, each with all places that go there. */
function agentMatters({ menus, agents, can, state, environment }: Decided): Matter[] {
  const places = menus.flatMap(({ key, content, isBlocked, at, agentsAt }) =>
    !content || !isBlocked || !can.targets.has(key)
      ? []
      : agentsIn(content).flatMap(({ place, agent: { eid, name = `extension ${eid}` } }) => {
          const [listed] = agents?.with("eid", eid) ?? [];
          if (agents === undefined || (listed && !listed.blocked)) return [];
          const kind = listed ? ("agent-blocked" as const) : ("agent-left" as const);
          return { kind, key, place, eid, name, at: agentsAt?.get(eid) ?? [at()] };
        }),
  );
  return [...groupBy(places, ({ kind, eid }) => `${kind} ${eid}`).values()].map((alike) => {
    const [{ kind, name, eid, at }] = alike;
    const byKey = groupBy(alike, ({ key }) => key);
    const facts = {
      name,
      eid,
      places: [...byKey].map(
        ([key, same]) => `${key} (${same.map(({ place }) => describePlace(place)).join(", ")})`,
      ),
      lines: [...new Set(alike.flatMap((one) => one.at.map(fileAndLine)))],
      ways: waysTo(state, (to) => to.kind === "agent" && to.eid === eid),
    };
    return matter(kind, [...byKey.keys()].map(menuRef), facts, environment, { at: at[0] });
  });
}

/** What nothing is done about: a menu that cannot be compared, and numbers that no file names any more. */
function leftAlone(
  resource: Resource,
  menu: WantedMenu,
  steps: readonly Step[],
  input: Decided,
): Matter[] {
  const { ref, desired, prior, observed } = resource;
  const isSent = steps.some(({ op }) => op !== "record");
  const isCompared = desired === undefined || prior?.pending || observed.kind !== "unreadable";
  const unread = isCompared || isSent ? undefined : uncompared("not-comparable", ref, menu, input);
  // What links to another menu afterwards, or waits, is shown with the menu.
  const isElsewhere = steps.some(
    (step) => step.op === "create" || step.event === "restored" || isHeld(step),
  );
  const kept = isElsewhere ? [] : numbersKept(resource, input);
  const { key, at } = menu;
  return [
    ...(unread ? [unread] : []),
    ...kept.map((number) =>
      heldMatter("number-kept", key, { number, key }, input, at(), `number:${number}`),
    ),
  ];
}

/** A menu that cannot be compared with the service. */
function uncompared(
  kind: "not-comparable" | "not-found",
  ref: Ref,
  { key, at }: WantedMenu,
  input: Decided,
): Matter | undefined {
  const { state, lists, resources } = input;
  const resource = resources.find((one) => one.ref === ref);
  const record = liveRecord(state, resource?.from ?? ref);
  if (resource?.observed.kind !== "unreadable" || !record) return undefined;
  const { problem = "" } = resource.observed;
  const facts = {
    key,
    from: nameIn(resource.from ?? ref),
    problem: record.identified && problem,
    ids: lists.menus?.named(record.menu.name) ?? [],
  };
  return heldMatter(kind, key, facts, input, at());
}

/** Why an old menu that the user names cannot be deleted. */
function oldMenus({ ref, prior, observed }: Resource, { environment, state, can }: Decided) {
  const followUp = state.records.get(ref);
  if (followUp?.kind !== "old") return [];
  const { id, key } = followUp;
  const problems = [
    ["no-operation", !can.operations.has("delete")],
    ["not-allowed", !can.allowed.has("delete")],
    ["unknown", prior?.pending !== undefined],
    ["unidentified", prior?.id === undefined],
    ["unreadable", observed.kind === "unreadable"],
  ] as const;
  const [why] = problems.find(([, isSo]) => isSo) ?? [];
  return why === undefined ? [] : [matter("old-menu-kept", [ref], { id, key, why }, environment)];
}

/** What points to a menu, in words: `+91 22 4123 4567`, `menu “Front desk” (id 7926)`. */
export function describeInboundLinks(links: readonly Link[]): string[] {
  const best = [...groupBy(links, ({ from }) => from).values()].map(
    (alike) => alike.toSorted((a, b) => says.indexOf(a.kind) - says.indexOf(b.kind))[0] ?? alike[0],
  );
  const words = best.map(({ from, kind, words: given }) => {
    const name = refText(from);
    return {
      listed: given ?? name,
      unknown: `${name}, whose outcome is unknown`,
      lagging: `perhaps ${name}, which was bound to it, although the list does not show that`,
      planned: given ?? name,
      recorded: `perhaps ${given ?? name}, which links to it in the record`,
    }[kind];
  });
  return [...new Set(words)];
}

/** What says most comes first. */
const says = ["listed", "unknown", "lagging", "planned", "recorded"] satisfies Link["kind"][];
