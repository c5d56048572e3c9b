import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change, MenuContent } from "../../../src/deploy/plan/plan.ts";
import { callerLines } from "../../../src/views/plan/lines.ts";
import { consequences } from "../../../src/views/plan/matters.ts";
import { callerRows } from "../../../src/views/plan/rows.ts";
import { runs } from "../../support/runs.ts";
import { change, changed, made, plain, recorded } from "./changes.ts";

const fields = ["timeout", "timeout_tries", "incorrect_count", "recording"] as const;
type Field = (typeof fields)[number];

/** A menu whose fields get these values. */
function edited(key: string, values: Partial<Record<Field, string>>): Change {
  const before = made({ ...plain, name: key });
  return changed(key, before, { ...before, payload: { ...before.payload, ...values } });
}

const keys = ["a", "b", "c", "d", "e"];

/** Each row in one line: its menus, what changes, and the marks. */
function outline(changes: readonly Change[], sizes = new Map<string, number>()): string[] {
  return callerRows(changes, sizes).map(({ subject, lines, isNamed, changes: own }) => {
    const words = lines.map(({ text, mark }) => (mark === undefined ? text : `${text} [${mark}]`));
    const names = isNamed ? ` (${own.map(({ key }) => key).join(",")})` : "";
    return `${subject}${names}: ${words.join("; ")}`;
  });
}

describe("rows of a plan", () => {
  test("show a change that is the same in several menus once", () => {
    expect(outline(keys.map((key) => edited(key, { timeout: "7" })))).toEqual([
      "5 menus (a,b,c,d,e): waits for a key: 5 → 7",
    ]);
  });

  test("show two menus one by one", () => {
    expect(outline(["a", "b"].map((key) => edited(key, { timeout: "7" })))).toHaveLength(2);
  });

  test("show what differs from a group right after it, and mark it", () => {
    const hotels = keys.map((key) => edited(`hotels/${key}`, { timeout: key === "c" ? "9" : "7" }));
    const sizes = new Map([["hotels", 5]]);
    expect(outline([...hotels, edited("main", { timeout: "8" })], sizes)).toEqual([
      "main: waits for a key: 5 → 8",
      "4 hotels: waits for a key: 5 → 7",
      "hotels/c: waits for a key: 5 → 9 [differs from the other 4]",
    ]);
  });

  test("name the menus of a group if they are only some of a folder", () => {
    const hotels = keys.map((key) => edited(`hotels/${key}`, { timeout: "7" }));
    expect(outline(hotels, new Map([["hotels", 6]]))).toEqual([
      "5 hotels (hotels/a,hotels/b,hotels/c,hotels/d,hotels/e): waits for a key: 5 → 7",
    ]);
  });

  test("group changes that are equal up to the menu's own variables", () => {
    const to = (key: string, city: string, agent: string): Change => {
      const named = (name: string, eid: string): MenuContent => {
        const content = made({ ...plain, name: key }, eid);
        const agents = content.naming.agents.map((one) =>
          one.place === "key 1" ? { ...one, name } : one,
        );
        return { ...content, naming: { ...content.naming, agents } };
      };
      const own = changed(key, named(`Reception ${city}`, `1${key}`), named(agent, `2${key}`));
      return { ...own, vars: new Map([["city", city]]) };
    };
    const changes = [
      to("a", "Agra", "Bar Agra"),
      to("b", "Goa", "Bar Goa"),
      to("c", "Pune", "Bar Pune"),
      to("d", "Jaipur", "Bar Goa"),
    ];
    expect(outline(changes)).toEqual([
      "3 menus (a,b,c): key 1 (Sales): Reception {{city}} → Bar {{city}}",
      "d: key 1 (Sales): Reception Jaipur → Bar Goa [differs from the other 3]",
    ]);
  });

  test("do not group agents that only have the same name", () => {
    const to = (key: string, eid: string): Change => {
      const after = made({ ...plain, name: key }, eid);
      const agents = after.naming.agents.map((agent) => ({ ...agent, name: "Ravi" }));
      const content = { ...after, naming: { ...after.naming, agents } };
      return changed(key, made({ ...plain, name: key }), content);
    };
    const rows = outline(keys.map((key) => to(key, key === "c" ? "8" : "9")));
    expect(rows).toEqual([
      "4 menus (a,b,d,e): key 1 (Sales): Asha1 → Ravi",
      "c: key 1 (Sales): Asha1 → Ravi [differs from the other 4]",
    ]);
  });

  test("show new menus that are the same except for their names once, with all names", () => {
    const create = (key: string, eid?: string) =>
      change("create", key, { after: made({ ...plain, name: key }, eid) });
    expect(outline([...keys.map((key) => create(key)), create("f", "3")])).toEqual([
      "5 menus (a,b,c,d,e): new: 1 Asha1, 2 Asha (Sales), wrong key and silence Asha",
      "f: new: 1 Asha3, 2 Asha (Sales), wrong key and silence Asha [differs from the other 5]",
    ]);
  });

  test("go from what callers reach on the console to what they reach after apply", () => {
    const before = made(plain);
    const drift = {
      differences: [{ field: "timeout", before: "5", after: "9" }],
      naming: { agents: [], recordings: {}, purposes: {} },
    };
    expect(
      outline([change("update", "a", { before: recorded(before), after: before, drift })]),
    ).toEqual(["Desk: waits for a key: 9 (set on the console) → 5"]);
  });

  test("leave out links whose menus only get new ids", () => {
    const linked = (destination: string, menus: Record<string, string>): MenuContent => {
      const content = made(plain);
      const payload = { ...content.payload, destination: [destination, "extension||2"] };
      return { ...content, payload, naming: { ...content.naming, menus } };
    };
    const own = changed("main", linked("ivr||7", { "7": "sales" }), linked("ivr||menu sales", {}));
    expect(callerLines(own)).toEqual([]);
    expect(consequences([own])).toEqual([own]);
    const other = changed(
      "main",
      linked("ivr||7", { "7": "sales" }),
      linked("ivr||menu shops", {}),
    );
    expect(callerLines(other)).toMatchObject([{ text: "key 1 (Sales): menu sales → menu shops" }]);
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
          return values.length === 0 ? [] : [edited(`m${at}`, Object.fromEntries(values))];
        });
        const shown = callerRows(changes, new Map());
        expect(shown.flatMap((row) => row.changes)).toHaveLength(changes.length);
        for (const own of changes) {
          const row = shown.find((one) => one.changes.includes(own));
          expect(row?.lines.map(({ text }) => text)).toEqual(
            callerLines(own).map(({ text }) => text),
          );
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
