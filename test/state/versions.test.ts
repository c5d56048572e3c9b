import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { HeaderSchema, SnapshotContent } from "../../src/deploy/state/log/block.ts";
import { rescueIn } from "../../src/deploy/state/rescue-files.ts";
import { readHistoryFile } from "../../src/deploy/state/transfer.ts";
import type { Since } from "../../src/schema/formats.ts";
import { rows } from "../../src/schema/fields.ts";
import { RescueSchema } from "../../src/schema/rescue.ts";
import { later } from "../../src/schema/since.ts";
import { EntrySchema, type StateEvent } from "../../src/schema/state.ts";
import { MemoryBlocks, MemoryLog, openStore } from "../support/memory-log.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

/**
 * What every released format has. If this test fails, you added something to a state or a rescue file
 * without `since: FORMAT` or `added(FORMAT, …)`, or changed what was there. A line of this list never
 * changes.
 */
const released = new Map([[8, "112c40dcc4999fbc"]]);

test.each([...released])("format %i has not changed", (format, digest) => {
  const kept = [HeaderSchema, EntrySchema, SnapshotContent, RescueSchema];
  const schemas = kept.map((one) => asOf(format, z.toJSONSchema(one, { metadata: later })));
  expect(digestOf(schemas)).toBe(digest);
});

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/**
 * A JSON Schema without what was added after a format, and without the fields that say the format. Fields
 * have the names of that format. The order of the table of fields is no part of it.
 */
function asOf(format: number, schema: unknown): unknown {
  if (Array.isArray(schema)) {
    const items = schema
      .filter((one) => !isLater(format, one) && !formatNames.has(one))
      .map((one) => asOf(format, one));
    return items.every((one) => typeof one === "string") ? items.sort() : items;
  }
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema)
    .flatMap(([name, one]): [string, unknown][] => {
      if (formatNames.has(name)) return [];
      if (!isLater(format, one)) return [[name, asOf(format, one)]];
      const former = formerNames.get(name);
      const { since: _, ...before } = Object(one);
      return former === undefined ? [] : [[former, asOf(format, before)]];
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const { anyOf, ...left } = Object.fromEntries(fields);
  // An enumeration that has a later alternative.
  const only = Array.isArray(anyOf) && anyOf.length === 1 ? anyOf[0] : undefined;
  return only === undefined ? Object.fromEntries(fields) : { ...only, ...left };
}

const formerNames: ReadonlyMap<string, string> = new Map(
  rows.flatMap(([path, { formerly }]) => (formerly === undefined ? [] : [[path, formerly]])),
);
const formatNames: ReadonlySet<unknown> = new Set(["version", "needs"]);

function isLater(format: number, schema: unknown): boolean {
  return Object(schema).since > format;
}

/** The modules of an ivrctl whose menus have one more field, which came with the next format. */
async function nextVersion() {
  vi.resetModules();
  vi.doMock("../../src/schema/formats.ts", async (original) => ({
    ...(await original<object>()),
    firstReaders: { 9: "1.0.0", 10: "9.8.7" },
  }));
  const { fields, menuFields, rows } = await import("../../src/schema/fields.ts");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is the next format
  const since = 10 as number as Since;
  const row = { ...fields.description, optional: true, since, wire: "later" } as const;
  Object.assign(fields, { "extra.later": row });
  Object.assign(rows, [...rows, ["extra.later", row]]);
  Object.assign(menuFields, [...menuFields, "extra.later"]);
  const next = {
    ...(await import("../support/memory-log.ts")),
    ...(await import("./conformance.ts")),
    ...(await import("../../src/deploy/state/transfer.ts")),
  };
  vi.doUnmock("../../src/schema/formats.ts");
  return next;
}

/** An intent with a value for the later field. */
function withLater(event: StateEvent): StateEvent {
  return "menu" in event
    ? { ...event, menu: { ...event.menu, "extra.later": "1" } as never }
    : event;
}

describe("what the next version writes", () => {
  let next: Awaited<ReturnType<typeof nextVersion>>;
  beforeEach(async () => (next = await nextVersion()));
  // Other test files share the modules.
  afterEach(() => vi.resetModules());

  /** Adds the events of the next version to a state that this one began, and reads it with this one. */
  async function writtenByNext(...events: readonly StateEvent[]) {
    const blocks = new MemoryBlocks();
    const session = await sessionOf(openStore(new MemoryLog(blocks)));
    await session.append(begun("production"));
    await session.close();
    const store = next.openStore(new next.MemoryLog(blocks));
    const later = await next.sessionOf(store, "run-2");
    await later.append(...events);
    await later.close();
    return { blocks, file: next.historyFile(await store.history()) };
  }

  test("is read if nothing in it is new", async () => {
    const { blocks, file } = await writtenByNext(intent("a"), created("a"));
    const store = openStore(new MemoryLog(blocks));
    expect((await store.read()).notes).toEqual([]);
    expect(readHistoryFile(Buffer.from(file), "a.jsonl")).toHaveLength(3);
    const session = await sessionOf(store, "run-3");
    await session.append(intent("b"));
    await session.close();
    const again = next.openStore(new next.MemoryLog(blocks));
    expect((await again.read()).state.serial).toBe(4);
  });

  test("is refused if something in it is new, and not changed", async () => {
    const { blocks, file } = await writtenByNext(withLater(intent("a")), created("a"));
    const before = [...blocks.blocks.values()].map(String);
    const store = () => openStore(new MemoryLog(blocks));
    const refused = {
      code: "IVR602",
      message:
        "block 5 has format 10, but this ivrctl reads only formats 8 to 9. Nothing was changed.",
      hint: expect.stringMatching(/^Use ivrctl 9\.8\.7 or later /),
    };
    await expect(store().read()).rejects.toMatchObject(refused);
    await expect(store().history()).rejects.toMatchObject(refused);
    await expect(store().lock(claim("run-3"))).rejects.toMatchObject(refused);
    await expect(store().unlock("run-2")).rejects.toMatchObject(refused);
    expect([...blocks.blocks.values()].map(String)).toEqual(before);
    const { message: _, ...ofFile } = refused;
    expect(() => readHistoryFile(Buffer.from(file), "a.jsonl")).toThrow(
      expect.objectContaining({
        ...ofFile,
        message: expect.stringMatching(/^a\.jsonl has format 10/),
      }),
    );
    expect(next.readHistoryFile(Buffer.from(file), "a.jsonl")).toHaveLength(3);
    const again = next.openStore(new next.MemoryLog(blocks));
    expect((await again.read()).state.serial).toBe(3);
  });

  test("is a snapshot that has no effect if the blocks can be read", async () => {
    const { blocks } = await writtenByNext(withLater(intent("a")), created("a"));
    const { snapshot } = blocks;
    const { blocks: readable } = await writtenByNext(intent("a"), created("a"));
    readable.snapshot = snapshot;
    const { state, notes } = await openStore(new MemoryLog(readable)).read();
    expect(state.serial).toBe(3);
    expect(notes).toMatchObject([{ code: "IVR605" }]);
  });
});

test("a rescue file of a newer format is refused", () => {
  const text = JSON.stringify({ rescue: 2, version: 10, needs: "9.8.7", later: [] });
  expect(() => rescueIn(text, "r.json")).toThrow(
    expect.objectContaining({ code: "IVR602", hint: expect.stringContaining("ivrctl 9.8.7") }),
  );
});
