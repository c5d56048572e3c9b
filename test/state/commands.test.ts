import { describe, expect, test } from "vitest";
import { sessionOf } from "./conformance.ts";
import { bindIntent } from "./events.ts";
import { ivrctl } from "../support/commands.ts";
import { fileStore, isLocked } from "../support/file-log.ts";
import { applied, lastOf, replaced, threeUnknown } from "../support/state.ts";

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

describe("a question", () => {
  /** Runs a command for a person who types these answers at a terminal of 80 columns. */
  async function typing(cwd: string, args: readonly string[], ...typed: string[]) {
    const { exit, stdout } = await ivrctl(args, { cwd, typed });
    return { exit, screen: stdout };
  }

  test('of state rm accepts only "yes"', async () => {
    const { path, journal } = await applied();
    const before = journal();
    const no = await typing(path, ["state", "rm", "sales"], "y");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("sales  “Sales”, created ");
    expect(no.screen).toContain("The service keeps the menu");
    expect(no.screen).toContain("Nothing was deleted.");
    const interrupted = await typing(path, ["state", "rm", "sales"], "^C");
    expect(interrupted.exit).toBe(130);
    // A question that was not answered leaves no lock.
    expect(isLocked(path)).toBe(false);
    expect(journal()).toEqual(before);
    expect((await typing(path, ["state", "rm", "sales"], "yes")).exit).toBe(0);
    expect(lastOf(journal())).toMatchObject({ kind: "dropped", key: "sales" });
  });

  test("of state resolve is about each unknown menu", async () => {
    const { journal, path } = await threeUnknown();
    const before = journal();
    const { exit, screen } = await typing(
      path,
      ["state", "resolve"],
      "Created",
      "perhaps",
      "n",
      "",
    );
    expect(exit).toBe(0);
    expect(screen.replace(/\s+/g, " ")).toMatch(
      /1 of 3: c “C”, create sent: [^“]* UTC answer: HTTP 200, .* key 1: Asha Rao .* look for: “C” on the console,/,
    );
    expect(screen).toContain("Type one of created, absent, skip");
    expect(screen).toContain("c: resolved as created.");
    expect(screen).toContain("shops/a: resolved as not created; the next plan offers it again.");
    expect(screen).not.toContain("shops/b: recorded");
    const added = journal().slice(before.length);
    expect(added.map(({ event }) => event)).toMatchObject([
      { kind: "outcome", key: "c", as: "done" },
      { kind: "outcome", key: "shops/a", as: "not-done" },
    ]);
    expect(isLocked(path)).toBe(false);
  });

  test("of state resolve can be skipped, and Ctrl-C keeps the answers before it", async () => {
    const { journal, path } = await threeUnknown();
    const before = journal().length;
    const skipped = await typing(path, ["state", "resolve"], "s", "skip", "");
    expect(skipped.exit).toBe(0);
    expect(skipped.screen).toContain("Nothing was recorded.");
    expect(journal()).toHaveLength(before);
    const interrupted = await typing(path, ["state", "resolve"], "yes", "^C");
    expect(interrupted.exit).toBe(130);
    expect(interrupted.screen).toContain("Interrupted. Your answers so far are recorded.");
    expect(journal().slice(before)).toMatchObject([{ event: { key: "c", as: "done" } }]);
    expect(isLocked(path)).toBe(false);
    expect((await typing(path, ["state", "resolve"], "created", "created")).screen).toContain(
      "2 of 2: shops/b",
    );
    expect(journal()).toHaveLength(before + 3);
  });

  test("of state resolve is asked once for a pattern", async () => {
    const { path, journal } = await threeUnknown();
    const before = journal();
    const args = ["state", "resolve", "shops/*", "--absent"];
    const no = await typing(path, args, "no");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("shops/a  “A”, sent ");
    expect(no.screen).toContain(
      "Record in the state of test that the console does not show these 2 menus?",
    );
    expect(no.screen).toContain("Nothing was recorded.");
    expect(journal()).toEqual(before);
    expect((await typing(path, args, "yes")).exit).toBe(0);
    expect(journal()).toHaveLength(before.length + 2);
    // Nothing is asked about a key that is named.
    expect((await typing(path, ["state", "resolve", "c", "--absent"])).exit).toBe(0);
    const { screen } = await typing(path, ["state", "resolve"]);
    expect(screen).toContain("The state of test has no menu with an unknown outcome.");
  });

  test("of state done lists the follow-ups of a pattern", async () => {
    const { path, journal, id } = await replaced();
    const before = journal();
    const no = await typing(path, ["state", "done", "s*"], "");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain(`${id}  sales  “Sales” created `);
    expect(no.screen).toContain("Continue only if the old menu is out of service.");
    expect(journal()).toEqual(before);
    expect((await typing(path, ["state", "done", "s*"], "yes")).exit).toBe(0);
    expect(lastOf(journal())).toMatchObject({ kind: "done", follow_up: id });
  });
});

test("state history fits 80 columns without losing text", async () => {
  const { path, run } = await applied();
  const evidence = `${"seen on the console by two of us ".repeat(8)}END`;
  await run("state", "resolve", "night", "--absent", "--evidence", evidence);
  const { stdout } = await ivrctl(["state", "history"], { cwd: path, columns: 80 });
  const lines = stdout.trimEnd().split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(stdout.replace(/\s+/g, " ")).toContain(evidence);
});
