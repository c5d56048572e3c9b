import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { Bind, Unbound } from "../../schema/plan.ts";
import { menuDestination, menuIdIn, menuReference } from "../../schema/wire.ts";
import { didYouMean, nearest } from "../../util/nearest.ts";
import { phoneText } from "../../util/phone.ts";
import { suggest, suggestId, withSentence } from "../../util/suggest.ts";
import type { PhoneNumber } from "../service/service.ts";
import type { StateView } from "../state/state.ts";
import { missingIn } from "./deletes.ts";
import type { LiveMenus } from "./live.ts";
import { type LiveNumbers, asInFiles, reachedWords } from "./live-numbers.ts";
import {
  type Change,
  type Permission,
  type Plan,
  type WantedMenu,
  bindsOf,
  isSending,
} from "./plan.ts";
import { Reachable } from "./reachable.ts";

interface Input {
  readonly environment: string;
  readonly numbers: LiveNumbers;
  readonly live: LiveMenus;
  readonly agents: Agents;
  /** The state with what the lists prove. */
  readonly state: StateView;
  readonly allowed: ReadonlySet<Permission>;
}

interface Planned {
  /** The menus of the whole project. */
  readonly menus: readonly WantedMenu[];
  /** The changes and the unchanged keys that the targets select. */
  readonly changes: readonly Change[];
  readonly unchanged: readonly string[];
  /** All keys, in the order of the plan. */
  readonly order: readonly string[];
}

/**
 * Adds the phone numbers to the changes of a plan: those that apply binds, those that it leaves
 * alone, and those that still lead to an old menu. Reports numbers that cannot be bound. Depends
 * only on the plan, the state and the lists of the service.
 */
export function planNumbers(input: Input, planned: Planned, diagnostics: Diagnostics): Change[] {
  return new NumberPlanner(input, planned).changes(diagnostics);
}

/** The phone numbers of a plan that lead elsewhere than the plan was compared with, in words. */
export function changedNumbers(
  { changes }: Pick<Plan, "changes">,
  numbers: LiveNumbers,
  reachable: Reachable,
): string[] {
  return changes.flatMap(bindsOf).flatMap(({ number, id, before, reached }) => {
    const now = numbers.withId(id);
    const leads = now === undefined ? "not listed" : reachable.words(now.destination);
    return now?.destination === before
      ? []
      : `${phoneText(number)} (reviewed: ${reachedWords(before, reached)}, now: ${leads})`;
  });
}

class NumberPlanner {
  readonly #input: Input;
  readonly #planned: Planned;
  readonly #changes: ReadonlyMap<string, Change>;
  readonly #reachable: Reachable;
  /** The ids of the numbers that this plan binds. */
  readonly #bound = new Set<string>();
  /** The ids of the numbers that a file names. */
  readonly #named = new Set<string>();

  constructor(input: Input, planned: Planned) {
    this.#input = input;
    this.#planned = planned;
    this.#changes = new Map(planned.changes.map((change) => [change.key, change]));
    this.#reachable = new Reachable(input.state, input.live, input.agents);
  }

