import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { encodeLine, link, takeLine } from "../../src/deploy/state/entries.ts";
import { HeaderSchema, SnapshotContent } from "../../src/deploy/state/log/block.ts";
import { State } from "../../src/deploy/state/state.ts";
import { type Entry, EntrySchema, stateVersion } from "../../src/schema/state.ts";
import { begun, intent } from "./events.ts";

/**
 * What every version can write. If this test fails, increase `stateVersion` and add a line, because an older
 * ivrctl must not read what it does not know. The line of a version that was released never changes.
 */
const written = new Map([
  [6, "735f90d69adcecc4"],
  [7, "76a458697a126769"],
  [8, "b29e841f91fb64a6"],
]);

test("a state with other fields has another version", () => {
  const schemas = [HeaderSchema, EntrySchema, SnapshotContent].map((one) => z.toJSONSchema(one));
  const digest = createHash("sha256").update(JSON.stringify(schemas)).digest("hex").slice(0, 16);
  expect(written.get(stateVersion)).toBe(digest);
});

/** Reads an event that was changed before its sum was made. */
function read(change: (event: Record<string, unknown>) => object): void {
  const [state, about] = [new State(), { at: "", run: "r", by: "b" }];
  const first: Entry = { seq: 1, ...about, event: begun("test") };
  takeLine(encodeLine(link("", first)).trimEnd(), state, "block 1");
  const event = JSON.parse(JSON.stringify(change({ ...intent("a") })));
  takeLine(encodeLine(link(state.head, { seq: 2, ...about, event })).trimEnd(), state, "block 2");
}

const inMenu = (fields: object) => (event: Record<string, unknown>) => ({
  ...event,
  menu: { ...Object(event["menu"]), ...fields },
});

test.each<[string, (event: Record<string, unknown>) => object]>([
  ["a field of an event", (event) => ({ ...event, later: 1 })],
  ["a field of a menu", inMenu({ "extra.later": "1" })],
  [
    "a field of a destination",
    inMenu({ "invalid.destination": { kind: "agent", eid: "1", later: 1 } }),
  ],
  ["a kind of destination", inMenu({ "invalid.destination": { kind: "later", id: "1" } })],
  ["a kind of event", () => ({ kind: "later", key: "a" })],
])("%s that a newer ivrctl wrote is no damage", (_, change) => {
  expect(() => read((event) => event)).not.toThrow();
  expect(() => read(change)).toThrow(expect.objectContaining({ code: "IVR602" }));
});

test.each<[string, (event: Record<string, unknown>) => object]>([
  ["a field that is missing", ({ menu: _, ...event }) => event],
  ["a value of another type", inMenu({ name: 7 })],
])("%s is damage", (_, change) => {
  expect(() => read(change)).toThrow(expect.not.objectContaining({ code: "IVR602" }));
});
