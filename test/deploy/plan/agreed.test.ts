import { expect, test } from "vitest";
import { agreement } from "../../../src/deploy/plan/agreed.ts";
import { LiveMenus } from "../../../src/deploy/plan/live.ts";
import { menuReference } from "../../../src/schema/wire.ts";
import { History, made, payload } from "./histories.ts";

const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;

/** The service lists menu 7 with this timeout. Everything else is as on record. */
function live(timeout: string): LiveMenus {
  const fields = { name: "Desk", timeout, recording: "10" };
  const menus = [{ id: "7", name: "Desk", fields, destinations: {}, options: [] }];
  return new LiveMenus(menus, [], settings, "2026-01-01T18:05:00.000Z");
}

const record = payload("Desk", "1", { option: [], destination: [] });
const known = () => new History().created("desk", record).identified("desk", "7");
const kinds = (file: typeof record, history = known(), timeout = "9") =>
  [agreement("desk", made(file), history.state, live(timeout))].flat().map(({ kind }) => kind);

test("a change on the console that the file says too is recorded", () => {
  expect(kinds({ ...record, timeout: "9" })).toEqual(["changed-on-console"]);
});

test.each([
  ["the file says something else", { ...record, timeout: "8" }],
  ["the file is as on record", record],
  [
    "the file also changes the kind of a recording",
    { ...record, timeout: "9", recording: "x||10" },
  ],
  [
    "the id of a menu that it leads to is not known",
    { ...record, timeout: "9", option: ["1"], destination: [menuReference("sales")] },
  ],
])("nothing is recorded if %s", (_, file) => {
  expect(kinds(file)).toEqual([]);
});

test("nothing is recorded for a menu that the service does not show as changed", () => {
  const file = { ...record, timeout: "9", recording: "x||10" };
  expect(kinds(file, known(), "5")).toEqual([]);
  expect(kinds({ ...record, timeout: "9" }, new History().created("desk", record))).toEqual([]);
  expect(kinds({ ...record, timeout: "9" }, known().unknown("desk", record))).toEqual([]);
});
