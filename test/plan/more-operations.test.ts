import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { menu, project, service } from "../support/project.ts";
import { listen } from "../support/listen.ts";

/** A service that can list and update menus, and a project with these menus that uses it. */
async function listing(menus: Record<string, string>, faults: readonly string[] = []) {
  const dataFile = join(folder({}), "service.jsonl");
  const operations = ["list", "update"] as const;
  const started = await service({ dataFile, operations, faults });
  const own = project(started.url, menus);
  const config = "ivrctl.yaml";
  own.write(
    config,
    `version: 1
default_environment: test
rules: { zero-not-operator: off, renumbered: off }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300 }
    operations: [list, update]
`,
  );
  const onConsole = (change: object) =>
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`);
  return { ...own, started, onConsole };
}

const listsOf = (requests: readonly { readonly path: string }[]) =>
  requests.filter(({ path }) => path === "/v1/ivrs").length;

test("a plan reads the list once, and records nothing", async () => {
  const own = await listing({ a: menu("A"), b: menu("B") });
  await own.run("apply", "--auto-approve");
  const before = own.journal();
  const lists = listsOf(own.started.requests);
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  expect((await own.json("plan")).value.summary).toMatchObject({ update: 1, unchanged: 1 });
  expect(listsOf(own.started.requests)).toBe(lists + 1);
  expect(own.journal()).toEqual(before);
});

test("an intent has the ids that were listed with this name before", async () => {
  const own = await listing({ a: menu("A") });
  own.onConsole({ payload: { ...payload, name: "A" } });
  await own.run("apply", "--auto-approve");
  const events = own.journal().map(({ event }) => event);
  expect(events.find(({ kind }) => kind === "intent")).toMatchObject({ listed: ["1"] });
  expect(events.find(({ kind }) => kind === "identified")).toMatchObject({ id: "2", how: "list" });
});

test("a saved plan is refused if someone deletes a menu that it updates", async () => {
  const own = await listing({ a: menu("A") });
  await own.run("apply", "--auto-approve");
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  await own.run("plan", "--out", "plan.json");
  own.onConsole({ delete: 1 });
  const { exit, value } = await own.json("apply", "plan.json");
  expect(exit).toBe(1);
  expect(value.diagnostics).toMatchObject([{ code: "IVR638" }]);
});

test("a stale plan file is refused with what was changed on the console", async () => {
  const own = await listing({ a: menu("A") });
  await own.run("apply", "--auto-approve");
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  await own.run("plan", "--out", "plan.json");
  const description = "A menu called A";
  const changed = { ...payload, name: "A", description, destination: ["extension||500102"] };
  own.onConsole({ update: 1, payload: { ...changed, timeout: "9" } });
  const { value } = await own.json("apply", "plan.json");
  expect(value.diagnostics).toMatchObject([{ code: "IVR638" }]);
  expect(value.diagnostics[0].message).toContain(
    "a (key 1: Asha Rao (extension 500101) → Ravi Kumar (extension 500102), timeout: “5” → “9”).",
  );
});

test("a saved plan updates a menu once", async () => {
  const own = await listing({ a: menu("A") });
  await own.run("apply", "--auto-approve");
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  await own.run("plan", "--out", "plan.json");
  expect((await own.run("apply", "plan.json")).exit).toBe(0);
  expect(own.started.records).toMatchObject([{ payload: { destination: ["extension||500104"] } }]);
  expect(await own.json("apply", "plan.json")).toMatchObject({ exit: 0, value: { results: [] } });
  // Somebody puts back what the menu was before. The plan does not overwrite that a second time.
  own.onConsole({ update: 1, payload: { ...payload, name: "A", description: "A menu called A" } });
  const { exit, value } = await own.json("apply", "plan.json");
  expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR638" }]]);
  expect(own.started.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
});

test("a change of a menu whose record in the list is not understood is refused", async () => {
  const own = await listing({ a: menu("A"), b: menu("B") });
  await own.run("apply", "--auto-approve");
  own.onConsole({
    update: 1,
    payload: {
      ...payload,
      name: "A",
      option: ["1", "1"],
      destination: ["extension||500101", "extension||500102"],
    },
  });
  const same = await own.json("plan");
  expect([same.exit, same.value.diagnostics]).toMatchObject([0, [{ severity: "warning" }]]);
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  const { exit, value } = await own.json("apply", "--auto-approve");
  expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR637", severity: "error" }]]);
  const [{ message, hint }] = value.diagnostics;
  expect(message).toContain("ivrctl does not understand its record in the list");
  expect(hint).toMatch(/^Correct that record on the console\./);
  expect((await own.json("plan", "--target", "b")).exit).toBe(0);
});

test("apply says that it does not know the id of a new menu, if it stopped before it looked", async () => {
  const own = await listing({ a: menu("A"), b: menu("B") }, ["status=403 name=B"]);
  const { exit, stdout } = await own.run("apply", "--auto-approve");
  expect(exit).toBe(1);
  expect(stdout).toContain("a: created, but the id is not known yet.");
});

test("plan reports menus that cannot be compared with the service, and names a way out", async () => {
  const own = await listing({ a: menu("A"), b: menu("B"), c: menu("C"), d: menu("D") });
  const file = join(own.path, "ivrctl.yaml");
  const config = readFileSync(file, "utf8");
  own.write("ivrctl.yaml", config.replace(/ *operations:.*\n/, ""));
  await own.run("apply", "--auto-approve");
  own.write("ivrctl.yaml", config);
  expect((await own.json("plan")).value.diagnostics).toEqual([]);
  own.onConsole({ update: 1, payload: { ...payload, name: "A", timeout: "9" } });
  own.onConsole({ delete: 2 });
  own.onConsole({ payload: { ...payload, name: "C" } });
  own.onConsole({ update: 3, payload: { ...payload, name: "C" } });
  const { exit, value } = await own.json("plan");
  expect([exit, value.changes]).toEqual([0, []]);
  const remove = (key: string) => `ivrctl state rm ${key} --env test`;
  const hint = (key: string) =>
    `If the console no longer shows it, delete its record: \`${remove(key)}\`. Otherwise, look up its id on the console, and record it: ivrctl state resolve ${key}=ID --created --evidence TEXT --env test`;
  const noId = "cannot be compared with the service: its id is not on record, and the service";
  expect(value.diagnostics).toMatchObject([
    {
      code: "IVR637",
      severity: "warning",
      message: `\`a\` ${noId} lists menu 1 with its name, but with different content.`,
      hint: hint("a"),
    },
    { message: `\`b\` ${noId} lists no menu with its name.`, hint: hint("b") },
    {
      message: `\`c\` ${noId} lists the menus 3, 5 with its name, and they do not show which one it is.`,
      hint: hint("c"),
    },
  ]);
  await own.run("state", "resolve", "a=1", "--created", "--evidence", "seen");
  expect((await own.json("plan")).value.changes).toMatchObject([{ key: "a", action: "update" }]);
  // Before the apply that moves it, the record has the old key.
  renameSync(join(own.path, "ivrs/b.yaml"), join(own.path, "ivrs/new.yaml"));
  own.write("ivrs/new.yaml", `moved_from: b\n${menu("B")}`);
  const moved = (await own.json("plan", "--target", "new")).value.diagnostics;
  expect(moved).toMatchObject([{ hint: expect.stringContaining(remove("b")) }]);
});