  changes(diagnostics: Diagnostics): Change[] {
    const { menus, unchanged, order } = this.#planned;
    const isUnchanged = new Set(unchanged);
    const changed = new Map(this.#changes);
    for (const { numbers } of menus) {
      for (const number of numbers.keys()) {
        for (const { id } of this.#input.numbers.find(number)) this.#named.add(id);
      }
    }
    for (const menu of menus) {
      const change = this.#changes.get(menu.key);
      if (change === undefined && !isUnchanged.has(menu.key)) continue;
      const now = this.#withNumbers(menu, change, diagnostics);
      if (now !== undefined) changed.set(menu.key, now);
    }
    return order.flatMap((key) => {
      const change = changed.get(key);
      return change === undefined ? [] : this.#withReachedBy(change);
    });
  }

  /** The change of a menu with its phone numbers. Undefined if nothing changes. */
  #withNumbers(
    menu: WantedMenu,
    change: Change | undefined,
    diagnostics: Diagnostics,
  ): Change | undefined {
    const found = [...menu.numbers].flatMap(([number, at]) => {
      const record = this.#find(number, at, diagnostics);
      return record === undefined ? [] : { number, at, record };
    });
    const after = this.#destinationAfter(menu.key, change);
    const elsewhere = found.filter(({ record }) => record.destination !== after);
    if (after === undefined) {
      return this.#withUnbound(menu, change, elsewhere, diagnostics);
    }
    this.#reportRemoved(menu, change, diagnostics);
    if (elsewhere.length === 0) return change;
    const bind = elsewhere.map(({ number, at, record }): Bind => {
      const { before, reached } = this.#factsOf(number, record, change);
      this.#guard(menu.key, { number, before, reached }, at, diagnostics);
      this.#bound.add(record.id);
      return { number, before, reached, id: record.id, name: record.name, after };
    });
    if (change === undefined) return this.#onlyBind(menu.key, bind);
    return hasMenu(change) ? { ...change, bind } : change;
  }

  #onlyBind(key: string, bind: readonly Bind[]): Change | undefined {
    const before = this.#input.state.keys.get(key)?.current;
    if (!before?.identified) return undefined;
    const { id } = before.identified;
    return { action: "bind", key, name: before.payload.name, id, before, bind };
  }

