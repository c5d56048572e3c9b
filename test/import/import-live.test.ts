import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { payload } from "../support/import.ts";
import { folder } from "../support/cli.ts";
import { type ServiceOptions, menu, project, service } from "../support/project.ts";
import { eventsIn, isLocked } from "../support/file-log.ts";
import { codesIn, endLock, lockElsewhere } from "../support/state.ts";

/** A project without menus, for a service on which somebody has created these payloads. */
async function console(
  payloads: readonly object[],
  { operations = ["list", "update"], ...options }: ServiceOptions = {},
) {
  const at = "2026-01-02T03:04:05Z";
  const records = payloads.map((body) => `${JSON.stringify({ at, payload: body })}\n`);
  const dataFile = join(folder({ "records.jsonl": records.join("") }), "records.jsonl");
  const sandbox = await service({ operations, dataFile, ...options });
  const newProject = project(sandbox.url, {}, { operations: [...operations] });
  const files = () => {
    const path = join(newProject.path, "ivrs");
    return existsSync(path) ? readdirSync(path).sort() : [];
  };
  return { ...newProject, url: sandbox.url, menus: () => sandbox.records, files };
}

/** Runs `import --live`. Returns the files that it wrote, and what it prints about menus that it skips. */
async function takeOver(newProject: Pick<ReturnType<typeof project>, "run">, ...names: string[]) {
  const ended = await newProject.run("import", "--live", ...names);
  const skipped = [...ended.stderr.matchAll(/\[IVR664\]: Not imported: (.*?)\. (.*)/g)];
  return {
    ...ended,
    written: ended.stdout.split("\n").slice(0, -1),
    skipped: skipped.map(([, menu, reason]) => `${menu}: ${reason}`),
  };
}

async function expectNothingToDo(
  newProject: Pick<ReturnType<typeof project>, "json">,
  unchanged: number,
) {
  const { exit, value } = await newProject.json("plan", "--detailed-exitcode");
  expect(value).toMatchObject({ changes: [], summary: { unchanged } });
  expect(exit).toBe(0);
}

// The golden cases in test/cases/import show what is imported and what is skipped.
test("nothing is written without the lock, for another account, or if the list is refused", async () => {
  const newProject = await console([payload]);
  await newProject.run("state", "init");
  lockElsewhere(newProject.path);
  const locked = await takeOver(newProject);
  expect(locked).toMatchObject({ exit: 4, stdout: "" });
  expect(codesIn(locked)).toEqual(["IVR601"]);
  expect(newProject.files()).toEqual([]);
  endLock(newProject.path);

  expect((await newProject.run("import", "--live")).exit).toBe(0);
  const other = await console([payload, { ...payload, name: "Other" }]);
  expect((await takeOver(newProject)).stderr).toContain(
    "Nothing to import: 1 menu already recorded.\n",
  );
  Object.assign(newProject.env, { BASE_URL: other.url });
  const wrong = await takeOver(newProject);
  expect(wrong).toMatchObject({ exit: 1, stdout: "" });
  expect(codesIn(wrong)).toEqual(["IVR606"]);
  expect(newProject.files()).toEqual(["front-desk.yaml"]);

  const refusing = await console([payload], { faults: ["status=403 on=list"] });
  const refused = await takeOver(refusing);
  expect(refused).toMatchObject({ exit: 1, stdout: "" });
  expect(codesIn(refused)).toEqual(["IVR503"]);
  expect(refused.stderr).not.toContain("Recorded");
  expect(refusing.files()).toEqual([]);
  expect(eventsIn(refusing.path).split("\n")).toHaveLength(2);
  expect(isLocked(refusing.path)).toBe(false);
});

test("files without a record are recorded by the next run, as they are", async () => {
  const newProject = await console([payload, { ...payload, name: "Sales" }], {
    // Somebody takes the lock away while the list is read, so that nothing can be recorded.
    onRequest: ({ path }) => {
      if (path === "/v1/ivrs" && newProject.files().length === 0) lockElsewhere(newProject.path);
    },
  });
  const { exit, stdout, stderr } = await newProject.run("import", "--live");
  expect(exit).toBe(1);
  expect(stdout).toBe("ivrs/front-desk.yaml\nivrs/sales.yaml\n");
  expect(stderr).toContain("The files are written, but the menus are not recorded");
  endLock(newProject.path);
  const again = await takeOver(newProject);
  expect(again).toMatchObject({ exit: 0, stdout: "" });
  expect(again.stderr).toContain(
    "Already in the project, with the same content: front-desk, sales\nRecorded 2 menus",
  );
  await expectNothingToDo(newProject, 2);
});

test("a file that exists is not changed, and the menu gets another key", async () => {
  const newProject = await console([payload, { ...payload, name: "Sales" }]);
  mkdirSync(join(newProject.path, "ivrs/sales.yaml"), { recursive: true });
  expect((await takeOver(newProject)).stdout).toBe("ivrs/front-desk.yaml\nivrs/sales-2.yaml\n");
});

test("a menu whose file cannot be written is not recorded", async () => {
  const newProject = await console([payload]);
  writeFileSync(join(newProject.path, "ivrs"), "");
  const failed = await takeOver(newProject);
  expect(failed).toMatchObject({ exit: 1, stdout: "" });
  expect(codesIn(failed)).toContain("IVR121");
  rmSync(join(newProject.path, "ivrs"));
  expect((await takeOver(newProject)).stdout).toBe("ivrs/front-desk.yaml\n");
  await expectNothingToDo(newProject, 1);
});

test("names from the service cannot control the terminal, and their texts stay texts", async () => {
  const name = "Sales\u001b[2J {{x}} | ../../etc";
  const newProject = await console([{ ...payload, name, description: "# not: a comment\n\u202e" }]);
  const { exit, stdout, stderr } = await newProject.run("import", "--live");
  expect(exit).toBe(0);
  expect(stdout).toBe("ivrs/sales-2j-x-etc.yaml\n");
  expect(stderr).not.toContain("\u001b[2J");
  await expectNothingToDo(newProject, 1);
  writeFileSync(join(newProject.path, "ivrs/sales-2j-x-etc.yaml"), menu("Another"));
  const skipped = await newProject.run("import", "--live", name);
  expect(skipped.stderr).not.toContain("\u001b[2J");
});
