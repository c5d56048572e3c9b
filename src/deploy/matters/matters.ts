import { referencesIn } from "../../model/menu.ts";
import { isLost } from "../state/records.ts";
import { callersOfMissing } from "../../reach/findings.ts";
import type { Worlds } from "../../reach/world.ts";
import { lockMatter } from "../state/lock-matter.ts";
import { recordingName } from "../../model/field-words.ts";
import { changedWords } from "../../model/menu-diff.ts";
import type { OperationName } from "../../schema/operations.ts";
import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import { type Ref, menuRef, nameIn } from "../../schema/ref.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { groupBy } from "../../util/group-by.ts";
import type { StepOutcome } from "../apply/step-results.ts";
import type { Change } from "../plan/changes/changes.ts";
import { worldsOf } from "../plan/worlds.ts";
import { callerMatters, driftPlaces } from "./caller-matters.ts";
import { followUpMatters, pointingMatters } from "./pointing-matters.ts";
import { recordingMatters } from "./recording-matters.ts";
import type { Plan } from "../plan/plan.ts";
import { describeList, unresolved } from "../listed/reconcile.ts";
import {
  type StateView,
  menuRecord,
  nameAndTime,
  openFollowUps,
  openTexts,
} from "../state/view.ts";
import type { LeftRescue } from "../state/rescue-files.ts";
import type { Lock } from "../state/lock.ts";
import { type Matter, mattersAbout, inOrder, matter } from "../reasons/kinds.ts";
import type { Unknown } from "../reasons/resolving.ts";

/** A menu as far as its file was read. */
export interface FileMenu {
  readonly key: string;
  readonly movedFrom?: string | undefined;
  readonly links: readonly string[];
  readonly numbers: readonly string[];
}

/** Everything that is known when a command ends. */
export interface MatterSources {
  readonly environment: string;
  /** The state now. With a plan that was not applied: what the lists prove is in it. */
  readonly state: StateView;
  /** Absent if the files were not read. */
  readonly files?: readonly FileMenu[] | undefined;
  readonly operations?: ReadonlySet<OperationName> | undefined;
  readonly plan?: Plan | undefined;
  /** Whether the plan cannot be applied. Then its errors say what to do first. */
  readonly isRefused?: boolean | undefined;
  /** Whether apply asks for the ids that menus of the plan wait for. */
  readonly asksForIds?: boolean | undefined;
  /** What became of the plan, if it was applied. */
  readonly results?: readonly StepOutcome[] | undefined;
  /** Names whose outcomes are known, but could not be recorded. */
  readonly unrecorded?: ReadonlySet<string> | undefined;
  /** The rescue files that the next command that changes the state records. */
  readonly rescues?: readonly LeftRescue[] | undefined;
  /** The only resources that count. Default: all that the plan covers, or everything. */
  readonly only?: ReadonlySet<Ref> | undefined;
  /** Whether everything that the service has counts, and not only what the files are about. */
  readonly isWhole?: boolean | undefined;
  readonly lock?: Lock | null | undefined;
  /** Whether the run that holds the lock has ended. Undefined if that is not known. */
  readonly hasEnded?: boolean | undefined;
}

/** Everything that needs a person, the most serious first. Every command shows a part of this list. */
export function matters(sources: MatterSources): Matter[] {
  const files = sources.files ?? (sources.plan && fileMenus(sources.plan.desired));
  const complete = { ...sources, files };
  const { plan, environment, results, only } = sources;
  const worlds = worldsAt(sources);
  const isApplied = results !== undefined;
  return inOrder([
    ...lockMatters(complete),
    ...rescueMatters(complete),
    ...requestMatters(complete),
    ...lostMatters(complete),
    ...recordingMatters(complete),
    ...waitMatters(complete),
    ...refusedMatters(complete),
    ...planMatters({ ...complete, worlds }),
    ...(worlds && plan && !only
      ? callerMatters({ environment, plan, worlds, isApplied, isWhole: sources.isWhole === true })
      : []),
    ...(worlds && plan && !only && !sources.isRefused
      ? pointingMatters({
          environment,
          worlds,
          isListed: plan.seen.lists.numbers !== undefined,
          planned: new Set(isApplied ? [] : plan.changes.map(({ key }) => key)),
          isNarrow: plan.can.targets.isNarrow,
        })
      : []),
    ...oldMenuMatters({ ...complete, worlds }),
  ]);
}

