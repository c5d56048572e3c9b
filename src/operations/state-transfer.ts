import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type LockedState, reporting, underLock } from "../deploy/state/access.ts";
import { reportAt } from "../deploy/state/change.ts";
import { fileProblem } from "../deploy/state/files/file-log.ts";
import type { OpenState } from "../deploy/state/open-store.ts";
import { rescueIn, recordRescue } from "../deploy/state/rescue-files.ts";
import { StateProblem } from "../deploy/state/lock.ts";
import {
  historyFile,
  moveState,
  readHistoryFile,
  receiveHistory,
  refuseOther,
} from "../deploy/state/transfer.ts";
import { writeOut } from "../project/write-file.ts";
import { isPipeOfShell } from "../project/files.ts";
import { readWithoutWaiting } from "../util/disk.ts";
import { many } from "../util/many.ts";
import { hintText } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { visible } from "../util/visible.ts";
import type { Result } from "../views/result.ts";
import type { Caller } from "./caller.ts";
import { lockRequest } from "./lock-request.ts";
import { type AskedChange, textOnState } from "./state-change.ts";

/** Writes the state with its whole history to a file, or to stdout for `-`. */
export async function writeHistory(caller: Caller, file: string): Promise<Result> {
  const { root, terminal } = caller;
  return textOnState(caller, async ({ environment, store }, diagnostics) => {
    const history = await store.history();
    if (history.length === 0) {
      const what = `The environment ${environment} has no state yet.`;
      reportAt(store, diagnostics)(what, "Apply the menus first.");
      return "failed";
    }
    if (!writeOut(root, file, historyFile(history), terminal, diagnostics)) return "failed";
    const events = many(history.length, "event");
    return {
      notes: ({ path }) =>
        file === "-"
          ? ""
          : visible(`Wrote the state of ${environment} (${events}) to ${path(file)}.`) + "\n",
    };
  });
}

/** Adds the events of a file to the state. */
export async function addFile(
  caller: Caller,
  file: string,
  { lockTimeout }: AskedChange,
): Promise<Result> {
  return textOnState(caller, async (opened, diagnostics) => {
    const { environment } = opened;
    const place = { place: file };
    const content = await reporting(place, diagnostics, () => read(caller, file, opened));
    if (content === undefined) return "failed";
    const accepts = ["missing"] as const;
    const request = lockRequest(caller, environment, "state push", {
      accepts,
      lockTimeout,
    });
    return underLock(caller.root, opened, request, diagnostics, async (locked) => {
      const pushed = await reporting(place, diagnostics, () => add(content, file, locked));
      return pushed ? { notes: ({ path }) => lines(pushed(path(file))) } : "failed";
    });
  });
}

/** Moves the state to the backend of `state:`, with its whole history. */
export async function moveToBackend(caller: Caller, { lockTimeout }: AskedChange): Promise<Result> {
  return textOnState(caller, async (opened, diagnostics) => {
    const { environment, store, from } = opened;
    if (from === undefined) {
      throw new UsageError(
        `Write the new backend under \`state:\` of ${environment} in ivrctl.yaml, and the old one under \`from:\` in it, for example \`from: { backend: file }\`.`,
      );
    }
    if (store.place === from.place) {
      throw new UsageError(
        `Both \`state:\` and \`from:\` of ${environment} in ivrctl.yaml are ${store.place}.`,
      );
    }
    // Both locks have the same id, so that one command releases both.
    const request = lockRequest(caller, environment, "state migrate", {
      accepts: ["moved"],
      lockTimeout,
    });
    const coming = { ...request, accepts: ["moved", "missing"] as const };
    const source = { ...opened, store: from };
    return underLock(caller.root, source, request, diagnostics, (here) =>
      underLock(caller.root, opened, coming, diagnostics, async (there) => {
        await moveState(environment, here, there);
        const events = many(there.session.state.serial, "event");
        return {
          notes: lines(`Moved the state of ${environment} (${events}) to ${store.place}.
The data at ${from.place} is unchanged and marked as moved, so no run can use it by mistake.
Now remove \`from:\` under ${environment} from ivrctl.yaml.`),
        };
      }),
    );
  });
}

/** Reads a file, which is a rescue file or the history of this state. */
async function read({ root, host }: Caller, file: string, { environment, store }: OpenState) {
  const bytes = await contentOf(root, host, file);
  const rescue = rescueIn(bytes.toString("utf8"), file);
  if (rescue !== undefined) return rescue;
  const history = readHistoryFile(bytes, file);
  refuseOther(history, environment, store);
  return history;
}

async function contentOf(root: string, host: Caller["host"], file: string): Promise<Buffer> {
  if (file === "-") return Buffer.concat(await host.stdin().toArray());
  try {
    const path = resolve(root, file);
    return isPipeOfShell(path, statSync(path)) ? readFileSync(path) : readWithoutWaiting(path);
  } catch (error) {
    throw fileProblem(error, file, "read", "Check the path of the file.");
  }
}

/** Adds the events of a file. Returns what to say about it. */
async function add(
  content: Awaited<ReturnType<typeof read>>,
  file: string,
  { environment, store, session }: LockedState,
): Promise<(file: string) => string> {
  if ("rescue" in content) {
    const recorded = await recordRescue(content, file, store, session);
    if (recorded === undefined) {
      throw new StateProblem(
        "IVR675",
        `${file} belongs to a different state (${content.state} of ${content.environment}).`,
      );
    }
    const { message, hint } = recorded;
    return () => (hint === undefined ? message : `${message}\n${hintText(hint)}`);
  }
  const { state } = session;
  const before = state.serial;
  await receiveHistory(store, session, content);
  const added = many(state.serial - before, "event");
  return (path) =>
    state.serial === before
      ? `Nothing was added: the state of ${environment} already has everything in ${path}.`
      : `Added ${added}. The state of ${environment} is now at event ${state.serial}.`;
}

function lines(text: string): string {
  return text
    .split("\n")
    .map((line) => `${visible(line)}\n`)
    .join("");
}
