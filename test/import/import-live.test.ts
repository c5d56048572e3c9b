import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { payload } from "../support/import.ts";
import { folder } from "../support/cli.ts";
import { type ServiceOptions, menu, project, service } from "../support/project.ts";
import { eventsIn, isLocked } from "../support/file-log.ts";
import { codesIn, endLock, lockElsewhere } from "../support/state.ts";
import { runs } from "../support/runs.ts";

/** A project without menus, for a service on which somebody has created these payloads. */
async function console(
  payloads: readonly object[],
  { operations = ["list", "update"], ...options }: ServiceOptions = {},
) {
  const at = "2026-01-02T03:04:05Z";
  const records = payloads.map((body) => `${JSON.stringify({ at, payload: body })}\n`);
  const dataFile = join(folder({ "records.jsonl": records.join("") }), "records.jsonl");
  const sandbox = await service({ operations, dataFile, ...options });
  const own = project(sandbox.url, {}, { operations: [...operations] });
  const files = () => {
    const path = join(own.path, "ivrs");
    return existsSync(path) ? readdirSync(path).sort() : [];
  };
  return { ...own, url: sandbox.url, menus: () => sandbox.records, files };
}

/** Runs `import --live`. Returns the files that it wrote, and what it prints about menus that it skips. */
async function takeOver(own: Pick<ReturnType<typeof project>, "run">, ...names: string[]) {
  const ended = await own.run("import", "--live", ...names);
  const skipped = [...ended.stderr.matchAll(/\[IVR664\]: The menu (.*?) is not imported\. (.*)/g)];
  return {
    ...ended,
    written: ended.stdout.split("\n").slice(0, -1),
    skipped: skipped.map(([, menu, reason]) => `${menu}: ${reason}`),
  };
}

async function expectNothingToDo(own: Pick<ReturnType<typeof project>, "json">, unchanged: number) {
  const { exit, value } = await own.json("plan", "--detailed-exitcode");
  expect(value).toMatchObject({ changes: [], summary: { unchanged } });
  expect(exit).toBe(0);
}

test("many menus that link to each other in a circle are taken over, and a second run does nothing", async () => {
  const count = runs(200);
  const menus = Array.from({ length: count }, (_, at) => ({
    ...payload,
    name: `Menu ${at + 1}`,
    destination: ["extension||500101", `ivr||${at === 0 ? count : at}`],
  }));
  const own = await console(menus);
  const { exit, written, stderr } = await takeOver(own);
  expect(exit).toBe(0);
  expect(written).toHaveLength(count);
  expect(codesIn({ stderr })).toEqual([]);
  expect(stderr).toContain(`Recorded ${count} menus in the state of test, with their ids.\n`);
  expect(own.files()).toHaveLength(count);
  expect(readFileSync(join(own.path, "ivrs/menu-1.yaml"), "utf8")).toContain(
    `2: { menu: menu-${count} }`,
  );
  await expectNothingToDo(own, count);
  const events = own.journal().length;
  const again = await takeOver(own);
  expect(again).toMatchObject({ exit: 0, stdout: "", skipped: [] });
  expect(again.stderr).toContain(`Nothing to import: ${count} menus already on record.\n`);
  expect(own.journal()).toHaveLength(events);
  expect(own.files()).toHaveLength(count);
  // Nothing was sent to the service.
  expect(own.menus()).toHaveLength(count);
});

