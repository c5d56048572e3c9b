import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileStore } from "../../src/deploy/state/file/store.ts";
import { locked, sessionOf } from "../deploy/state/conformance.ts";
import { historyOf, mark } from "../deploy/state/conformance-filling.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { begun, intent } from "../deploy/state/events.ts";
import { menu, namesOf, project, service } from "../support/project.ts";
import { atTerminal, codes, codesIn, lockElsewhere } from "../support/state.ts";
import { testHost } from "../support/host.ts";

/** A project with two applied menus, and the history in state.jsonl. */
async function pulled() {
  const { url, records } = await service();
  const own = project(url, { "front-desk": menu("Front desk"), night: menu("Night") });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  expect((await own.run("state", "pull", "--out", "state.jsonl")).exit).toBe(0);
  const folder = join(own.path, ".ivrctl/state");
  return { ...own, records, folder, store: new FileStore(folder, "test", testHost()) };
}

/** The same project after its state was lost and a push was interrupted. */
async function interrupted({ sealed = false } = {}) {
  const own = await pulled();
  const history = await own.store.history();
  rmSync(own.folder, { recursive: true });
  const { session } = await locked(own.store, "run-1", { accepts: ["filling"] });
  const command = "ivrctl state push state.jsonl --env test";
  await session.fill({ ...mark, command, source: "state.jsonl" });
  await session.copy(sealed ? history : history.slice(0, 2));
  if (sealed) await session.seal(history.at(-1)?.head ?? "");
  await session.close();
  return own;
}

