import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { shownPath } from "../project/files.ts";
import { rescueIn, recordRescue } from "../deploy/state/rescue.ts";
import { type LockedState, reporting, underLock } from "../deploy/state/access.ts";
import { fileProblem } from "../deploy/state/files/file-log.ts";
import { StateProblem } from "../deploy/state/store.ts";
import type { Linked } from "../deploy/state/entries.ts";
import {
  historyFile,
  readHistoryFile,
  receiveHistory,
  refuseOther,
} from "../deploy/state/transfer.ts";
import { Interruption } from "../util/interruption.ts";
import { writeNamed } from "../util/replace-file.ts";
import { hintText } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { pulledResult, pushedResult, stopping } from "../views/state-transfer.ts";
import type { Result } from "../cli/result.ts";
import { type Context, command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import { lockRequest, runOnState } from "../cli/state-command.ts";
import { describeSystemError } from "../util/system-error.ts";

const pullFlags = {
  out: { type: "string", value: "FILE", about: "Write to this file (default: stdout)" },
} as const;

export const pull = command({
  about: "Write the state with its whole history to a file or stdout",
  flags: pullFlags,
  formats: ["text"],
  examples: [["ivrctl state pull --out state.jsonl", "make a backup"]],
  run: writeState,
});

export const push = command({
  takes: "<FILE>",
  arguments: { FILE: "File from `ivrctl state pull` or rescue file, or - for stdin" },
  about:
    "Add the events of a file to the state.\n\nThe file continues the history of this state, or is a rescue file with outcomes that a run could not record.",
  flags: lockFlags,
  formats: ["text"],
  examples: [["ivrctl state push state.jsonl", "read what `ivrctl state pull` wrote"]],
  run: readIntoState,
});

async function writeState(context: Context<typeof pullFlags>): Promise<Result> {
  const { root, terminal } = context;
  const file = context.flags.out ?? "-";
  return runOnState(context, {
    async act({ environment, store }, diagnostics) {
      const history = await reporting(store, diagnostics, () => store.history());
      const last = history?.at(-1);
      if (history === undefined) return "failed";
      if (last === undefined) {
        const what = `The environment ${environment} has no state yet.`;
        diagnostics.addAt("IVR631", { file: store.place }, what, "Apply the menus first.");
        return "failed";
      }
      if (/^\.ivrctl(?:\/|$)/.test(shownPath(root, resolve(root, file)))) {
        throw new UsageError(`${file} is a file of the state itself. Choose a different file.`);
      }
      try {
        writeNamed(root, file, historyFile(history), terminal);
      } catch (error) {
        diagnostics.addAt(
          "IVR604",
          { file },
          `${file} cannot be written: ${describeSystemError(error)}.`,
        );
        return "failed";
      }
      return last;
    },
    show: ({ environment }, last) => pulledResult({ environment, file, last }),
  });
}

async function readIntoState(context: Context<typeof lockFlags>): Promise<Result> {
  const [file = ""] = context.args;
  return runOnState(context, {
    async act(opened, diagnostics) {
      const place = { place: file };
      const content = await reporting(place, diagnostics, async () => {
        const bytes = await read(context, file);
        const rescue = rescueIn(bytes.toString("utf8"), file);
        const history = rescue === undefined ? readHistoryFile(bytes, file) : [];
        refuseOther(history, opened.environment, opened.store);
        return { rescue, history };
      });
      if (content === undefined) return "failed";
      const interruption = new Interruption(context.host, () => context.terminal.say(stopping));
      const { halt: signal, stop } = interruption;
      try {
        const request = lockRequest(context, opened.environment, "state push", {
          signal,
          stop,
          accepts: ["missing"],
        });
        return await underLock(context.root, opened, request, diagnostics, async (locked) => {
          const adding = () => add(content, file, locked);
          const pushed = await reporting(place, diagnostics, adding);
          if (pushed === undefined) return signal.aborted ? "interrupted" : "failed";
          return { serial: locked.session.state.serial, ...pushed };
        });
      } finally {
        interruption.end();
      }
    },
    show: ({ environment }, pushed) => pushedResult({ environment, file, ...pushed }),
  });
}

/** Adds the events of a file, which is a history or a rescue file. */
async function add(
  { rescue, history }: { rescue: ReturnType<typeof rescueIn>; history: readonly Linked[] },
  file: string,
  { store, session }: LockedState,
): Promise<{ readonly added: number; readonly text?: string }> {
  if (rescue === undefined) return { added: await receiveHistory(store, session, history) };
  const before = session.state.serial;
  const recorded = await recordRescue(rescue, file, store, session);
  if (recorded === undefined) {
    throw new StateProblem(
      "IVR675",
      `${file} belongs to a different state (${rescue.state} of ${rescue.environment}).`,
    );
  }
  const { message, hint } = recorded;
  const text = hint === undefined ? message : `${message}\n${hintText(hint)}`;
  return { added: session.state.serial - before, text };
}

async function read({ root, host }: Context, file: string): Promise<Buffer> {
  if (file === "-") return Buffer.concat(await host.stdin().toArray());
  try {
    return readFileSync(resolve(root, file));
  } catch (error) {
    throw fileProblem(error, file, "read");
  }
}
