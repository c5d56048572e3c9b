import { many } from "../../util/many.ts";
import { orderOf } from "../../compile/flow.ts";
import { missingIn } from "../plan/deletes.ts";
import { Leaders, addUncertain } from "../plan/leaders.ts";
import type { LiveMenus } from "../plan/live.ts";
import type { LiveNumbers } from "../plan/live-numbers.ts";
import type { Deleting, Plan } from "../plan/plan.ts";
import type { StateView } from "../state/state.ts";
import { changedSince } from "./changed-since.ts";
import type { Result } from "./results.ts";

type Refusal = Pick<Result, "outcome" | "message" | "changed">;

/** The menus that a run deletes, and what the service lists right before. */
export class Deletes {
  /** Menus that lead to others come first. Menus in a circle have no such order. */
  readonly inOrder: readonly Deleting[];
  readonly #live: LiveMenus;
  readonly #leaders: Leaders;
  /** The ids of the menus that are deleted, or are going to be. */
  readonly #deleted: Set<string>;
  /** Why nothing is deleted, if the list lacks menus. */
  readonly #cutOff: string | undefined;

  constructor(changes: readonly Deleting[], { plan, state, live, numbers }: Circumstances) {
    this.inOrder = leadersFirst(changes, live);
    this.#live = live;
    this.#leaders = new Leaders(live, numbers);
    addUncertain(this.#leaders, { state, numbers, deleting: changes });
    this.#deleted = new Set(changes.map(({ id }) => id));
    this.#cutOff = cutOffBy(plan, state, live);
    this.#keepRefused(changes);
  }

  /** Why a menu is not deleted. Undefined if it can be. What changes after the lists were read cannot be seen. */
  refusal(change: Deleting): Refusal | undefined {
    const refused = (message: string): Refusal => ({
      outcome: "not_attempted",
      message,
      changed: [],
    });
    if (this.#cutOff !== undefined) return refused(this.#cutOff);
    const changed = changedSince(change, this.#live);
    if (changed !== undefined) return changed;
    const found = this.#leaders.to(change.id, this.#deleted).map(({ words }) => words);
    return found.length === 0 ? undefined : refused(`something leads to it: ${found.join(", ")}`);
  }

  /** A menu that still exists, so that the menus that it leads to are not deleted either. */
  keep({ id }: Deleting): void {
    this.#deleted.delete(id);
  }

  /** In a circle, the first menu must not be deleted if a later one is refused: that one leads to it. */
  #keepRefused(changes: readonly Deleting[]): void {
    const refused = changes.filter(
      (change) => this.#deleted.has(change.id) && this.refusal(change) !== undefined,
    );
    if (refused.length === 0) return;
    for (const change of refused) this.keep(change);
    this.#keepRefused(changes);
  }
}

interface Circumstances {
  readonly plan: Plan;
  readonly state: StateView;
  readonly live: LiveMenus;
  readonly numbers: LiveNumbers;
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

/** Why nothing is deleted: menus on record are missing in the list, and the plan does not show that. */
function cutOffBy({ changes }: Plan, state: StateView, live: LiveMenus): string | undefined {
  const known = new Set(changes.flatMap(({ key, action }) => (action === "missing" ? key : [])));
  const deleted = new Set(changes.flatMap(({ key, action }) => (action === "delete" ? key : [])));
  const missing = missingIn(state, live).filter((key) => !known.has(key) && !deleted.has(key));
  return missing.length === 0
    ? undefined
    : `the service does not list ${many(missing.length, "other menu")} on record (${missing.join(", ")}), so the list may be cut off`;
}
