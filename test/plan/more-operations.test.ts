import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { forward } from "../support/forward.ts";
import { menu, project, service } from "../support/project.ts";
import { listen } from "../support/listen.ts";
import { payload as sent } from "../support/import.ts";

/** What somebody writes on the console. */
const payload = { ...sent, option: ["1"], destination: ["extension||500101"] };

/** A service that can list and update menus, and a project with these menus that uses it. */
async function listing(menus: Record<string, string>, faults: readonly string[] = []) {
  const dataFile = join(folder({}), "service.jsonl");
  const operations = ["list", "update"] as const;
  const started = await service({ dataFile, operations, faults });
  const newProject = project(started.url, menus, { operations });
  const onConsole = (change: object) =>
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`);
  return { ...newProject, started, onConsole };
}

const listsOf = (requests: readonly { readonly path: string }[]) =>
  requests.filter(({ path }) => path === "/v1/ivrs").length;

test("a plan reads the list once, and records nothing", async () => {
  const setup = await listing({ a: menu("A"), b: menu("B") });
  await setup.run("apply", "--auto-approve");
  const before = setup.journal();
  const lists = listsOf(setup.started.requests);
  setup.write("ivrs/a.yaml", menu("A", "Front Desk"));
  expect((await setup.json("plan")).value.summary).toMatchObject({ update: 1, unchanged: 1 });
  expect(listsOf(setup.started.requests)).toBe(lists + 1);
  expect(setup.journal()).toEqual(before);
});

test("an intent has the ids that were listed with this name before", async () => {
  const setup = await listing({ a: menu("A") });
  setup.onConsole({ payload: { ...payload, name: "A" } });
  await setup.run("apply", "--auto-approve", "--allow=same-name");
  const events = setup.journal().map(({ event }) => event);
  expect(events.find(({ kind }) => kind === "intent")).toMatchObject({ listed: ["1"] });
  expect(events.find(({ kind }) => kind === "identified")).toMatchObject({ id: "2", how: "list" });
});

test("a saved plan updates a menu once", async () => {
  const setup = await listing({ a: menu("A") });
  await setup.run("apply", "--auto-approve");
  setup.write("ivrs/a.yaml", menu("A", "Front Desk"));
  await setup.run("plan", "--out", "plan.json");
  expect((await setup.run("apply", "plan.json")).exit).toBe(0);
  expect(setup.started.records).toMatchObject([
    { payload: { destination: ["extension||500104"] } },
  ]);
  expect(await setup.json("apply", "plan.json")).toMatchObject({ exit: 0, value: { results: [] } });
  // Somebody puts back what the menu was before. The plan does not overwrite that a second time.
  setup.onConsole({
    update: 1,
    payload: { ...payload, name: "A", description: "A menu called A" },
  });
  const { exit, value } = await setup.json("apply", "plan.json");
  expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR638" }]]);
  expect(setup.started.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
});

test("after a lost answer and without a list, an update may or may not have arrived", async () => {
  const setup = await listing({ a: menu("A") });
  await setup.run("apply", "--auto-approve");
  let isLost = false;
  // Loses the answers to updates, and refuses lists after that.
  const door = createServer((asked, response) => {
    if (isLost) return response.writeHead(403).end();
    isLost = asked.method === "PUT";
    return isLost ? asked.socket.destroy() : forward(asked, response, setup.started.url);
  });
  const port = await listen(door);
  await setup.run("state", "rebind", "--to", `http://127.0.0.1:${port}`, "--evidence", "x");
  Object.assign(setup.env, { BASE_URL: `http://127.0.0.1:${port}` });
  setup.write("ivrs/a.yaml", menu("A", "Front Desk"));
  const { exit, stdout, stderr } = await setup.run("apply", "--auto-approve");
  expect(exit).toBe(3);
  expect(stdout).toContain("The menu exists, but the update may or may not have arrived.");
  expect(stderr).toContain("Run the command again when the service returns the list.\n");
});
