import { type Menu, mapDestinations } from "../../src/model/menu.ts";
import { decodePayload } from "../../src/deploy/service/decode-payload.ts";
import { outcomeEvent } from "../../src/deploy/state/records.ts";
import { planFrom } from "../../src/deploy/plan/plan-project.ts";
import type { Plan } from "../../src/deploy/plan/plan.ts";
import type { WantedMenu } from "../../src/deploy/plan/decided.ts";
import type { Lists } from "../../src/deploy/listed/read-account.ts";
import { Patterns } from "../../src/util/patterns.ts";
import { type Linked, link } from "../../src/deploy/state/entries.ts";
import { State, type StateView } from "../../src/deploy/state/state.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { type Permission, operationNames } from "../../src/schema/operations.ts";
import { type StateEvent } from "../../src/schema/state.ts";
import type { Payload } from "../../src/schema/wire.ts";
import { menuRecord } from "../../src/deploy/state/view.ts";

/** The menu of a payload. Each agent has its extension as its name. */
function made(payload: Payload): Menu {
  return mapDestinations(decodePayload(payload, "0"), (to) =>
    to.kind === "agent" ? { ...to, name: `extension ${to.eid}`, reference: { eid: to.eid } } : to,
  );
}

/** A state and the events that made it. */
export class History {
  readonly state = new State();
  last!: Linked;
  #seq = 0;

  constructor() {
    this.happened({
      kind: "begun",
      version: 8,
      id: "L",
      environment: "test",
      address: "sandbox",
    });
  }

  happened(event: StateEvent): this {
    this.#seq += 1;
    const at = new Date(1_800_000_000_000 + this.#seq * 1000).toISOString();
    const next = { seq: this.#seq, at, run: "r", by: "asha", event };
    this.last = link(this.state.head, next);
    this.state.take(next, this.last.head);
    return this;
  }

  /** Adds a request without an outcome. */
  sent(key: string, content: Payload): this {
    const action = menuRecord(this.state, key)?.current ? "replace" : "create";
    const until = "2027-01-15T08:00:30.000Z";
    return this.happened({ kind: "intent", key, action, menu: made(content), until });
  }

  created(key: string, content: Payload): this {
    const { pending } = menuRecord(this.sent(key, content).state, key) ?? {};
    if (!pending) throw new Error(`${key} is not pending`);
    const how = { how: "answer", as: "done", status: 200, message: "OK" } as const;
    return this.happened(outcomeEvent(pending, how));
  }

  identified(key: string, id: string): this {
    const learned = { follow_up: null, id, how: "list", evidence: null } as const;
    return this.happened({ kind: "identified", key, ...learned });
  }
}

interface File {
  readonly payload: Payload;
  readonly numbers: readonly string[];
}

/** Plans these files against a state. */
export function planFor(
  { state }: { readonly state: StateView },
  files: Readonly<Record<string, File>>,
  targets: readonly string[] = [],
  lists: Lists = {},
  allowed: readonly Permission[] = [],
): Plan {
  const menus = Object.entries(files).map(([key, { payload, numbers }]): WantedMenu => {
    const content = { ...made(payload), ...(numbers.length > 0 && { numbers }) };
    const source = new Source(`ivrs/${key}.yaml`, "name: N\n");
    return {
      key,
      content,
      movedFrom: undefined,
      onChange: undefined,
      vars: new Map(),
      at: () => source.span(0, 4),
    };
  });
  const operations = new Set(lists.menus ? operationNames : []);
  const can = { operations, allowed: new Set(allowed), targets: new Patterns(targets) };
  const about = { environment: "test", address: "sandbox", agents: undefined };
  return planFrom({ ...about, menus, state, lists, can }, new Diagnostics());
}
