import type { Agents } from "../../compile/agents.ts";
import { menuIdIn } from "../../schema/wire.ts";
import type { StateView } from "../state/state.ts";
import { type LiveRecord, liveRecords } from "../state/view.ts";
import type { LiveMenus } from "./live.ts";

/** What a phone number can point to, and how it is called. */
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

  /** What callers reach at a destination: `menu sales (7926)`. */
  words(destination: string | null): string {
    const id = menuIdIn(destination ?? "") ?? "";
    const menu = this.#names.get(id);
    const { key, followUp } = this.#records.get(id) ?? {};
    if (menu === undefined || key === undefined)
      return describeReached(destination, menu, this.#agents);
    return followUp === null ? `menu ${key} (${id})` : `the old menu of ${key} (${id})`;
  }
}

/** What callers of a number reach: `Asha Rao (extension 500101)`, `menu “Front desk” (7926)`. */
export function describeReached(
  destination: string | null,
  menu: string | undefined,
  agents: Agents | undefined,
): string {
  if (destination === null) return "nothing";
  const at = destination.indexOf("||");
  const [kind, id] = [destination.slice(0, Math.max(at, 0)), destination.slice(at + 2)];
  switch (kind) {
    case "ivr":
      return menu === undefined ? `menu ${id}, which does not exist` : `menu “${menu}” (${id})`;
    case "extension":
    case "agent": {
      const name = agents?.with("eid", id)[0]?.name;
      return name === undefined ? `extension ${id}` : `${name} (extension ${id})`;
    }
    case "hangup":
      return "the end of the call";
    case "":
      return destination;
    default:
      return `${kind} ${id}`;
  }
}
