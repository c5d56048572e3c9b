import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { folder } from "./cli.ts";
import { payload } from "./import.ts";
import { type project, service } from "./project.ts";

/** Starts a service on which somebody has created two menus, of which one leads to the other. */
export async function consoleMenus(): Promise<string> {
  const menus = [
    { ...payload, name: "Sales" },
    { ...payload, name: "Front desk", option: ["1"], destination: ["ivr||1"] },
  ];
  const records = menus.map(
    (one) => `${JSON.stringify({ at: "2026-01-02T03:04:05Z", payload: one })}\n`,
  );
  const dataFile = join(folder({ "records.jsonl": records.join("") }), "records.jsonl");
  return (await service({ dataFile, operations: ["list", "update"] })).url;
}

/** Takes over the menus of the service with a project that has none. Everything gets on record with its id. */
export async function expectTakenOver(
  own: Pick<ReturnType<typeof project>, "path" | "json">,
): Promise<void> {
  appendFileSync(join(own.path, "ivrctl.yaml"), "    operations: [list, update]\n");
  const taken = await own.json("import", "--live");
  expect(taken.value).toMatchObject({ recorded: true, skipped: [], diagnostics: [] });
  const { keys } = (await own.json("state", "list")).value;
  expect(keys).toMatchObject([
    { key: "front-desk", current: { identified: { id: "2" } } },
    { key: "sales", current: { identified: { id: "1" } } },
  ]);
  const { value } = await own.json("plan");
  expect(value).toMatchObject({ changes: [], summary: { unchanged: 2 } });
  expect((await own.json("import", "--live")).value).toMatchObject({ on_record: 2 });
}
