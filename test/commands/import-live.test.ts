import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OperationName } from "../../src/schema/operations.ts";
import { payload } from "../support/import.ts";
import { folder } from "../support/cli.ts";
import { type ServiceOptions, menu, project, service } from "../support/project.ts";
import { lockElsewhere } from "../support/state.ts";
import { call } from "../sandbox/client.ts";
import { runs } from "../support/runs.ts";

const configWith = (operations: Iterable<OperationName>) => `version: 1
default_environment: test
rules: { zero-not-operator: off, renumbered: off, unreachable-menu: off }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300 }
    operations: [${[...operations].join(", ")}]
`;

/** A project without menus, for a service on which somebody has created these payloads. */
async function console(
  payloads: readonly object[],
  { operations = ["list", "update"], ...options }: ServiceOptions = {},
) {
  const at = "2026-01-02T03:04:05Z";
  const records = payloads.map((body) => `${JSON.stringify({ at, payload: body })}\n`);
  const dataFile = join(folder({ "records.jsonl": records.join("") }), "records.jsonl");
  const sandbox = await service({ operations, dataFile, ...options });
  const own = project(sandbox.url, {});
  own.write("ivrctl.yaml", configWith(operations));
  const files = () => {
    const path = join(own.path, "ivrs");
    return existsSync(path) ? readdirSync(path).sort() : [];
  };
  return { ...own, url: sandbox.url, menus: () => sandbox.records, files };
}

/** What `import --live` shows of the menus that it skips: the id and the reason. */
const skippedIn = (value: { skipped: readonly { id: string; reason: string }[] }) =>
  value.skipped.map(({ id, reason }) => `${id}: ${reason}`);

async function expectNothingToDo(own: Pick<ReturnType<typeof project>, "json">, unchanged: number) {
  const { exit, value } = await own.json("plan", "--detailed-exitcode");
  expect(value).toMatchObject({ changes: [], summary: { unchanged } });
  expect(exit).toBe(0);
}

test("many menus that lead to each other in a circle are taken over, and a second run does nothing", async () => {
  const count = runs(200);
  const menus = Array.from({ length: count }, (_, at) => ({
    ...payload,
    name: `Menu ${at + 1}`,
    destination: ["extension||500101", `ivr||${at === 0 ? count : at}`],
  }));
  const own = await console(menus);
  const { exit, value } = await own.json("import", "--live");
  expect(exit).toBe(0);
  expect(value).toMatchObject({ recorded: true, skipped: [], on_record: 0, diagnostics: [] });
  expect(value.files).toHaveLength(count);
  expect(own.files()).toHaveLength(count);
  expect(readFileSync(join(own.path, "ivrs/menu-1.yaml"), "utf8")).toContain(
    `2: { menu: menu-${count} }`,
  );
  await expectNothingToDo(own, count);
  const events = own.journal().length;
  const again = await own.json("import", "--live");
  expect(again.value).toMatchObject({ files: [], skipped: [], on_record: count });
  expect(own.journal()).toHaveLength(events);
  expect(own.files()).toHaveLength(count);
  // Nothing was sent to the service.
  expect(own.menus()).toHaveLength(count);
});

