import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change } from "../../src/deploy/plan/changes/changes.ts";
import { type Menu, mapDestinations } from "../../src/model/menu.ts";
import { callerLines } from "../../src/views/plan/caller-lines.ts";
import { callerRows } from "../../src/views/plan/rows.ts";
import { runs } from "../support/runs.ts";
import { changed, made, plain, planWith } from "./view-changes.ts";

const fields = ["timeout", "timeout_tries", "incorrect_count", "recording"] as const;
type Field = (typeof fields)[number];

/** A menu whose fields get these values. */
function edited(key: string, values: Partial<Record<Field, string>>): Change {
  const before = made({ ...plain, name: key });
  const { timeout, timeout_tries: tries, incorrect_count: count, recording } = values;
  return changed(key, before, {
    ...before,
    recording: recording === undefined ? before.recording : { id: recording },
    "invalid.retries": count ?? before["invalid.retries"],
    "timeout.wait": timeout ?? before["timeout.wait"],
    "timeout.retries": tries ?? before["timeout.retries"],
  });
}

const keys = ["a", "b", "c", "d", "e"];

/** Each row in one line: its menus, what changes, and the marks. */
function outline(changes: readonly Change[]): string[] {
  return callerRows(planWith(changes)).map(({ subject, lines, names }) => {
    const words = lines.map(({ text, mark }) => (mark === undefined ? text : `${text} [${mark}]`));
    return `${subject}${names.length > 0 ? ` (${names.join(",")})` : ""}: ${words.join("; ")}`;
  });
}

describe("rows of a plan", () => {
  test("let a variable stand only for what the name of the menu shows", () => {
    const to = (key: string, name: string, city: string, night: string): Change => {
      const named = (agent: string, eid: string): Menu => {
        const content = made({ ...plain, name }, eid);
        return mapDestinations(content, (to) =>
          to.kind === "agent" && to.eid === eid ? { ...to, name: agent } : to,
        );
      };
      const change = changed(key, named(`Desk ${city}`, `1${key}`), named(night, `2${night}`));
      return { ...change, vars: new Map(Object.entries({ city, night })) };
    };
    const changes = [
      to("a", "Agra", "Agra", "Bar Agra"),
      to("b", "Goa", "Goa", "Bar Goa"),
      to("c", "Pune", "Pune", "Bar Pune"),
      to("d", "Jaipur", "Jaipur", "Bar Goa"),
      to("e", "Mumbai", "Agra", "Bar Agra"),
    ];
    expect(outline(changes)).toEqual([
      "3 menus (Agra,Goa,Pune): key 1 (Sales): Desk {{city}} → Bar {{city}}",
      "Jaipur: key 1 (Sales): Desk Jaipur → Bar Goa [differs from the other 3]",
      "Mumbai: key 1 (Sales): Desk Agra → Bar Agra [differs from the other 3]",
    ]);
  });

  test("do not group agents that only have the same name", () => {
    const to = (key: string, eid: string): Change => {
      const after = made({ ...plain, name: key }, eid);
      const content = mapDestinations(after, (to) =>
        to.kind === "agent" ? { ...to, name: "Ravi" } : to,
      );
      return changed(key, made({ ...plain, name: key }), content);
    };
    const rows = outline(keys.map((key) => to(key, key === "c" ? "8" : "9")));
    expect(rows).toEqual([
      "4 menus (a,b,d,e): key 1 (Sales): Asha1 → Ravi",
      "c: key 1 (Sales): Asha1 → Ravi [differs from the other 4]",
    ]);
  });

  test("never hide a difference", () => {
    const value = fc.constantFrom(undefined, "6", "8", "9");
    const menus = fc.array(fc.tuple(value, value, value, value), { maxLength: 12 });
    fc.assert(
      fc.property(menus, (rows) => {
        const changes = rows.flatMap((row, at) => {
          const values = fields.flatMap((field, column) =>
            row[column] === undefined ? [] : [[field, row[column]] as const],
          );
          return values.length === 0 ? [] : [edited(`m${at}`, Object.fromEntries(values))];
        });
        const shown = callerRows(planWith(changes));
        for (const change of changes) {
          const rows = shown.filter((one) => one.changes.includes(change));
          expect(rows.flatMap(({ lines }) => lines.map(({ text }) => text)).sort()).toEqual(
            callerLines(change, new Map())
              .map(({ text }) => text)
              .sort(),
          );
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
