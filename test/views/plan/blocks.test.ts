import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/deploy/plan/plan.ts";
import type { Compared } from "../../../src/deploy/plan/compare.ts";
import { confirmed } from "../../../src/deploy/state/records.ts";
import { blocksOf, changesOf, singleBlocks } from "../../../src/views/plan/blocks.ts";
import { planText } from "../../../src/views/plan/text.ts";
import { runs } from "../../support/runs.ts";
import { made, outlookOf, plain } from "./comparison.ts";
import { commandText } from "../../../src/util/suggest.ts";

const fields = ["timeout", "timeout_tries", "incorrect_count", "recording"] as const;
type Field = (typeof fields)[number];

/** A menu whose fields get these values. */
function changed(key: string, values: Partial<Record<Field, string>>): Compared {
  const before = made({ ...plain, name: key });
  const after = { ...before, payload: { ...before.payload, ...values } };
  return { action: "replace", key, name: key, before, after, movedFrom: null };
}

const keys = ["a", "b", "c", "d", "e"];

/** Each block in one line: its menus, and what changes. */
function outline(changes: readonly Compared[]): string[] {
  return blocksOf(outlookOf(changes)).map((block) => {
    const lines = block.details.map(({ label, text }) => `${label} ${text}`).join("; ");
    const who = block.kind === "menu" ? [block.change] : block.members;
    return `${who.map(({ key }) => key).join(",")}: ${lines}`;
  });
}

