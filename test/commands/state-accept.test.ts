import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";
import { codes, lockElsewhere } from "../support/state.ts";

async function withoutStateFile() {
  const { url, requests } = await service();
  const own = project(url, { a: menu("A"), b: menu("B") });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  own.write("ivrs/c.yaml", menu("C"));
  const saved = await own.run("plan", "--out", "plan.json");
  expect(saved.exit).toBe(0);
  const state = join(own.path, ".ivrctl/state/test.json");
  rmSync(state);
  const creates = () => requests.filter(({ method }) => method === "POST").length;
  return { ...own, state, creates };
}

test("without its state file, a journal is read with a warning and nothing is created on it", async () => {
  const { run, json, creates } = await withoutStateFile();
  for (const args of [["plan"], ["state", "list"], ["state", "show", "a"]]) {
    const { exit, stderr } = await run(...args);
    expect([args, exit]).toEqual([args, 0]);
    expect(stderr).toMatch(/^warning.*IVR629/m);
    expect(stderr).toMatch(/--> \.ivrctl\/state\/test\.json$/m);
    expect(stderr).not.toContain("nothing is lost");
  }
  for (const args of [
    ["apply", "--auto-approve"],
    ["apply", "plan.json"],
    ["state", "mv", "a", "d"],
    ["state", "forget", "a", "--auto-approve"],
  ]) {
    const { exit, value } = await json(...args);
    expect([args, exit]).toEqual([args, 1]);
    expect(codes(value)).toEqual(["IVR629"]);
  }
  expect(creates()).toBe(2);
});

test("state accept is asked once, and a saved plan is still good afterwards", async () => {
  const { run, json, state, creates } = await withoutStateFile();
  const { exit, stdout, stderr } = await run("state", "accept");
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: "",
    stderr:
      "Accepted: event 5 is the newest one of test. .ivrctl/state/test.json is written again.\n",
  });
  expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({ serial: 5 });
  const again = await json("state", "accept");
  expect(again).toMatchObject({
    exit: 0,
    value: { environment: "test", accepted: false, serial: 5, diagnostics: [] },
  });
  expect(await run("apply", "plan.json")).toMatchObject({ exit: 0 });
  expect(creates()).toBe(3);
});

test("each problem of the state is shown at the file that it is about", async () => {
  const { run, json, path, state } = await withoutStateFile();
  expect((await run("state", "accept")).exit).toBe(0);
  const journal = join(path, ".ivrctl/state/test.journal.jsonl");
  const text = readFileSync(journal, "utf8");
  writeFileSync(journal, text.replaceAll("\n", "\r\n"));
  const windows = await run("plan");
  expect(windows.exit).toBe(1);
  expect(windows.stderr).toMatch(/--> \.ivrctl\/state\/test\.journal\.jsonl:1$/m);
  const { value } = await json("plan");
  expect(value.diagnostics).toMatchObject([
    { code: "IVR603", file: ".ivrctl/state/test.journal.jsonl", line: 1, column: 1 },
  ]);
  expect(Object.keys(value.diagnostics[0])).not.toContain("precision");
  writeFileSync(journal, text);
  lockElsewhere(path);
  const locked = await run("apply", "--auto-approve");
  expect([locked.exit, locked.stderr]).toEqual([
    4,
    expect.stringMatching(/--> \.ivrctl\/state\/test\.lock$/m),
  ]);
  const other = await run("unlock", "another");
  expect(other.stderr).toMatch(/--> \.ivrctl\/state\/test\.lock$/m);
  rmSync(join(path, ".ivrctl/state/test.lock"));
  writeFileSync(state, readFileSync(state, "utf8").replace(/"version": \d+/, '"version": 99'));
  const newer = await run("plan");
  expect(newer.stderr).toMatch(/--> \.ivrctl\/state\/test\.json\n.*npm install -g ivrctl@latest/);
});
