import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Records } from "../../src/sandbox/created-menus.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { folder } from "../support/cli.ts";
import { create, sandboxFor } from "./client.ts";
import { clock } from "../support/host.ts";

const dataFile = () => join(folder({}), ".ivrctl/sandbox/records.jsonl");
const names = (records: Records) => records.account().menus.map(({ payload }) => payload.name);

test("keeps created menus after a restart, with the same number and time", async () => {
  const path = dataFile();
  const first = await startSandbox({ clock, dataFile: path });
  await create(first.url, { name: "A" });
  await create(first.url, { name: "B\n\u2028" });
  const before = [...first.records];
  await first.close();
  const again = await sandboxFor({ dataFile: path });
  expect(before).toMatchObject([{ number: 1 }, { number: 2, payload: { name: "B\n\u2028" } }]);
  expect(again.records).toEqual(before);
});

test("waits for the end of a line that another process is writing", async () => {
  const path = dataFile();
  const { url } = await sandboxFor({ dataFile: path });
  await create(url, { name: "A" });
  const line = readFileSync(path, "utf8");
  const { length } = line;
  appendFileSync(path, line.slice(0, length >> 1));
  const other = new Records(path, clock);
  expect(names(other)).toEqual(["A"]);
  appendFileSync(path, line.slice(length >> 1));
  expect(names(other)).toEqual(["A", "A"]);
});

test("reports a corrupt line with its number", async () => {
  const path = dataFile();
  const first = await startSandbox({ clock, dataFile: path });
  await create(first.url, { name: "A" });
  await first.close();
  const line = readFileSync(path, "utf8");
  for (const corrupt of [
    "{",
    '{"at":"x"}',
    '{"at":"x","payload":{"name":"A"}}',
    "null",
    "\u0018x",
  ]) {
    writeFileSync(path, `${line}\n${corrupt}\n${line}`);
    await expect(startSandbox({ clock, dataFile: path })).rejects.toThrow(
      `${path}:3 is not a menu that the sandbox stored`,
    );
  }
  writeFileSync(path, `${line}\n${line}`);
  const { records } = await sandboxFor({ dataFile: path });
  expect(records).toHaveLength(2);
});

test("refuses to create menus while the file is corrupt", async () => {
  const path = dataFile();
  const { url } = await sandboxFor({ dataFile: path });
  await create(url, { name: "A" });
  const good = readFileSync(path, "utf8");
  appendFileSync(path, "oops\n");
  const { status, text } = await create(url, { name: "B" });
  expect({ status, text: JSON.parse(text) }).toEqual({
    status: 500,
    text: {
      Success: false,
      Message: expect.stringContaining(`${path}:2 is not a menu that the sandbox stored`),
    },
  });
  writeFileSync(path, good);
  expect((await create(url, { name: "B" })).status).toBe(200);
});

test("two sandboxes on one file see all menus of both", async () => {
  const path = dataFile();
  const [a, b] = [await sandboxFor({ dataFile: path }), await sandboxFor({ dataFile: path })];
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => create((i % 2 === 0 ? a : b).url, { name: `M${i}` })),
  );
  expect(a.records).toHaveLength(40);
  expect(b.records).toEqual(a.records);
});

test("starts from scratch if the file is removed", async () => {
  const path = dataFile();
  const sandbox = await sandboxFor({ dataFile: path });
  await create(sandbox.url, { name: "A" });
  rmSync(join(path, "../.."), { recursive: true });
  expect(sandbox.records).toEqual([]);
  await create(sandbox.url, { name: "B" });
  expect(existsSync(path)).toBe(true);
  expect(names(new Records(path, clock))).toEqual(["B"]);
  writeFileSync(path, "");
  expect(sandbox.records).toEqual([]);
});

test("answers 500 if the menu cannot be stored", async () => {
  const path = dataFile();
  const sandbox = await sandboxFor({ dataFile: path });
  mkdirSync(join(path, "../.."), { recursive: true });
  writeFileSync(dirname(path), "in the way");
  const { status, text } = await create(sandbox.url);
  expect({ status, success: JSON.parse(text).Success }).toEqual({ status: 500, success: false });
  expect(sandbox.requests).toMatchObject([{ status: 500 }]);
});
