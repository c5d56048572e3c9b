import { type StateEvent, stateVersion } from "../../src/schema/state.ts";

export const begun = (environment: string, id = "L1"): StateEvent => ({
  kind: "begun",
  version: stateVersion,
  id,
  environment,
  address: "https://pbx.example",
});

/** A payload with its digest and names. */
export const made = (name: string) => ({
  payload: {
    name,
    description: "",
    recording: "r1",
    timeout: 5,
    option: [1],
    destination: ["101"],
    incorrect_count: 3,
    invalid_recording: "r2",
    invalid_destination: "102",
    timeout_retry_recording: "r3",
    timeout_recording: "r4",
    timeout_destination: "102",
    timeout_tries: 2,
  },
  digest: `digest of ${name}`,
  naming: {
    agents: [{ place: "key 1", eid: "101", name: "Asha", reference: { agent: "Asha" } }],
    recordings: { r1: "welcome" },
    purposes: { "1": "Sales" },
  },
});

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

export const created = (key: string): StateEvent => ({
  kind: "created",
  key,
  status: 200,
  message: "ok",
});

export const updated = (key: string): StateEvent => ({
  kind: "updated",
  key,
  status: 200,
  message: "ok",
});

export const deleted = (key: string): StateEvent => ({
  kind: "deleted",
  key,
  status: 200,
  message: "ok",
});

export const unknown = (key: string): StateEvent => ({
  kind: "unknown",
  key,
  status: null,
  message: "no answer",
});

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

/** A request that points a phone number to the menu with the id 71. */
export const bindIntent = (key: string, after = "ivr||71"): StateEvent => ({
  kind: "bind-intent",
  key,
  number,
  id: "901",
  before: null,
  after,
  until: "2026-01-01T00:01:00.000Z",
});

export const bindOutcome = (
  kind: "bound" | "not-bound" | "bind-unknown",
  key: string,
): StateEvent => ({ kind, key, number, status: null, message: "" });

export const bindResolved = (
  key: string,
  as: "bound" | "not-bound",
  how: "person" | "list" = "list",
): StateEvent => ({
  kind: "bind-resolved",
  key,
  number,
  as,
  how,
  evidence: "it links to ivr||71",
});