test("plan reports a menu whose record in the list is not understood", async () => {
  const own = await listing({ a: menu("A") });
  await own.run("apply", "--auto-approve");
  const destination = ["extension||500101", "extension||500102"];
  own.onConsole({ update: 1, payload: { ...payload, name: "A", option: ["1", "1"], destination } });
  const { value } = await own.json("plan");
  expect(value.diagnostics).toMatchObject([{ code: "IVR637", severity: "warning" }]);
});

const payload = {
  description: "Not by ivrctl",
  recording: "recording||10",
  timeout: "5",
  option: ["1"],
  destination: ["extension||500101"],
  incorrect_count: "2",
  invalid_recording: "recording||11",
  invalid_destination: "extension||500104",
  timeout_retry_recording: "recording||12",
  timeout_recording: "recording||13",
  timeout_destination: "extension||500104",
  timeout_tries: "2",
};

test("after a lost answer and without a list, an update may or may not have arrived", async () => {
  const own = await listing({ a: menu("A") });
  await own.run("apply", "--auto-approve");
  let isLost = false;
  // Loses the answers to updates, and refuses lists after that.
  const door = createServer((asked, response) => {
    const { method, headers, url } = asked;
    if (isLost) return response.writeHead(403).end();
    isLost = method === "PUT";
    if (isLost) return asked.socket.destroy();
    const onward = request(`${own.started.url}${url}`, { method, headers, agent: false });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    return asked.pipe(onward);
  });
  const port = await listen(door);
  await own.run("state", "rebind", "--to", `http://127.0.0.1:${port}`, "--evidence", "x");
  Object.assign(own.env, { BASE_URL: `http://127.0.0.1:${port}` });
  own.write("ivrs/a.yaml", menu("A", "Front Desk"));
  const { exit, stdout, stderr } = await own.run("apply", "--auto-approve");
  expect(exit).toBe(3);
  expect(stdout).toContain("The menu exists, but the update may or may not have arrived.");
  expect(stderr).toContain("Run the command again when the service returns the list.\n");
});
