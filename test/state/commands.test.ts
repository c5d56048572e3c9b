import { expect, test } from "vitest";
import { sessionOf } from "./conformance.ts";
import { bindIntent } from "./events.ts";
import { fileStore } from "../support/file-log.ts";
import { applied, replaced } from "../support/state.ts";

test("state show prints the same JSON for a key as state list, with the follow-ups of its keys", async () => {
  const { json } = await replaced();
  const all = (await json("state", "list")).value;
  const { value } = await json("state", "show", "night", "sales");
  expect(value.menus).toEqual([all.menus[1], all.menus[2]]);
  expect(value.follow_ups).toEqual(all.follow_ups);
  expect((await json("state", "show", "night")).value.follow_ups).toEqual([]);
});

test("state resolve records what became of a phone number that the account does not have any more", async () => {
  const { path, run } = await applied();
  await run("state", "resolve", "sales=71", "--created", "--evidence", "read on the console");
  const session = await sessionOf(fileStore(path));
  await session.append(bindIntent("sales"));
  await session.close();
  const resolve = "ivrctl state resolve +912241234567 --absent --env test";
  expect((await run("state", "show", "sales")).stdout).toContain(resolve);
  const { stdout } = await run("state", "resolve", "+91 22 4123 4567", "--absent");
  expect(stdout).toBe(
    "sales: +91 22 4123 4567: resolved as not bound; the next plan offers it again.\n",
  );
  expect((await run("state", "show", "sales")).stdout).not.toContain("4567");
  expect((await run("state", "resolve", "+912241234567", "--absent")).exit).toBe(1);
});

test("state history follows a moved menu back to its earlier keys", async () => {
  const { json, run } = await applied();
  const before = (await json("state", "history", "sales")).value.entries;
  await run("state", "mv", "sales", "between");
  await run("state", "mv", "between", "shop");
  // Another menu gets the old key.
  expect((await run("state", "mv", "front-desk", "sales")).exit).toBe(0);
  const { entries } = (await json("state", "history", "shop")).value;
  expect(entries.slice(0, -2)).toEqual(before);
  expect(entries.slice(-2)).toMatchObject([
    { event: { kind: "moved", key: "between", from: "sales" } },
    { event: { kind: "moved", key: "shop", from: "between" } },
  ]);
});