test("nothing is imported while an outcome is unknown", async () => {
  const own = await console([payload], { faults: ["cut name=Night times=1 created=yes"] });
  own.configure({ operations: [] });
  own.write("ivrs/night.yaml", menu("Night"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(3);
  own.configure({ operations: ["list"] });
  rmSync(join(own.path, "ivrs/night.yaml"));
  const { exit, stdout, stderr } = await own.run("import", "--live");
  expect([exit, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    "Nothing is imported. The outcome of the last request or the id is unknown: night.",
  );
  expect(own.files()).toEqual([]);
});

test("one of several menus with the same name is imported by its id, with the menus around it", async () => {
  const link = { ...payload, name: "Around", destination: ["ivr||1", "extension||500102"] };
  const own = await console([payload, payload, link], { operations: ["list"] });
  expect(await takeOver(own)).toMatchObject({ written: ["ivrs/around.yaml"] });
  expect(readFileSync(join(own.path, "ivrs/around.yaml"), "utf8")).toContain(
    '{ kind: ivr, id: "1" }',
  );
  const { written, skipped } = await takeOver(own, "2");
  expect([written, skipped]).toEqual([["ivrs/front-desk.yaml"], []]);
  await expectNothingToDo(own, 2);
});

test("a menu that links to one that cannot be imported has its id, in any order of the list", async () => {
  const blocked = { ...payload, name: "Blocked", destination: ["extension||500105", "ivr||2"] };
  const before = { ...payload, name: "Before", destination: ["ivr||2", "extension||500101"] };
  const after = { ...before, name: "After" };
  const own = await console([before, blocked, after]);
  const { stdout, skipped } = await takeOver(own);
  expect(stdout).toBe("ivrs/after.yaml\nivrs/before.yaml\n");
  expect(skipped).toEqual(["2 “Blocked”: Meera Joshi is blocked and gets no calls."]);
  const texts = own.files().map((file) => readFileSync(join(own.path, "ivrs", file), "utf8"));
  for (const text of texts) expect(text).toContain('1: { kind: ivr, id: "2" }');
  await expectNothingToDo(own, 2);
});

test("a record of the list that is incomplete or invalid does not keep others from being imported", async () => {
  const agent = { destination_type: "extension", destination_id: "500101" };
  const complete = {
    id: 7,
    name: "Good",
    description: "About it",
    recording: 10,
    timeout: "05",
    invalid_retries: 2,
    invalid_retry_recording: "11",
    invalid_destination_type: "extension",
    invalid_destination: "500104",
    timeout_retry_recording: "12",
    timeout_recording: 13,
    timeout_dest_type: "extension",
    timeout_destination: "500104",
    timeout_retries: 2,
    ivr_menu: [{ option: "1", ...agent }],
  };
  const { timeout: _, ...withoutTimeout } = complete;
  const { invalid_destination: __, ...withoutDestination } = complete;
  const ivrs = [
    complete,
    { ...withoutTimeout, id: 8, name: "A" },
    { ...complete, id: 9, name: "B", timeout_recording: "" },
    { ...withoutDestination, id: 10, name: "C" },
    {
      ...complete,
      id: 11,
      name: "D",
      ivr_menu: [{ option: "2", destination_type: "", destination_id: "" }],
    },
    { ...complete, id: 12, name: "E", ivr_menu: [] },
    { ...complete, id: 13, name: "F", ivr_menu: "none" },
    { ...complete, id: 14, name: "G", ivr_menu: [{ option: "__proto__", ...agent }] },
    { name: "H" },
  ];
  const own = await console([], {
    faults: [`status=200 on=list body=${JSON.stringify({ ivrs }).replaceAll(" ", "\\u0020")}`],
  });
  const { exit, stdout, skipped } = await takeOver(own);
  expect([exit, stdout]).toEqual([0, "ivrs/good.yaml\n"]);
  const { keys } = (await own.json("state", "list")).value;
  expect(keys).toMatchObject([{ key: "good", current: { identified: { id: "7" } } }]);
  expect(skipped).toMatchInlineSnapshot(`
    [
      "10 “C”: The list has no value for its \`invalid_destination\`.",
      "11 “D”: The list has no value for its key 2.",
      "12 “E”: \`options\` is missing.",
      "13 “F”: ivrctl does not understand its record in the list: expected array, received string at "ivr_menu".",
      "14 “G”: This menu has no options.",
      "8 “A”: The list has no value for its \`timeout\`.",
      "9 “B”: The list has no value for its \`timeout_recording\`.",
      "“H”: ivrctl does not understand its record in the list: id is missing; ivr_menu is missing.",
    ]
  `);
  await expectNothingToDo(own, 1);
});

test("nothing is written without the lock, for another account, or if the list is refused", async () => {
  const own = await console([payload]);
  await own.run("state", "init");
  lockElsewhere(own.path);
  const locked = await takeOver(own);
  expect(locked).toMatchObject({ exit: 4, stdout: "" });
  expect(codesIn(locked)).toEqual(["IVR601"]);
  expect(own.files()).toEqual([]);
  endLock(own.path);

  expect((await own.run("import", "--live")).exit).toBe(0);
  const other = await console([payload, { ...payload, name: "Other" }]);
  expect((await takeOver(own)).stderr).toContain("Nothing to import: 1 menu already on record.\n");
  Object.assign(own.env, { BASE_URL: other.url });
  const wrong = await takeOver(own);
  expect(wrong).toMatchObject({ exit: 1, stdout: "" });
  expect(codesIn(wrong)).toEqual(["IVR606"]);
  expect(own.files()).toEqual(["front-desk.yaml"]);

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
  const own = await console([payload, { ...payload, name: "Sales" }], {
    // Somebody takes the lock away while the list is read, so that nothing can be recorded.
    onRequest: ({ path }) => {
      if (path === "/v1/ivrs" && own.files().length === 0) lockElsewhere(own.path);
    },
  });
  const { exit, stdout, stderr } = await own.run("import", "--live");
  expect(exit).toBe(1);
  expect(stdout).toBe("ivrs/front-desk.yaml\nivrs/sales.yaml\n");
  expect(stderr).toContain("The files are written, but the menus are not on record");
  endLock(own.path);
  const again = await takeOver(own);
  expect(again).toMatchObject({ exit: 0, stdout: "" });
  expect(again.stderr).toContain(
    "Already in the project, with the same content: front-desk, sales\nRecorded 2 menus",
  );
  await expectNothingToDo(own, 2);
});

test("a file that exists is not changed, and the menu gets another key", async () => {
  const own = await console([payload, { ...payload, name: "Sales" }]);
  mkdirSync(join(own.path, "ivrs/sales.yaml"), { recursive: true });
  expect((await takeOver(own)).stdout).toBe("ivrs/front-desk.yaml\nivrs/sales-2.yaml\n");
});

test("a menu whose file cannot be written is not recorded", async () => {
  const own = await console([payload]);
  writeFileSync(join(own.path, "ivrs"), "");
  const failed = await takeOver(own);
  expect(failed).toMatchObject({ exit: 1, stdout: "" });
  expect(codesIn(failed)).toContain("IVR121");
  rmSync(join(own.path, "ivrs"));
  expect((await takeOver(own)).stdout).toBe("ivrs/front-desk.yaml\n");
  await expectNothingToDo(own, 1);
});

test("names from the service cannot control the terminal, and their texts stay texts", async () => {
  const name = "Sales\u001b[2J {{x}} | ../../etc";
  const own = await console([{ ...payload, name, description: "# not: a comment\n\u202e" }]);
  const { exit, stdout, stderr } = await own.run("import", "--live");
  expect(exit).toBe(0);
  expect(stdout).toBe("ivrs/sales-2j-x-etc.yaml\n");
  expect(stderr).not.toContain("\u001b[2J");
  await expectNothingToDo(own, 1);
  writeFileSync(join(own.path, "ivrs/sales-2j-x-etc.yaml"), menu("Another"));
  const skipped = await own.run("import", "--live", name);
  expect(skipped.stderr).not.toContain("\u001b[2J");
});