type WithWorlds = MatterSources & { readonly worlds: Worlds | undefined };

/** Who callers reach: as planned, or what was applied. */
function worldsAt({ plan, results, state }: MatterSources): Worlds | undefined {
  if (plan === undefined || results === undefined) return plan?.worlds;
  const { seen, desired } = plan;
  // What this run sent is newer than the lists.
  const fresh = new Set(results.flatMap(({ ref, attempts }) => (attempts > 0 ? ref : [])));
  return worldsOf({ ...seen, state, desired, steps: [], fresh });
}

/** What the state and the menus of a plan's files say. */
export function fileMenus(desired: readonly Desired[]): FileMenu[] {
  return desired.map(({ key, movedFrom, content }) => ({
    key,
    movedFrom,
    links: content === undefined ? [] : referencesIn(content),
    numbers: content?.numbers ?? [],
  }));
}

function lockMatters({ lock, environment, hasEnded }: MatterSources): Matter[] {
  return lock ? [lockMatter(lock, environment, "plan", hasEnded)] : [];
}

// ---- What the state says ----

function rescueMatters({ rescues = [], environment }: MatterSources): Matter[] {
  return rescues.map((one) => matter("unrecorded", one.keys.map(menuRef), one, environment));
}

/** The requests with unknown outcomes. Those of a run in progress look the same. */
function requestMatters(sources: MatterSources): Matter[] {
  const { environment, state, plan, results, only, lock, hasEnded, rescues = [] } = sources;
  const unrecorded = new Set([
    ...(sources.unrecorded ?? []),
    ...rescues.flatMap(({ keys }) => keys),
  ]);
  const awaited = new Set(
    waiters(sources).flatMap(({ waitsFor }) => waitsFor.map(({ key }) => key)),
  );
  const isCovered = (ref: Ref, key: string) =>
    only?.has(ref) !== false &&
    (!plan || plan.can.targets.has(key) || plan.can.targets.names(ref) || awaited.has(key));
  const sent = new Set(
    results?.flatMap(({ ref, action, outcome }) =>
      outcome === "unknown" && action !== "unknown" ? ref : [],
    ),
  );
  // A run that lost its lock could not record that it sent nothing.
  const unsent = new Set(
    results?.flatMap(({ ref, outcome }) => (outcome === "not_attempted" ? ref : [])),
  );
  const requests: (Unknown & { readonly ref: Ref })[] = [];
  const bindMatters: Matter[] = [];
  for (const [ref, { pending }] of state.records) {
    if (!pending || !isCovered(ref, pending.key) || isLost(pending.seen?.message)) continue;
    const name = nameIn(ref);
    if (unrecorded.has(name) || unsent.has(ref)) continue;
    if (pending.action === "bind") {
      const { key, number } = pending;
      bindMatters.push(matter("unknown-bind", [ref, menuRef(key)], { key, number }, environment));
    } else {
      const onConsole = "menu" in pending ? pending.menu.name : name;
      requests.push({ ref, name, menu: onConsole, pending });
    }
  }
  const [first, ...more] = requests;
  if (first === undefined) return bindMatters;
  const refs = requests.map(({ ref }) => ref);
  if (lock && hasEnded !== true) {
    const keys = requests.map(({ name }) => name);
    return [...bindMatters, matter("in-progress", refs, { keys }, environment)];
  }
  const looked =
    plan?.list && !results
      ? `The ${describeList({ count: plan.list.menus, at: plan.list.at })} do not prove it either way.`
      : "";
  const facts = { requests: [first, ...more], looked, isNew: sent.has(first.ref) } as const;
  return [
    ...bindMatters,
    matter("unknown", refs, facts, environment, { since: first.pending.sent_at }),
  ];
}

/** In a recovered state, the menus of the files that are not recorded. */
function lostMatters({ environment, state, files = [], plan, only }: MatterSources): Matter[] {
  const { recovered } = state.origin ?? {};
  // Menus of the files that the plan added as unknown have a record in `state`.
  const keys = files.flatMap((menu) => {
    const { pending } = menuRecord(state, menu.key) ?? {};
    const isOpen = pending ? isLost(pending.seen?.message) : unresolved([menu], state).length > 0;
    const isCovered =
      plan?.can.targets.has(menu.key) !== false && only?.has(menuRef(menu.key)) !== false;
    return isOpen && isCovered ? menu.key : [];
  });
  return mattersAbout("lost", keys.map(menuRef), { keys }, { environment }, { since: recovered });
}

