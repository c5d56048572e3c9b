import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { folder } from "./cli.ts";
import { namesOf, project, service } from "./project.ts";

/** What the service of `applied` can do. */
const operations = ["list", "update", "delete", "numbers"] as const;

/** A project whose menus were applied to a service that can delete them. */
export async function applied(menus: Record<string, string>) {
  const dataFile = join(folder({}), "service.jsonl");
  const port = await quietPort();
  let started = await service({ dataFile, operations, port });
  const newProject = project(started.url, menus, { operations });
  await newProject.run("apply", "--auto-approve");
  const onConsole = (change: object) =>
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`);
  const bind = (destination: string) => onConsole({ number: "901", binding: { destination } });
  const restart = async (...faults: readonly string[]) => {
    await started.close();
    started = await service({ dataFile, operations, port, faults });
  };
  const paths = (asked: string) =>
    started.requests.filter(({ method }) => method === asked).map(({ path }) => path);
  const deletes = () => paths("DELETE");
  const updates = () => paths("PUT");
  /** The names of all menus of the service. */
  const created = () => namesOf(started.records);
  return { ...newProject, onConsole, bind, restart, deletes, updates, created };
}