describe("a state that an interrupted push left incomplete", () => {
  test("is refused by every command with a hint how to finish or discard it", async () => {
    const own = await interrupted();
    for (const args of [
      ["plan"],
      ["apply", "--auto-approve"],
      ["state", "list"],
      ["state", "show", "night"],
      ["state", "history"],
      ["state", "resolve", "night", "--created"],
      ["state", "done", "F1"],
      ["state", "rm", "night", "--auto-approve"],
      ["state", "mv", "night", "day"],
      ["state", "pull", "--out", "again.jsonl"],
    ]) {
      const { exit, stderr } = await own.run(...args);
      expect([args, exit, codesIn({ stderr })]).toEqual([args, 1, ["IVR677"]]);
      expect(stderr).toContain("Finish the copy with `ivrctl state push state.jsonl --env test`");
      expect(stderr).toContain("discard it:\n      ivrctl state discard --env test");
    }
    const doctor = await own.run("doctor");
    expect(doctor.exit).toBe(1);
    expect(doctor.stdout + doctor.stderr).toContain("ivrctl state discard --env test");
    expect((await own.run("completion", "bash")).exit).toBe(0);
    expect(namesOf(own.records)).toEqual(["Front desk", "Night"]);
  });

  test("is completed by the same push, and nothing is created twice", async () => {
    const own = await interrupted();
    const pushed = await own.run("state", "push", "state.jsonl");
    expect(pushed.exit).toBe(0);
    expect(pushed.stderr).toBe("Added 5 events. The state of test is now at event 5.\n");
    expect((await own.json("plan")).value.changes).toEqual([]);
    expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
    expect(namesOf(own.records)).toEqual(["Front desk", "Night"]);
    expect(readdirSync(own.folder).sort()).toEqual(["test.journal.jsonl", "test.json"]);
  });

  test("is not completed by a push of another file, which may be older", async () => {
    const own = await interrupted();
    const text = readFileSync(join(own.path, "state.jsonl"), "utf8");
    own.write("older.jsonl", text.slice(0, text.indexOf("\n") + 1));
    own.write("copy.jsonl", text);
    for (const file of ["older.jsonl", "copy.jsonl"]) {
      const pushed = await own.run("state", "push", file);
      expect([pushed.exit, codesIn(pushed)]).toEqual([1, ["IVR677"]]);
    }
    expect((await own.run("state", "push", "state.jsonl")).exit).toBe(0);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("is completed without copying again if everything was copied", async () => {
    const own = await interrupted({ sealed: true });
    const refused = await own.run("state", "discard", "--auto-approve");
    expect([refused.exit, codesIn(refused)]).toEqual([1, ["IVR677"]]);
    expect(refused.stderr).toContain("ivrctl state push state.jsonl --env test");
    expect(refused.stderr).not.toContain("discard it");
    expect((await own.run("state", "push", "state.jsonl")).stderr).toContain("now at event 5.");
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("is discarded after a confirmation, which restores the state from before", async () => {
    const own = await interrupted();
    const unasked = await own.run("state", "discard");
    expect([unasked.exit, unasked.stderr.includes("--auto-approve")]).toEqual([1, true]);
    const no = await atTerminal(own.path, ["state", "discard"], "no\n");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("ivrctl state push state.jsonl --env test");
    expect((await own.run("plan")).stderr).toContain("IVR677");
    const done = await own.run("state", "discard", "--auto-approve");
    expect(done).toMatchObject({ exit: 0, stdout: "" });
    expect(done.stderr).toBe(
      "Discarded what `ivrctl state push state.jsonl --env test` had copied. The state of test at .ivrctl/state/test.json is as it was before.\n",
    );
    const again = await own.run("state", "discard", "--auto-approve");
    expect([again.exit, again.stderr.includes("Nothing to discard")]).toEqual([0, true]);
    expect((await own.json("plan")).value.state).toMatchObject({ serial: 0 });
    expect((await own.run("state", "push", "state.jsonl")).exit).toBe(0);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("never leads to a plan from only some of 1,200 pushed events, however the push ends", async () => {
    const own = await pulled();
    const events = Array.from({ length: 1200 }, (_, at) => intent(`k${at}`));
    const long = historyOf([
      { ...begun("test"), address: own.env.BASE_URL } as StateEvent,
      ...events,
    ]);
    const lines = long.map(({ text, head }) => `{"sum":"${head}",${text.slice(1)}`.concat("\n"));
    own.write("long.jsonl", lines.join(""));
    for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
      rmSync(own.folder, { recursive: true, force: true });
      const { child, finished } = own.start("state", "push", "long.jsonl");
      const isStaging = () =>
        readdirSync(join(own.path, ".ivrctl"), { recursive: true }).some((name) =>
          String(name).endsWith(".filling"),
        );
      while (!isStaging() && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      child.kill(signal);
      const { exit, stderr } = await finished;
      const { value } = await own.json("plan");
      const serial = value.state?.serial;
      if (serial !== 1201) {
        expect(codes(value)).toEqual(["IVR677"]);
        if (signal !== "SIGKILL") {
          expect(exit).toBe(130);
          expect(stderr).toContain("discard it:\n      ivrctl state discard --env test");
        }
      }
      expect((await own.run("state", "push", "long.jsonl")).exit).toBe(0);
      expect((await own.json("plan")).value.state).toMatchObject({ serial: 1201 });
    }
  });
});

describe("unlock", () => {
  test("releases the lock of a dead run on this machine", async () => {
    const own = await pulled();
    const lock = join(own.folder, "test.lock");
    const session = await sessionOf(own.store, "job-17");
    const living = JSON.parse(readFileSync(lock, "utf8"));
    await session.close();
    const leave = (more: object = {}) =>
      writeFileSync(lock, JSON.stringify({ ...living, pid: 4_194_304, ...more }));
    leave();
    const other = await own.run("unlock", "job-16");
    expect(other.exit).toBe(1);
    expect(other.stderr).toContain("ivrctl unlock job-17 --env test");
    expect(readdirSync(own.folder)).toContain("test.lock");
    const { exit, stdout } = await own.run("unlock", "job-17");
    expect(exit).toBe(0);
    expect(stdout).toContain("Released the lock of job-17@example");
    expect(readdirSync(own.folder)).not.toContain("test.lock");
    leave({ command: "state migrate --to '${STATE_URL}' --schema team" });
    const migration = await own.run("unlock", "job-17");
    expect(migration.stderr).toContain("A migration also locks its target.");
    expect(migration.stderr).toContain(
      "  ivrctl unlock job-17 --to '${STATE_URL}' --schema team --env test\n",
    );
  });

  test("releases a lock in another store with --to", async () => {
    const own = await pulled();
    const config = readFileSync(join(own.path, "ivrctl.yaml"), "utf8");
    // A database that need not exist.
    own.write("ivrctl.yaml", `${config}    state: { backend: postgres, url: "\${NOT_SET}" }\n`);
    lockElsewhere(own.path);
    const other = await own.run("unlock", "abc", "--to", "file");
    expect(other.stderr).toContain("IVR601");
    expect(other.stderr).toContain("ivrctl unlock abc123 --to file --env test");
    expect((await own.run("unlock", "abc123", "--to", "file")).stdout).toContain("lock abc123");
    for (const [words, why] of [
      [["--to", "postgresql://me:hunter2@db/d"], "without a password"],
      [["--schema", "x"], "schema -> to"],
    ] as const) {
      const { exit, stderr } = await own.run("unlock", "abc123", ...words);
      expect([exit, stderr.includes(why), stderr.includes("hunter2")]).toEqual([1, true, false]);
    }
  });
});