function oldMenuMatters({ environment, state, plan, results, only, worlds }: WithWorlds): Matter[] {
  if (only) return [];
  // What a plan restores or deletes is no follow-up afterwards.
  const ending = new Set(
    results || !plan
      ? []
      : plan.changes.flatMap(
          ({ action, key, followUp }) => followUp?.id ?? (action === "delete" ? key : []),
        ),
  );
  const open = openFollowUps(state).filter(({ id }) => !ending.has(id));
  const trials = open.filter(({ reason }) => reason === "trial");
  const left = open.filter(({ reason }) => reason !== "trial");
  // A row of the plan shows a newer text.
  const planned = results || !plan ? [] : plan.changes;
  const changed = planned.flatMap(({ before, after }) =>
    before && after ? changedWords(before.menu, after) : [],
  );
  const texts = openTexts(state).filter(({ id, says }) =>
    changed.every(({ recording, after }) => recording?.id !== id || after === says),
  );
  const twice = left.filter(({ reason }) => reason === "duplicate");
  const refs = (some: typeof left) => some.map(({ id }): Ref => `old:${id}`);
  const keys = [...new Set(twice.map(({ key }) => key))];
  return [
    ...mattersAbout("two-menus", refs(twice), { keys }, { environment }),
    ...followUpMatters(
      left.map(({ id }) => id),
      worlds,
      plan?.seen.lists.numbers !== undefined,
      environment,
    ),
    ...trials.map(({ id, created_at: since, current }) => {
      const { identified } = current;
      const onService = identified === undefined ? "" : `, id ${identified.id}`;
      const facts = { id, menu: `${nameAndTime(current)}${onService}` };
      return matter("trial-menu", [`old:${id}`], facts, environment, { since });
    }),
    ...texts.map(({ says, open, ...recording }) => {
      const facts = { id: open.follow_up, recording: recordingName(recording), says };
      const refs = [`old:${facts.id}`] as const;
      return matter("text-to-record", refs, facts, environment, { since: open.created_at });
    }),
  ];
}

// ---- What menus wait for ----

interface Waiter {
  readonly key: string;
  readonly waitsFor: readonly WaitsFor[];
}

/** The menus that wait for others: after an apply, in a plan, or as far as the files and the state tell. */
function waiters({
  plan,
  results,
  files = [],
  state,
  operations,
  isRefused,
}: MatterSources): Waiter[] {
  if (results) {
    // A recording waits for itself.
    return results.map(({ key, waitsFor = [] }) => {
      return { key, waitsFor: waitsFor.filter((one) => one.key !== key) };
    });
  }
  if (plan) {
    const kept = (waits: readonly WaitsFor[]) =>
      isRefused ? waits.filter(({ because }) => because === "unidentified") : waits;
    return plan.changes.map(({ key, waitsFor }) => ({ key, waitsFor: kept(waitsFor) }));
  }
  // A service that can list menus shows their ids.
  if (state.origin === null || operations?.has("list") !== false) return [];
  return files.map(({ key, links }) => {
    const waitsFor = links.flatMap((to): WaitsFor[] => {
      const record = menuRecord(state, to)?.current;
      const isOpen = record && record.identified === undefined;
      return isOpen ? [{ key: to, because: "unidentified" }] : [];
    });
    return { key, waitsFor };
  });
}

