import { agentMatters } from "./agent-matters.ts";
import { fileAndLine } from "../../diagnostics/source.ts";
import type { Worlds } from "../../reach/world.ts";
import { groupBy } from "../../util/group-by.ts";
import type { Hold, WordedWhy } from "../reasons/hold.ts";
import { type Facts, type Matter, type MatterKind, matter, matterOf } from "../reasons/kinds.ts";
import { reasonWords, reasons } from "../reasons/reasons.ts";
import type { Decided, WantedMenu } from "./decided.ts";
import { menuRecord, nameAndTime } from "../state/view.ts";
import { reachedOn } from "../listed/names.ts";
import { numbersKept } from "./number-resources.ts";
import type { Resource } from "./steps/resource.ts";
import { type Ref, isNumber, menuRef, nameIn } from "../../schema/ref.ts";
import { type Step, isHeld, isSent, ownerOf } from "./steps/step.ts";

/** Why an id that the step waits for is not there, if only a phone number waits for it. */
function numberWaiting(of: Ref, ref: Ref, { key, at }: WantedMenu, input: Decided): Matter[] {
  // Otherwise, the steps of the menu say what they wait for.
  if (!isNumber(ref) || input.steps.some((step) => step.ref === of)) return [];
  const current = menuRecord(input.state, key)?.current;
  const menu = current ? nameAndTime(current) : undefined;
  const facts = { number: nameIn(ref), key, menu };
  return [aboutMenu("number-waiting", key, facts, input, at(ref), ref)];
}

/** What a hold says to a person. The facts are in the hold, and the words in its row. */
function heldMatter<K extends WordedWhy>(
  hold: Hold<K>,
  step: Step,
  menu: WantedMenu | undefined,
  { environment, state, lists, agents, limitAt }: Decided,
): Matter[] {
  const { ref, base, id = "?" } = step;
  const why: K = hold.why;
  const row = reasons[why];
  const what = row.at?.(hold, ref);
  if (what !== undefined && menu === undefined) return [];
  const at = what === "limit" ? limitAt : what && menu?.at(what === "menu" ? undefined : what);
  const owner = menu ? menuRef(menu.key) : ownerOf(step);
  const reached = isNumber(ref) && lists.menus && reachedOn(state, lists.menus, agents);
  const reaches = reached ? reached(base && "to" in base ? base.to : null) : "something else";
  const line = at ? fileAndLine(at) : "";
  const facts = { ref, key: nameIn(owner), id, line, reaches, ...hold };
  return [
    matterOf(why, reasonWords[why], row.refs?.(hold, owner, ref) ?? [owner], facts, environment, {
      at,
    }),
  ];
}

/** Finds what holds steps back, and what a plan cannot compare or leaves as it is. */
export function heldMatters(input: Decided, worlds: Worlds): Matter[] {
  const wanted = new Map<Ref, WantedMenu>(input.menus.map((menu) => [menuRef(menu.key), menu]));
  const menus = new Map<Ref, WantedMenu>([
    ...input.menus.map((menu) => [menuRef(menu.movedFrom ?? menu.key), menu] as const),
    ...wanted,
  ]);
  const holds = input.steps.flatMap((step) => step.holds.map((hold) => ({ step, hold })));
  const matters = [...groupBy(holds, ({ hold }) => hold.why).values()]
    .flat()
    .flatMap(({ step, hold }) => {
      const menu = menus.get(ownerOf(step));
      switch (hold.why) {
        case "unknown":
        case "missing":
        case "drift":
        case "blocked":
          return [];
        case "waiting":
          return menu && hold.of ? numberWaiting(hold.of, step.ref, menu, input) : [];
        case "delete-guard":
          return hold.sources.length === 0 ? [] : heldMatter(hold, step, menu, input);
        default:
          return heldMatter(hold, step, menu, input);
      }
    });
  const stepsOf = groupBy(input.steps, ({ ref }) => ref);
  for (const resource of input.resources) {
    if (input.can.targets.names(resource.ref)) matters.push(...oldMenus(resource, input));
    const menu = wanted.get(resource.ref);
    if (menu === undefined || !input.can.targets.has(menu.key)) continue;
    matters.push(...leftAlone(resource, menu, stepsOf.get(resource.ref) ?? [], input));
  }
  const all = [...matters, ...agentMatters(input, worlds)].toReversed();
  // Some holds of several steps are one matter.
  const each = new Map(all.map((one) => [`${one.kind} ${one.refs.join(" ")}`, one]));
  return [...each.values()].toReversed();
}

function aboutMenu<K extends MatterKind>(
  kind: K,
  key: string,
  facts: Facts[K],
  { environment }: Decided,
  at: Matter["at"],
  ...also: readonly Ref[]
): Matter {
  const refs = [menuRef(key), ...also];
  return matter(kind, refs, facts, environment, { at });
}

/** What nothing is done about: a menu that cannot be compared, and numbers that no file names any more. */
function leftAlone(
  resource: Resource,
  menu: WantedMenu,
  steps: readonly Step[],
  input: Decided,
): Matter[] {
  const { desired, prior, observed } = resource;
  const hasRequest = steps.some(isSent);
  const isCompared = desired === undefined || prior?.pending || observed.kind !== "unreadable";
  const unread = isCompared || hasRequest ? undefined : uncompared(resource, menu, input);
  // What links to another menu afterwards, or waits, is shown with the menu.
  const isElsewhere = steps.some(
    (step) => step.op === "create" || step.op === "restore" || isHeld(step),
  );
  const kept = isElsewhere ? [] : numbersKept(resource, input);
  const { key, at } = menu;
  return [
    ...(unread ? [unread] : []),
    ...kept.map((number) =>
      aboutMenu("number-kept", key, { number, key }, input, at(), `number:${number}`),
    ),
  ];
}

/** A menu that cannot be compared with the service. */
function uncompared(
  { ref, from = ref, observed, prior }: Resource,
  { key, at }: WantedMenu,
  input: Decided,
): Matter | undefined {
  if (observed.kind !== "unreadable" || !prior?.content) return undefined;
  const { problem, candidates = [] } = observed;
  const facts = { key, from: nameIn(from), problem, candidates };
  return aboutMenu("not-comparable", key, facts, input, at());
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
  const facts = { id, key, menu: nameAndTime(followUp.current) };
  return why === undefined ? [] : [matter("old-menu-kept", [ref], { ...facts, why }, environment)];
}
