import { appendFileSync } from "node:fs";
import { join } from "node:path";
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

/** Takes over the menus of the service with a project that has none, and returns what is on record then. */
export async function takeOver(own: Pick<ReturnType<typeof project>, "path" | "json">) {
  appendFileSync(join(own.path, "ivrctl.yaml"), "    operations: [list, update]\n");
  const { recorded, skipped } = (await own.json("import", "--live")).value;
  const { keys } = (await own.json("state", "list")).value;
  const { changes, summary } = (await own.json("plan")).value;
  const again = (await own.json("import", "--live")).value;
  return {
    recorded,
    skipped,
    ids: keys.map(({ key, current }: Listed) => `${key} ${current.identified.id}`),
    changes,
    unchanged: summary.unchanged,
    onRecord: again.on_record,
  };
}

interface Listed {
  readonly key: string;
  readonly current: { readonly identified: { readonly id: string } };
}

/** What is on record after the menus of `consoleMenus` were taken over. */
export const takenOver: Awaited<ReturnType<typeof takeOver>> = {
  recorded: true,
  skipped: [],
  ids: ["front-desk 2", "sales 1"],
  changes: [],
  unchanged: 2,
  onRecord: 2,
};
