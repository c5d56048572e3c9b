import { worldsOf } from "../../src/deploy/plan/worlds.ts";
import { State } from "../../src/deploy/state/state.ts";
import type { Action } from "../../src/deploy/plan/changes/actions.ts";
import type { Change } from "../../src/deploy/plan/changes/changes.ts";
import type { Plan } from "../../src/deploy/plan/plan.ts";
import type { Menu } from "../../src/model/menu.ts";
import { Patterns } from "../../src/util/patterns.ts";
import { confirmed } from "../../src/deploy/state/records.ts";
import type { Confirmed } from "../../src/schema/state.ts";

interface Names {
  readonly name: string;
  readonly agent: string;
  readonly purpose: string;
  readonly alias: string;
}

export const plain: Names = { name: "Desk", agent: "Asha", purpose: "Sales", alias: "welcome" };

/** A menu with these names wherever a user can write a name. */
export function made({ name, agent, purpose, alias }: Names, eid = "1"): Menu {
  const recording = { id: "7", alias };
  const other = { kind: "agent", eid: "2", name: agent, reference: {} } as const;
  return {
    name,
    description: purpose,
    recording,
    options: [
      {
        key: "1",
        for: purpose,
        destination: { kind: "agent", eid, name: `${agent}${eid}`, reference: {} },
      },
      { key: "2", destination: { ...other, reference: { team: purpose } } },
    ],
    "invalid.retries": "2",
    "invalid.recording": recording,
    "invalid.destination": other,
    "timeout.wait": "5",
    "timeout.retries": "2",
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": other,
  };
}

/** A change with only what is given. */
export function change(action: Action, key: string, fields: Partial<Change> = {}): Change {
  const none = { webhooks: [], waitsFor: [], bind: [] };
  const name = (fields.after ?? fields.before?.menu)?.name ?? key;
  return {
    ref: `menu:${key}`,
    key,
    name,
    action,
    vars: new Map(),
    ...none,
    ...fields,
  };
}

/** A recorded menu. */
function recorded(content: Menu, id?: string): Confirmed {
  const how = { how: "answered", status: 200, message: "" } as const;
  const record = confirmed({ menu: content }, "2026-03-02T09:00:00Z", how);
  return id === undefined
    ? record
    : { ...record, identified: { id, how: "list", evidence: null, at: "", by: "" } };
}

/** A change of a menu from one content to another. */
export function changed(key: string, before: Menu, after: Menu): Change {
  return change("update", key, { before: recorded(before), after });
}

/** A plan with these changes. */
export function planWith(changes: readonly Change[], environment = "test"): Plan {
  const desired = changes.map(({ key, after }) => ({ key, content: after }));
  const knownState = new State();
  return {
    environment,
    seen: { lists: {}, agents: undefined },
    worlds: worldsOf({ state: knownState, lists: {}, agents: undefined, desired, steps: [] }),
    address: "https://telephony.example",
    state: { id: null, serial: 0, head: "" },
    changes,
    held: [],
    knownState,
    unchanged: 3,
    followUps: [],
    steps: [],
    desired,
    can: { operations: new Set(), allowed: new Set(), targets: new Patterns([]) },
  };
}

/** One change of each kind, with these names in all of them. */
export function everyChange(names: Names): Change[] {
  return [
    change("create", "a", { after: made(names) }),
    change("delete", "b", { before: recorded(made(names)) }),
    change("move", "c", { before: recorded(made(names)), after: made(names), movedFrom: "d" }),
    changed("e", made(names), made(names, "3")),
  ];
}
