import type { Agents } from "../../compile/agents.ts";
import { menuIdIn } from "../../schema/wire.ts";
import { type LiveRecord, type StateView, liveRecords } from "../state/state.ts";
import type { LiveMenus } from "./live.ts";
import { agentIn, reachedWords } from "./live-numbers.ts";
import type { Reached } from "./plan.ts";

/** What a phone number can lead to, and how it is called. */
export class Reachable {
  readonly #agents: Agents | undefined;
  /** The records of menus by their ids on the service. */
  readonly #records: ReadonlyMap<string, LiveRecord>;
  /** The names of all menus of the service by id. */
  readonly #names: ReadonlyMap<string, string>;

  /** Without the agent list, agents have only their extensions. */
  constructor(state: StateView, { menus, unreadable }: LiveMenus, agents?: Agents) {
    this.#agents = agents;
    this.#records = new Map(
      liveRecords(state).flatMap((own) =>
        own.record.identified === undefined ? [] : [[own.record.identified.id, own]],
      ),
    );
    this.#names = new Map(
      [...menus, ...unreadable].flatMap(({ id, name }) =>
        id === null ? [] : [[id, name ?? "without a name"]],
      ),
    );
  }

  /** Whether a destination is nothing, or a menu on record. */
  isManaged(destination: string | null): boolean {
    return destination === null || this.#records.has(menuIdIn(destination) ?? "");
  }

  /** What callers reach at a destination, in words. */
  words(destination: string | null): string {
    return reachedWords(destination, this.at(destination));
  }

  /** What callers reach at a destination. */
  at(destination: string | null): Reached {
    const eid = agentIn(destination ?? "");
    if (eid !== undefined) return { name: this.#agents?.with("eid", eid)[0]?.name ?? null };
    const id = menuIdIn(destination ?? "") ?? "";
    const name = this.#names.get(id) ?? null;
    const record = this.#records.get(id);
    if (record === undefined || name === null) return { name };
    const { key, followUp } = record;
    return followUp === null ? { name, key } : { name, key, isOld: true };
  }
}
