import { mkdirSync } from "node:fs";
import { expect } from "vitest";
import { ownIdentity } from "../../src/deploy/state/process-identity.ts";
import type { Lock } from "../../src/deploy/state/lock.ts";
import { addBlock, stateFolder } from "./file-log.ts";
import { menu, project, service, threeMenus } from "./project.ts";
import { testHost } from "./host.ts";

/** The codes of the diagnostics that a command printed as text. */
export const codesIn = ({ stderr }: { readonly stderr: string }) =>
  [...stderr.matchAll(/^(?:error|warning)\[(IVR\d+)\]/gm)].map(([, code]) => code);

/** Creates a project where front-desk and sales are created and night has an unknown outcome. */
export async function applied() {
  const { url, records } = await service({ faults: ["cut name=Night times=1 created=yes"] });
  const newProject = project(url, threeMenus);
  expect((await newProject.run("apply", "--auto-approve")).exit).toBe(3);
  return { ...newProject, url, records };
}

/** Like `applied`, but sales was then replaced, which leaves a follow-up. */
export async function replaced() {
  const base = await applied();
  base.write("ivrs/sales.yaml", menu("Sales", "Front Desk"));
  expect((await base.run("apply", "--auto-approve")).exit).toBe(3);
  const { value } = await base.json("state", "list");
  const [{ id }] = value.follow_ups;
  return { ...base, id: String(id) };
}

export function lastOf(journal: readonly { by: string; event: object }[]) {
  const last = journal.at(-1);
  return { by: last?.by, ...last?.event };
}

/** Creates a project of three menus whose outcomes are all unknown. */
export async function threeUnknown() {
  const faults = ["cut name=A times=1", "cut name=B times=1", "cut name=C times=1"];
  const { url } = await service({ faults });
  const menus = { "shops/a": menu("A"), "shops/b": menu("B"), c: menu("C") };
  const newProject = project(url, menus);
  expect((await newProject.run("apply", "--auto-approve")).exit).toBe(3);
  return newProject;
}

/** Writes a lock of another machine, so that ivrctl cannot know whether its process is alive. */
export function lockElsewhere(path: string): void {
  writeLock(path, {
    by: "meera@elsewhere",
    host: "elsewhere\u001b[2J",
    pid: 17,
    boot: null,
    pid_namespace: null,
    started: null,
  });
}

/** Writes a lock of this process or, if it is dead, of an earlier process with the same PID. */
export function lockHere(path: string, { isDead }: { readonly isDead: boolean }): void {
  const identity = ownIdentity(testHost().machine);
  writeLock(path, { ...identity, by: "meera@here", started: isDead ? "0" : identity.started });
}

/** Ends the lock that one of these functions wrote. */
export function endLock(path: string): void {
  addBlock(path, { kind: "released", by: null });
}

function writeLock(path: string, holder: Omit<Lock, "id" | "command" | "since">): void {
  const since = "2026-01-02T03:04:05.000Z";
  const lock = { id: "abc123", command: "apply", since, ...holder };
  mkdirSync(stateFolder(path), { recursive: true });
  addBlock(path, { kind: "locked", lock });
}