test("a menu whose outcome is unknown is not imported", async () => {
  const own = await console([], { faults: ["cut name=Night times=1 created=yes"] });
  own.write("ivrctl.yaml", configWith([]));
  own.write("ivrs/night.yaml", menu("Night"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(3);
  own.write("ivrctl.yaml", configWith(["list"]));
  rmSync(join(own.path, "ivrs/night.yaml"));
  const { exit, value } = await own.json("import", "--live");
  expect(exit).toBe(0);
  expect(value).toMatchObject({ files: [], on_record: 0 });
  expect(skippedIn(value)).toEqual([
    "1: The outcome of `night` is unknown, and this may be the menu that it created.",
  ]);
  expect(own.files()).toEqual([]);
});

test("menus on record are left alone, also old ones that are follow-ups", async () => {
  const own = await console([payload], { operations: ["list"] });
  own.write("ivrs/sales.yaml", menu("Sales"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  own.write("ivrs/sales.yaml", menu("Sales", "Front Desk"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  const { value } = await own.json("import", "--live");
  expect(value).toMatchObject({ on_record: 2, skipped: [], files: [{ key: "front-desk" }] });
  await expectNothingToDo(own, 2);
});

test("a menu with the name of one on record is skipped", async () => {
  const own = await console([], { operations: ["list"] });
  own.write("ivrs/sales.yaml", menu("Sales"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  const body = JSON.stringify({ ...payload, name: "Sales" });
  expect((await call(own.url, { body })).status).toBe(200);
  const { value } = await own.json("import", "--live");
  expect(skippedIn(value)).toEqual(["2: Several menus have this name: 1 (on record as sales), 2."]);
  // The file has another name by now, and the menu on the service has this one.
  own.write("ivrs/sales.yaml", menu("Front desk"));
  expect((await call(own.url, { body: JSON.stringify(payload) })).status).toBe(200);
  const named = await own.json("import", "--live", "Front desk");
  expect(named.exit).toBe(1);
  expect(skippedIn(named.value)).toEqual([
    "3: `sales` has the same name, and is on record as menu 1.",
  ]);
});

test("links to menus outside the project are ids", async () => {
  const own = await console([
    payload,
    { ...payload, name: "Shop", destination: ["ivr||1", "ivr||1"] },
  ]);
  const { value } = await own.json("import", "--live", "Shop");
  expect(value.files).toMatchObject([
    {
      key: "shop",
      unnamed: expect.arrayContaining([
        { field: "options.1", value: "ivr||1", reason: "this menu is not in the project" },
      ]),
    },
  ]);
  const written = readFileSync(join(own.path, "ivrs/shop.yaml"), "utf8");
  expect(written).toContain('1: { kind: ivr, id: "1" }');
  await expectNothingToDo(own, 1);
  expect((await own.json("import", "--live")).value.files).toMatchObject([{ key: "front-desk" }]);
  await expectNothingToDo(own, 2);
});

test("a menu that leads to one that cannot be imported has its id, in any order of the list", async () => {
  const blocked = { ...payload, name: "Blocked", destination: ["extension||500105", "ivr||2"] };
  const before = { ...payload, name: "Before", destination: ["ivr||2", "extension||500101"] };
  const after = { ...before, name: "After" };
  const own = await console([before, blocked, after]);
  const { value } = await own.json("import", "--live");
  expect(value.files).toMatchObject([{ key: "after" }, { key: "before" }]);
  expect(skippedIn(value)).toEqual(["2: Meera Joshi is blocked and gets no calls."]);
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
  const { exit, value } = await own.json("import", "--live");
  expect(exit).toBe(0);
  expect(value.files).toMatchObject([{ key: "good", id: "7" }]);
  expect(skippedIn(value)).toMatchInlineSnapshot(`
    [
      "8: The list does not show its \`timeout\`.",
      "9: Its \`timeout_recording\` is empty.",
      "10: The list does not show its \`invalid_destination\`.",
      "11: Its key 2 has no destination.",
      "12: A menu must have at least one option.",
      "14: An option cannot have the key \`__proto__\`.",
      "13: ivrctl does not understand its record in the list: expected array, received string at "ivr_menu".",
      "null: ivrctl does not understand its record in the list: expected string, received undefined at "id" or expected number, received undefined at "id"; expected array, received undefined at "ivr_menu".",
    ]
  `);
  await expectNothingToDo(own, 1);
});

test("nothing is written without the lock, for another account, or if the list is refused", async () => {
  const own = await console([payload]);
  mkdirSync(join(own.path, ".ivrctl/state"), { recursive: true });
  lockElsewhere(own.path);
  const locked = await own.json("import", "--live");
  expect(locked.exit).toBe(4);
  expect(locked.value).toMatchObject({ files: [], diagnostics: [{ code: "IVR601" }] });
  rmSync(join(own.path, ".ivrctl/state/test.lock"));

  expect((await own.run("import", "--live")).exit).toBe(0);
  const other = await console([payload, { ...payload, name: "Other" }]);
  const moved = await own.json("import", "--live");
  expect(moved.value.on_record).toBe(1);
  Object.assign(own.env, { BASE_URL: other.url });
  const wrong = await own.json("import", "--live");
  expect(wrong.exit).toBe(1);
  expect(wrong.value).toMatchObject({ files: [], diagnostics: [{ code: "IVR606" }] });
  expect(own.files()).toEqual(["front-desk.yaml"]);

  const refusing = await console([payload], { faults: ["status=403 on=list"] });
  const refused = await refusing.json("import", "--live");
  expect(refused.exit).toBe(1);
  expect(refused.value).toMatchObject({ recorded: false, diagnostics: [{ code: "IVR634" }] });
  expect(refusing.files()).toEqual([]);
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
  rmSync(join(own.path, ".ivrctl/state/test.lock"));
  const again = await own.json("import", "--live");
  expect(again.value.files).toMatchObject([
    { key: "front-desk", written: false },
    { key: "sales", written: false },
  ]);
  await expectNothingToDo(own, 2);
});

test("a file that exists is not changed, and the menu gets another key", async () => {
  const own = await console([payload, { ...payload, name: "Sales" }]);
  mkdirSync(join(own.path, "ivrs/sales.yaml"), { recursive: true });
  const { value } = await own.json("import", "--live");
  expect(value.files).toMatchObject([{ key: "front-desk" }, { key: "sales-2" }]);
});

test("a menu whose file cannot be written is not recorded", async () => {
  const own = await console([payload]);
  writeFileSync(join(own.path, "ivrs"), "");
  const { exit, value } = await own.json("import", "--live");
  expect(exit).toBe(1);
  expect(value.files).toEqual([]);
  expect(value.diagnostics).toContainEqual(expect.objectContaining({ code: "IVR127" }));
  rmSync(join(own.path, "ivrs"));
  expect((await own.json("import", "--live")).value.files).toMatchObject([{ key: "front-desk" }]);
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
