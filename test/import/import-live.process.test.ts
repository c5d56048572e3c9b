import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isLocked } from "../support/file-log.ts";
import { folder } from "../support/cli.ts";
import { payload } from "../support/import.ts";
import { project, service, until } from "../support/project.ts";

const count = 20;

/** A project for a service with many menus that link to each other. */
async function takingOver(...faults: string[]) {
  const records = Array.from({ length: count }, (_, at) => ({
    at: "2026-01-02T03:04:05Z",
    payload: {
      ...payload,
      name: `Menu ${at + 1}`,
      destination: ["extension||500101", `ivr||${at === 0 ? count : at}`],
    },
  }));
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const dataFile = join(folder({ "records.jsonl": text }), "records.jsonl");
  const sandbox = await service({ operations: ["list"], dataFile, faults });
  const newProject = project(sandbox.url, {}, { operations: ["list"] });
  const files = () =>
    existsSync(join(newProject.path, "ivrs"))
      ? readdirSync(join(newProject.path, "ivrs")).filter((name) => name.endsWith(".yaml"))
      : [];
  return { ...newProject, files, sandbox };
}

test("after a kill while the files are written, a second run finishes the job", async () => {
  const newProject = await takingOver();
  const killed = newProject.start("import", "--live");
  await until(() => newProject.files().length > 0);
  killed.child.kill("SIGKILL");
  await killed.finished;
  const { exit, stderr } = await newProject.run("import", "--live");
  expect(exit).toBe(0);
  expect(stderr).toMatch(/^Recorded \d+ menus? in the state|^Nothing to import: /m);
  expect(newProject.files()).toHaveLength(count);
  const plan = await newProject.json("plan");
  expect(plan.value).toMatchObject({ changes: [], summary: { unchanged: count } });
  // Nothing was sent to the service.
  expect(newProject.sandbox.records).toHaveLength(count);
});

test("an interrupted import releases the lock and writes nothing", async () => {
  const newProject = await takingOver("silence on=list");
  const run = newProject.start("import", "--live");
  await until(() => run.said().includes("Environment test"));
  run.child.kill("SIGINT");
  const { exit, stdout, stderr } = await run.finished;
  expect({ exit, stdout }).toEqual({ exit: 130, stdout: "" });
  expect(stderr).toContain("Interrupted. Nothing was written or recorded.");
  expect(stderr).not.toContain("IVR503");
  expect(newProject.files()).toEqual([]);
  expect(isLocked(newProject.path)).toBe(false);
});