function waitMatters(sources: MatterSources): Matter[] {
  const all = waiters(sources);
  const inside = new Set(all.map(({ key }) => key));
  const find = (matches: (wait: WaitsFor) => boolean) => {
    const menus = all.filter(({ waitsFor }) => waitsFor.some(matches));
    const awaited = menus.flatMap(({ waitsFor }) => waitsFor.filter(matches));
    const waiting = menus.map(({ key }) => key);
    const keys = [...new Set(awaited.map(({ key }) => key))];
    return { waiting, awaited, keys, refs: [...waiting, ...keys].map(menuRef) };
  };
  const ids = find(({ because }) => because === "unidentified" || because === "sent");
  const absent = find(({ key, because }) => because === "absent" && !inside.has(key));
  // What a plan does about the others is a row of the plan.
  const others = find(
    ({ key, because }) =>
      sources.results !== undefined && because !== "unidentified" && !absent.keys.includes(key),
  );
  const isLater = ids.awaited.every(({ because }) => because === "sent");
  const { asksForIds: isAsked } = sources;
  const found = ids.keys.flatMap((key) => menuRecord(sources.state, key)?.current ?? []);
  const menus = found.map(nameAndTime);
  const forIds = { waiting: ids.waiting, ids: ids.keys, menus, isLater, isAsked };
  return [
    ...mattersAbout("waiting-for-id", ids.refs, forIds, sources),
    ...mattersAbout("waiting-for-menu", absent.refs, { ...absent, absent: absent.keys }, sources),
    ...mattersAbout("waiting-for-others", others.refs, others, sources),
  ];
}

/** The menus that the service refused, and that link to menus whose ids a person may have mistyped. */
function refusedMatters({ environment, results = [], files = [], state }: MatterSources): Matter[] {
  const linksOf = new Map(files.map(({ key, links }) => [key, links]));
  const refused = results.flatMap(({ ref, key, outcome, status }) => {
    const isRefused = ref === menuRef(key) && outcome === "failed" && (status ?? 500) < 500;
    if (!isRefused) return [];
    const links = (linksOf.get(key) ?? []).flatMap((to) => {
      const { identified } = menuRecord(state, to)?.current ?? {};
      return identified?.how === "person" ? { to, id: identified.id } : [];
    });
    return links.length === 0 ? [] : { key, links };
  });
  const alike = groupBy(refused, ({ links }) => links.map(({ to }) => to).join(" "));
  return [...alike.values()].map((same) => {
    const keys = same.map(({ key }) => key);
    const facts = { keys, links: same[0].links };
    return matter("id-refused", keys.map(menuRef), facts, environment);
  });
}

// ---- What a plan shows ----

/** What somebody changed on the console, and what follows from the plan. */
function planMatters({ plan, isRefused = false, results, worlds }: WithWorlds): Matter[] {
  if (plan === undefined) return [];
  const { changes, held, list } = plan;
  const of = (action: Change["action"]) => changes.filter((change) => change.action === action);
  const missing = of("missing");
  const lacking = missing.map(({ key, id = "?" }) => ({ key, id }));
  const gone = new Set(missing.map(({ key }) => key));
  const now = [
    ...mattersAbout(
      "missing",
      refsOf(missing),
      {
        menus: lacking,
        list: list ? describeList({ count: list.menus, at: list.at }) : "",
        callers: worlds && callersOfMissing(worlds),
        linking: linkingTo(gone, plan),
      },
      plan,
    ),
    ...of("drift").flatMap((change) =>
      mattersAbout("drift", [change.ref], { key: change.key, places: driftPlaces(change) }, plan),
    ),
    ...held.filter(({ blocks }) => blocks !== "everything"),
  ];
  if (results) return now;
  const webhooks = changes.flatMap(({ ref, key, webhooks: lost }) =>
    mattersAbout("webhook-removed", lost.length === 0 ? [] : [ref], { key, keys: lost }, plan),
  );
  return [...now, ...webhooks, ...(isRefused ? [] : notDeleted(plan))];
}

/** The menus without a file that stay on the service, although it can delete menus. */
function notDeleted(plan: Plan): Matter[] {
  const forgotten = plan.changes.filter(({ action }) => action === "forget");
  return [...groupBy(forgotten, (change) => change.kept)].flatMap(([why, alike]) => {
    const keys = alike.map(({ key }) => key);
    return why === undefined ? [] : mattersAbout("not-deleted", refsOf(alike), { keys, why }, plan);
  });
}

/** The other menus whose files link to these. */
function linkingTo(keys: ReadonlySet<string>, { desired }: Plan): string[] {
  return desired.flatMap(({ key, content }) =>
    !keys.has(key) && content && referencesIn(content).some((to) => keys.has(to)) ? key : [],
  );
}

function refsOf(changes: readonly Change[]): Ref[] {
  return changes.map(({ ref }) => ref);
}
