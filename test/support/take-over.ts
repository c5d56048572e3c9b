import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./cli.ts";
import { payload } from "./import.ts";
import { type project, service } from "./project.ts";
import { codesIn } from "./state.ts";

/** Starts a service on which somebody has created two menus, of which one links to the other. */
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
export async function takeOver(own: Pick<ReturnType<typeof project>, "path" | "run" | "json">) {
  appendFileSync(join(own.path, "ivrctl.yaml"), "    operations: [list, update]\n");
  const first = await own.run("import", "--live");
  const { keys } = (await own.json("state", "list")).value;
  const { changes, summary } = (await own.json("plan")).value;
  const again = await own.run("import", "--live");
  return {
    files: first.stdout,
    codes: codesIn(first),
    ids: keys.map(({ key, current }: Listed) => `${key} ${current.identified.id}`),
    changes,
    unchanged: summary.unchanged,
    again: again.stderr.trimEnd().split("\n").at(-1),
  };
}

interface Listed {
  readonly key: string;
  readonly current: { readonly identified: { readonly id: string } };
}

/** What is on record after the menus of `consoleMenus` were taken over. */
export const takenOver: Awaited<ReturnType<typeof takeOver>> = {
  files: "ivrs/front-desk.yaml\nivrs/sales.yaml\n",
  codes: [],
  ids: ["front-desk 2", "sales 1"],
  changes: [],
  unchanged: 2,
  again: "Nothing to import: 2 menus already on record.",
};
