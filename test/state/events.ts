import { MenuSchema } from "../../src/schema/menu-record.ts";
import type { Menu } from "../../src/model/menu.ts";
import { outcomeEvent } from "../../src/deploy/state/records.ts";
import { type RecordedOutcome, type StateEvent } from "../../src/schema/state.ts";

export const begun = (environment: string, id = "L1"): StateEvent => ({
  kind: "begun",
  version: 8,
  id,
  environment,
  address: "https://pbx.example",
});

/** A menu with names. */
export const made = (name: string): { menu: Menu } => {
  const other = { kind: "agent", eid: "102" } as const;
  return {
    menu: MenuSchema.parse({
      name,
      description: "",
      recording: { id: "r1", alias: "welcome" },
      options: [
        {
          key: "1",
          for: "Sales",
          destination: { kind: "agent", eid: "101", name: "Asha", reference: { agent: "Asha" } },
        },
      ],
      "invalid.retries": "3",
      "invalid.recording": { id: "r2" },
      "invalid.destination": other,
      "timeout.wait": "5",
      "timeout.retries": "2",
      "timeout.retry_recording": { id: "r3" },
      "timeout.recording": { id: "r4" },
      "timeout.destination": other,
    }),
  };
};

export const intent = (
  key: string,
  action: "create" | "replace" | "update" | "delete" = "create",
  name = key,
  listed?: readonly string[],
): StateEvent => ({
  kind: "intent",
  key,
  action,
  ...made(name),
  ...(listed && { listed }),
  until: "2026-01-01T00:01:00.000Z",
});

/** The answer to a request. Most tests send their first one with event 2. */
const answer =
  (action: RecordedOutcome["action"], as: "done" | "not-done" | "unknown") =>
  (key: string, intent = 2): StateEvent =>
    outcomeEvent(
      { intent, key, action },
      { how: "answer", as, status: 200, message: as === "unknown" ? "no answer" : "ok" },
    );

export const created = answer("create", "done");
export const replaced = answer("replace", "done");
export const updated = answer("update", "done");
export const deleted = answer("delete", "done");
export const failed = answer("create", "not-done");
export const unknown = answer("create", "unknown");

/** The id of a key's current record, or of a follow-up's record. */
export const identified = (
  key: string,
  id: string,
  followUp: string | null = null,
): StateEvent => ({
  kind: "identified",
  key,
  follow_up: followUp,
  id,
  how: "person",
  evidence: "read on the console",
});

const number = "+912241234567";

/** A request that lets a phone number point to the menu with this id. */
export const bindIntent = (key: string, id = "71"): StateEvent => ({
  kind: "intent",
  key,
  number,
  action: "bind",
  id: "901",
  before: null,
  after: { kind: "menu", id },
  until: "2026-01-01T00:01:00.000Z",
});

export const bindOutcome = (
  as: "done" | "not-done" | "unknown",
  key: string,
  intent: number,
): StateEvent =>
  outcomeEvent(
    { intent, key, number, action: "bind" },
    { how: "answer", as, status: null, message: "" },
  );
