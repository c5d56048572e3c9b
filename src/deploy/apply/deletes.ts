import { many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { orderOf } from "../../compile/flow.ts";
import { missingFollowUps, missingIn, unlistedNumbers } from "../plan/deletes.ts";
import { Leaders, addUncertain } from "../plan/leaders.ts";
import type { LiveMenus } from "../plan/live.ts";
import { type Deleting, type Plan, isDeleting } from "../plan/plan.ts";
import type { StateView } from "../state/state.ts";
import type { Session } from "../state/store.ts";
import { type Refusal, changedSince } from "./changed-since.ts";
import type { Listed } from "./lists.ts";

/** The menus that a run deletes, and what the service lists right before. */
export class Deletes {
  /** Menus that lead to others come first. Menus in a circle have no such order. */
  readonly inOrder: readonly Deleting[];
  readonly #plan: Plan;
  readonly #session: Pick<Session, "state">;
  readonly #rest: Set<Deleting>;
  /** The ids of the menus that are deleted, or are going to be. */
  readonly #deleted: Set<string>;
  #found: Found;

  constructor(
    changes: readonly Deleting[],
    plan: Plan,
    session: Pick<Session, "state">,
    listed: Listed,
  ) {
    this.inOrder = leadersFirst(changes, listed.live);
    this.#plan = plan;
    this.#session = session;
    this.#rest = new Set(changes);
    this.#deleted = new Set(changes.map(({ id }) => id));
    this.#found = this.#find(listed);
    this.#keepRefused();
  }

  /** Why a menu is not deleted. Undefined if it can be. */
  refusal(change: Deleting, { live, numbers }: Listed): Refusal | undefined {
    const { listed } = this.#found;
    if (listed.live !== live || listed.numbers !== numbers) {
      this.#found = this.#find({ live, numbers });
      this.#keepRefused();
    }
    return this.#refusal(change);
  }

  /** A menu that still exists keeps the menus that it leads to. */
  ended(change: Deleting, isDeleted: boolean): void {
    this.#rest.delete(change);
    if (!isDeleted) this.#deleted.delete(change.id);
  }

  #refusal(change: Deleting): Refusal | undefined {
    const refused = (message: string): Refusal => ({
      outcome: "not_attempted",
      message,
      changed: [],
    });
    const { listed, leaders, cutOff } = this.#found;
    if (cutOff !== undefined) return refused(cutOff);
    const changed = changedSince(change, listed.live);
    if (changed !== undefined) return changed;
    const found = leaders.to(change.id, this.#deleted).map(({ words }) => words);
    return found.length === 0 ? undefined : refused(`something leads to it: ${found.join(", ")}`);
  }

  #find(listed: Listed): Found {
    const { live, numbers } = listed;
    const { state } = this.#session;
    const leaders = new Leaders(live, numbers);
    addUncertain(leaders, { state, numbers });
    return { listed, leaders, cutOff: cutOffBy(this.#plan, state, listed) };
  }

  /** In a circle, the first menu must not be deleted if a later one is refused: that one leads to it. */
  #keepRefused(): void {
    const refused = [...this.#rest].filter(
      (change) => this.#deleted.has(change.id) && this.#refusal(change) !== undefined,
    );
    if (refused.length === 0) return;
    for (const { id } of refused) this.#deleted.delete(id);
    this.#keepRefused();
  }
}

interface Found {
  readonly listed: Listed;
  readonly leaders: Leaders;
  /** Why nothing is deleted, if a list may be cut off. */
  readonly cutOff: string | undefined;
}

function leadersFirst(changes: readonly Deleting[], live: LiveMenus): Deleting[] {
  const byKey = new Map(changes.map((change) => [change.key, change]));
  const keyOf = new Map(changes.map(({ id, key }) => [id, key]));
  const links = new Map(
    live.menus.flatMap((menu) => {
      const key = keyOf.get(menu.id);
      const targets = () => live.menusLedTo(menu).flatMap((id) => keyOf.get(id) ?? []);
      return key === undefined ? [] : [[key, targets()] as const];
    }),
  );
  const { order } = orderOf([...byKey.keys()].toReversed(), links);
  return order.toReversed().flatMap((key) => byKey.get(key) ?? []);
}

/** Why nothing is deleted: a list lacks menus or phone numbers on record, and the plan does not show that. */
function cutOffBy(
  { changes }: Plan,
  state: StateView,
  { live, numbers }: Listed,
): string | undefined {
  const known = new Set(changes.flatMap(({ key, action }) => (action === "missing" ? key : [])));
  const [menus, followUps] = [new Set<string>(), new Set<string>()];
  for (const { key, followUpOf } of changes.filter(isDeleting)) {
    (followUpOf === undefined ? menus : followUps).add(key);
  }
  const missing = missingIn(state, live).filter((key) => !known.has(key) && !menus.has(key));
  const old = missingFollowUps(state, live).filter((id) => !followUps.has(id));
  const unlisted = unlistedNumbers(state, numbers).map(phoneText);
  const lacks = [
    missing.length === 0
      ? []
      : `${many(missing.length, "other menu")} on record (${missing.join(", ")})`,
    old.length === 0 ? [] : `${many(old.length, "old menu")} on record (${old.join(", ")})`,
    unlisted.length === 0
      ? []
      : `${many(unlisted.length, "phone number")} on record (${unlisted.join(", ")})`,
  ].flat();
  return lacks.length === 0
    ? undefined
    : `the service does not list ${lacks.join(" and ")}, so the list may be cut off`;
}