describe("blocks of a plan", () => {
  test("show a change that is the same in several menus once", () => {
    expect(outline(keys.map((key) => changed(key, { timeout: "7" })))).toEqual([
      "a,b,c,d,e: waits for a key 5 → 7",
    ]);
  });

  test("show a menu that changes more on its own, first", () => {
    const changes = keys.map((key) =>
      changed(key, { timeout: "7", ...(key === "d" && { incorrect_count: "9" }) }),
    );
    expect(outline(changes)).toEqual([
      "d: asks again after a wrong key 2 times → 9 times; waits for a key 5 → 7 (the same in 5 menus)",
      "a,b,c,d,e: waits for a key 5 → 7",
    ]);
  });

  test("show two overlapping changes as two groups, the smaller first", () => {
    const changes = keys.map((key, at) =>
      changed(key, { timeout: "7", ...(at < 3 && { incorrect_count: "9" }) }),
    );
    expect(outline(changes)).toEqual([
      "a,b,c: asks again after a wrong key 2 times → 9 times",
      "a,b,c,d,e: waits for a key 5 → 7",
    ]);
  });

  test("do not group menus with different notes", () => {
    const led = keys.map((key, at): Change => {
      const content = made({ ...plain, name: key });
      const how = { how: "answered", status: 200, message: "" } as const;
      const before = confirmed({ ...content, action: "create" }, "2026-03-02T09:00:00Z", how);
      const after = { ...made({ ...plain, name: key }), digest: "other" };
      return {
        action: "replace",
        key,
        name: key,
        before,
        after: { ...after, payload: { ...after.payload, timeout: "7" } },
        movedFrom: null,
        ...(at < 3 && { ledBy: ["main"] }),
      };
    });
    const state = { lineage: null, serial: 0, head: "" };
    const rest = { address: "", state, unchanged: 0, named: [], followUps: [] };
    const plan = { environment: "test", changes: led, ...rest };
    const notes = blocksOf({ kind: "plan", plan }).map((block) =>
      block.kind === "menu"
        ? `${block.change.key}: ${block.details.at(-1)?.text}`
        : `${block.members.map(({ key }) => key).join(",")}: ${block.notes[0]?.text}`,
    );
    expect(notes).toEqual([
      "d: A new menu is created. Callers reach the old one until someone points the phone number at the new one.",
      "e: A new menu is created. Callers reach the old one until someone points the phone number at the new one.",
      "a,b,c: New menus are created. Callers reach the old ones until the menus that lead to them are replaced too.",
    ]);
  });

  test("show two menus one by one", () => {
    expect(outline(["a", "b"].map((key) => changed(key, { timeout: "7" })))).toHaveLength(2);
  });

  test("show menus one by one if each also changes in its own way", () => {
    const changes = keys.map((key, at) =>
      changed(key, { timeout: "7", incorrect_count: String(at + 3) }),
    );
    expect(outline(changes)).toHaveLength(5);
  });

  test("do not group agents that only have the same name", () => {
    const to = (key: string, eid: string): Compared => {
      const before = made({ ...plain, name: key });
      const after = made({ ...plain, name: key }, eid);
      // The name of the agent is the same, whatever the extension is.
      const agents = after.naming.agents.map((agent) => ({ ...agent, name: "Ravi" }));
      const content = { ...after, naming: { ...after.naming, agents } };
      return { action: "replace", key, name: key, before, after: content, movedFrom: null };
    };
    const blocks = outline(keys.map((key) => to(key, key === "c" ? "8" : "9")));
    expect(blocks).toEqual([
      "c: key 1 (Sales) Asha1 → Ravi",
      "a,b,d,e: key 1 (Sales) Asha1 → Ravi",
    ]);
  });

  test("group new menus only if they are the same except for their names", () => {
    const create = (key: string, eid?: string): Compared => ({
      action: "create",
      key,
      name: key,
      after: made({ ...plain, name: key }, eid),
    });
    const blocks = outline([...keys.map((key) => create(key)), create("f", "3")]);
    expect(blocks.map((line) => line.split(":")[0])).toEqual(["f", "a,b,c,d,e"]);
  });

  test("never hide a difference", () => {
    const value = fc.constantFrom(undefined, "7", "8", "9");
    const menus = fc.array(fc.tuple(value, value, value, value), { maxLength: 12 });
    fc.assert(
      fc.property(menus, (rows) => {
        const changes = rows.flatMap((row, at) => {
          const values = fields.flatMap((field, column) =>
            row[column] === undefined ? [] : [[field, row[column]] as const],
          );
          return values.length === 0 ? [] : [changed(`m${at}`, Object.fromEntries(values))];
        });
        const outlook = outlookOf(changes);
        const blocks = blocksOf(outlook);
        expect(new Set(changesOf(blocks))).toEqual(new Set(changes));
        for (const { change, details } of singleBlocks(outlook)) {
          const own = blocks.find((block) => block.kind === "menu" && block.change === change);
          const groups = blocks.filter(
            (block) => block.kind === "group" && block.members.includes(change),
          );
          const shown = (own === undefined ? groups : [own]).flatMap((block) =>
            block.details.map(({ label, text }) => `${label} ${text.replace(/ \(the same.*/, "")}`),
          );
          expect(shown.toSorted()).toEqual(
            details.map(({ label, text }) => `${label} ${text}`).toSorted(),
          );
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("a long plan", () => {
  const look = {
    style: (_: unknown, text: string) => text,
    command: commandText,
    columns: 80,
    room: 80,
  };
  const many = (count: number) =>
    outlookOf(
      Array.from({ length: count }, (_, at) =>
        changed(`m${String(at).padStart(3, "0")}`, { timeout: String(at + 100) }),
      ),
    );
  const lines = (count: number, options: { summary?: boolean; verbose?: boolean } = {}) =>
    planText(many(count), { ...look, summary: false, verbose: false, ...options })
      .changes.trimEnd()
      .split("\n");

  test("is a summary with one line for each menu from 31 blocks on", () => {
    expect(lines(30)[0]).toBe("~ changed  m000  “m000”");
    expect(lines(31)).toHaveLength(1 + 31 + 2);
    expect(lines(31)[1]).toBe("~ changed  m000  m000  waits for a key");
    expect(lines(31).at(-1)).toBe("Use --verbose to see each menu on its own.");
  });

  test("is complete with --verbose, and a summary without a hint with --summary", () => {
    const heads = lines(200, { verbose: true }).filter((line) => line.startsWith("~"));
    expect(heads).toHaveLength(200);
    expect(lines(2, { summary: true })).toEqual([
      "ACTION     KEY   NAME  CHANGES",
      "~ changed  m000  m000  waits for a key",
      "~ changed  m001  m001  waits for a key",
    ]);
  });

  test("lists at most twelve keys of a group, and counts the others", () => {
    const same = (count: number) =>
      outlookOf(Array.from({ length: count }, (_, at) => changed(`m${at}`, { timeout: "7" })));
    const text = (count: number) =>
      planText(same(count), { ...look, columns: 200, summary: false, verbose: false }).changes;
    expect(text(12)).not.toContain("more");
    expect(text(12)).not.toContain("--verbose");
    expect(text(40)).toContain("m8, m9, and 30 more\n");
    expect(text(40)).toContain("Use --verbose to see each menu on its own.");
  });
});
