import { lockRequest } from "../operations/lock.ts";
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
import { type Context, command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import type { Result } from "../views/result.ts";
import { textOnState } from "../cli/state-command.ts";

const pullFlags = {
  out: { value: "FILE", about: "Write to this file (default: stdout)" },
} as const;

export const pull = command({
  about: "Write the state with its whole history to a file or stdout",
  flags: pullFlags,
  examples: [["ivrctl state pull --out state.jsonl", "make a backup"]],
  run: writeState,
});

export const push = command({
  arguments: { "<FILE>": "File from `ivrctl state pull` or rescue file, or - for stdin" },
  about:
    "Add a file's events to the state.\n\nThe file continues the history of this state, or is a rescue file with outcomes that a run could not record.",
  flags: lockFlags,
  examples: [["ivrctl state push state.jsonl", "read what `ivrctl state pull` wrote"]],
  run: readIntoState,
});

export const migrate = command({
  about:
    "Move the state to a different backend, with its whole history.\n\nFirst write both backends into ivrctl.yaml: the new one under `state:`, the old one under `from:` in it. migrate marks the old one as moved, so that no run uses it again.",
  flags: lockFlags,
  examples: [["ivrctl state migrate --env production", "after you have changed ivrctl.yaml"]],
  run: migrateState,
});

async function writeState(context: Context<typeof pullFlags>): Promise<Result> {
  const { root, terminal } = context;
  const file = context.flags.out ?? "-";
  return textOnState(context, async ({ environment, store }, diagnostics) => {
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

async function readIntoState(context: Context<typeof lockFlags>): Promise<Result> {
  const [file = ""] = context.args;
  return textOnState(context, async (opened, diagnostics) => {
    const { environment } = opened;
    const place = { place: file };
    const content = await reporting(place, diagnostics, () => read(context, file, opened));
    if (content === undefined) return "failed";
    const accepts = ["missing"] as const;
    const request = lockRequest(context, environment, "state push", {
      accepts,
      lockTimeout: context.flags["lock-timeout"],
    });
    return underLock(context.root, opened, request, diagnostics, async (locked) => {
      const pushed = await reporting(place, diagnostics, () => add(content, file, locked));
      return pushed ? { notes: ({ path }) => lines(pushed(path(file))) } : "failed";
    });
  });
}

async function migrateState(context: Context<typeof lockFlags>): Promise<Result> {
  return textOnState(context, async (opened, diagnostics) => {
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
    const request = lockRequest(context, environment, "state migrate", {
      accepts: ["moved"],
      lockTimeout: context.flags["lock-timeout"],
    });
    const coming = { ...request, accepts: ["moved", "missing"] as const };
    const source = { ...opened, store: from };
    return underLock(context.root, source, request, diagnostics, (here) =>
      underLock(context.root, opened, coming, diagnostics, async (there) => {
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
async function read({ root, host }: Context, file: string, { environment, store }: OpenState) {
  const bytes = await contentOf(root, host, file);
  const rescue = rescueIn(bytes.toString("utf8"), file);
  if (rescue !== undefined) return rescue;
  const history = readHistoryFile(bytes, file);
  refuseOther(history, environment, store);
  return history;
}

async function contentOf(root: string, host: Context["host"], file: string): Promise<Buffer> {
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
  return (shown) =>
    state.serial === before
      ? `Nothing was added: the state of ${environment} already has everything in ${shown}.`
      : `Added ${added}. The state of ${environment} is now at event ${state.serial}.`;
}

function lines(text: string): string {
  return text
    .split("\n")
    .map((line) => `${visible(line)}\n`)
    .join("");
}