  /** The record of a number in the list. Reports a number that the list does not have, or has twice. */
  #find(number: string, at: Span, diagnostics: Diagnostics): PhoneNumber | undefined {
    const { numbers, environment } = this.#input;
    const [record, ...others] = numbers.find(number);
    if (record !== undefined && others.length === 0) return record;
    const list = {
      words: "To see the numbers of the account, run:",
      argv: suggest("numbers", [], environment),
    };
    if (record !== undefined) {
      const ids = [record, ...others].map(({ id }) => id).join(", ");
      diagnostics.add(
        "IVR665",
        at,
        `The list of phone numbers has ${phoneText(number)} more than once (ids ${ids}), so it is not clear which one to bind.`,
        list,
      );
      return undefined;
    }
    const all = numbers.numbers.map(asInFiles);
    const near = didYouMean(nearest(number, all));
    const { length } = numbers.unreadable;
    const unread = length === 0 ? "" : ` ivrctl does not understand ${length} of its records.`;
    diagnostics.add(
      "IVR665",
      at,
      `The account does not have the phone number ${phoneText(number)}.${unread}`,
      near === undefined ? list : withSentence(near, list),
    );
    return undefined;
  }

  /** What the numbers of a menu lead to after the plan. Undefined if they are left alone. */
  #destinationAfter(key: string, change: Change | undefined): string | undefined {
    switch (change?.action) {
      case undefined:
        return destinationOf(this.#input.state.keys.get(key)?.current?.identified);
      case "create":
      case "replace":
        return menuReference(key);
      case "update":
        return menuDestination(change.id);
      case "move":
        return destinationOf(change.before.identified);
      case "restore":
        return destinationOf(change.followUp.record.identified);
      default:
        return undefined;
    }
  }

  /** Numbers stay where they are if nothing is sent for the menu, or if its id is not on record. */
  #withUnbound(
    { key }: WantedMenu,
    change: Change | undefined,
    found: readonly Found[],
    diagnostics: Diagnostics,
  ): Change | undefined {
    const { environment } = this.#input;
    const isMissing = change?.action === "missing";
    const own = change && "before" in change ? change.before?.identified?.id : undefined;
    const elsewhere = found.filter(
      ({ record }) => isMissing || own === undefined || !leadsTo(record, own),
    );
    if (elsewhere.length === 0) return change;
    switch (change?.action) {
      case "waiting":
      case "missing":
      case "drift":
      case "unknown": {
        const unbound = elsewhere.map(({ number, record }) =>
          this.#factsOf(number, record, change),
        );
        return { ...change, unbound };
      }
      default:
        for (const { number, at } of elsewhere) {
          diagnostics.add(
            "IVR637",
            at,
            `${phoneText(number)} is not bound, because the id of \`${key}\` is not on record.`,
            {
              words: "Find the id on the console, and record it:",
              argv: suggestId([`${key}=ID`], environment),
            },
          );
        }
        return change;
    }
  }

  #factsOf(number: string, { destination }: PhoneNumber, change: Change | undefined): Unbound {
    return { number, before: destination, reached: this.#reachable.at(destination, change) };
  }

  /** Refuses to take a number from something that ivrctl does not manage. */
  #guard(key: string, { number, before, reached }: Unbound, at: Span, found: Diagnostics): void {
    if (this.#reachable.isManaged(before) || this.#input.allowed.has("take-number")) return;
    const isGone = reached.name === null && menuIdIn(before ?? "") !== undefined;
    if (isGone && this.#isOnRecord(key, number, before)) return;
    const leads = `${phoneText(number)} leads to ${reachedWords(before, reached)}`;
    found.add(
      "IVR667",
      at,
      isGone ? `${leads} and is not on record.` : `${leads}, which ivrctl does not manage.`,
      `Add --allow take-number if its callers should reach \`${key}\` instead.`,
    );
  }

  /**
   * Whether a number that leads to a menu that is gone belongs to ivrctl: the menu that wants it had
   * it before, or ivrctl bound it to the one that is gone. A list that is cut off proves nothing.
   */
  #isOnRecord(key: string, number: string, before: string | null): boolean {
    const { state, live } = this.#input;
    if (live.isUncertain || missingIn(state, live).length > 0) return false;
    const bound = state.bound.get(number);
    const had = state.keys.get(key)?.current?.naming.numbers ?? [];
    return had.includes(number) || (before !== null && (bound?.to.includes(before) ?? false));
  }

  /** Reports numbers that the file does not name any more, and that still lead to the menu. */
  #reportRemoved(menu: WantedMenu, change: Change | undefined, diagnostics: Diagnostics): void {
    const { state, numbers } = this.#input;
    if (change !== undefined && change.action !== "update" && change.action !== "move") return;
    const record = change?.before ?? state.keys.get(menu.key)?.current;
    const id = record?.identified?.id;
    if (id === undefined) return;
    for (const number of record?.naming.numbers ?? []) {
      const left = numbers.find(number).some((one) => leadsTo(one, id) && !this.#named.has(one.id));
      if (!left) continue;
      diagnostics.add(
        "IVR669",
        menu.at.top,
        `No file names ${phoneText(number)} any more, but it still leads to \`${menu.key}\`. ivrctl never leaves a number without a destination.`,
        "To let it lead to another menu, add it to `numbers:` of that menu. Or change it on the console.",
      );
    }
  }

  /** Adds the numbers that lead to the menu on record, and that no menu of this plan gets. */
  #withReachedBy(change: Change): Change {
    if (change.action !== "replace" && change.action !== "forget" && change.action !== "restore") {
      return change;
    }
    const id = change.before?.identified?.id;
    const staying = id === undefined ? [] : this.#input.numbers.leadingTo(id);
    const reachedBy = staying.filter((one) => !this.#bound.has(one.id)).map(asInFiles);
    return { ...change, reachedBy };
  }
}

/** Whether the menu exists after the change, so that phone numbers can lead to it. */
function hasMenu(change: Change): change is Extract<Change, { bind?: unknown }> {
  return isSending(change) || change.action === "move" || change.action === "restore";
}

interface Found {
  readonly number: string;
  readonly at: Span;
  readonly record: PhoneNumber;
}

function leadsTo({ destination }: PhoneNumber, id: string): boolean {
  return destination === menuDestination(id);
}

function destinationOf(identified: { readonly id: string } | undefined): string | undefined {
  return identified === undefined ? undefined : menuDestination(identified.id);
}
