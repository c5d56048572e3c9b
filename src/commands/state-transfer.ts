import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { reason, shownPath } from "../project/files.ts";
import { problemOf, readIfThere } from "../deploy/state/file/disk.ts";
import { beingFilled } from "../deploy/state/marks.ts";
import { StateProblem } from "../deploy/state/store.ts";
import { fill, historyFile, readHistoryFile } from "../deploy/state/transfer.ts";
import { suggest } from "../util/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { shellWord } from "../util/shell-word.ts";
import { sayStopping, showPulled, showPushed } from "../views/state-transfer.ts";
import { type Context, type ExitCode, UsageError, command } from "../cli/command.ts";
import { Interruption } from "../util/interruption.ts";
import { isStdout, writeNamed } from "../util/replace-file.ts";
import { describeTaken, helpFor, rescueIn, takeInRescue } from "../deploy/apply/rescue-files.ts";
import { type Access, lockFlags, lockState, whereSound } from "../deploy/state/access.ts";
import { type Kept, keptState } from "../deploy/state/open-store.ts";

const pullFlags = {
  out: { type: "string", value: "FILE", about: "Write to this file instead of stdout" },
} as const;

export const pull = command({
  maxArguments: 0,
  about: "Writes the state with its whole history to a file.",
  flags: pullFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state pull --out state.jsonl", "a copy to keep"]],
  run: writeState,
});

export const push = command({
  takes: "FILE",
  arguments: { FILE: "The file, or - for stdin" },
  minArguments: 1,
  maxArguments: 1,
  about:
    "Reads a file that continues the history of this state, or a rescue file with what a run could not record.",
  flags: lockFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state push state.jsonl", "what `ivrctl state pull` wrote"]],
  run: readIntoState,
});

async function writeState(context: Context<typeof pullFlags>): Promise<ExitCode> {
  const { root, terminal, format } = context;
  const out = context.flags.out ?? "-";
  if (isStdout(out) && format !== "text") {
    throw new UsageError(`The state itself is printed: with --format ${format}, give --out FILE.`);
  }
  const diagnostics = new Diagnostics();
  const { environment, store } = await keptState(context, diagnostics);
  const history = store && (await whereSound(store, diagnostics, () => store.history()));
  if (store && history?.length === 0) {
    diagnostics.addFile("IVR631", store.place, `There is no state of ${environment} yet.`);
  }
  if (history !== undefined && !diagnostics.hasErrors) {
    try {
      if (isOfState(shownPath(root, resolve(root, out)))) {
        throw new UsageError(`${out} belongs to the state itself and is not replaced.`);
      }
      writeNamed(root, out, historyFile(history), terminal);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      diagnostics.addFile("IVR604", out, `${out} cannot be written: ${reason(error)}.`);
    }
  }
  const last = diagnostics.hasErrors ? undefined : history?.at(-1);
  await showPulled({ environment, file: out, last }, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

async function readIntoState(context: Context<typeof lockFlags>): Promise<ExitCode> {
  const [file = ""] = context.args;
  const diagnostics = new Diagnostics();
  const kept = await keptState(context, diagnostics);
  const exit = kept.store === undefined ? 1 : await pushInto(context, kept, file, diagnostics);
  if (typeof exit === "number") {
    await showPushed({ environment: kept.environment, file }, diagnostics.sorted(), context);
    return exit;
  }
  const shown = { environment: kept.environment, file, ...exit };
  await showPushed(shown, diagnostics.sorted(), context);
  return 0;
}

interface Pushed {
  readonly added: number;
  readonly serial: number;
  readonly head: string;
  readonly told?: string;
}

async function pushInto(
  context: Context<typeof lockFlags>,
  kept: Kept,
  file: string,
  diagnostics: Diagnostics,
): Promise<Pushed | ExitCode> {
  const place = { place: file };
  const bytes = await whereSound(place, diagnostics, async () => read(context.root, file));
  if (bytes === undefined) return 1;
  const interruption = new Interruption(() => sayStopping(context.terminal));
  const { halt: signal, stop } = interruption;
  try {
    const about = { command: "state push", signal, stop, accepts: ["filling"] } as const;
    const access = await lockState(context, kept, about, diagnostics);
    if (access.kind === "refused") return access.exit;
    const { session } = access;
    try {
      const adding = () => add(bytes, file, kept, access, signal);
      const pushed = await whereSound(place, diagnostics, adding);
      if (pushed === undefined) return signal.aborted ? 130 : 1;
      const { serial, head } = session.state;
      return { serial, head, ...pushed };
    } finally {
      await session.close();
    }
  } finally {
    interruption.end();
  }
}

async function add(
  bytes: Buffer,
  file: string,
  { environment, store }: Kept,
  { session, run: { by, since } }: Extract<Access, { kind: "session" }>,
  halt: AbortSignal,
): Promise<Pick<Pushed, "added" | "told">> {
  const rescue = rescueIn(bytes.toString("utf8"), file);
  if (rescue !== undefined) {
    if (session.filling !== null) throw beingFilled(environment, store.place, session.filling);
    const before = session.state.serial;
    const taken = await takeInRescue(rescue, store, session);
    const added = session.state.serial - before;
    if (taken.kind === "fits") {
      const help = helpFor(taken, file, environment);
      const told = [describeTaken(rescue, taken), ...(help === undefined ? [] : [help])].join("\n");
      return { added, told };
    }
    throw new StateProblem(
      "IVR675",
      `${file} is of another state (environment ${rescue.environment}, lineage ${rescue.lineage}).`,
    );
  }
  const history = readHistoryFile(bytes, file);
  const command = suggest("state push", [shellWord(file)], environment);
  const filling = { command, source: file === "-" ? "standard input" : file, by, since };
  return { added: await fill({ environment, store, session, history, filling, halt }) };
}

function read(root: string, file: string): Buffer {
  if (file === "-") return readFileSync(0);
  try {
    const found = readIfThere(resolve(root, file), file);
    if (found !== undefined) return found;
  } catch (error) {
    throw problemOf(error, file, "read");
  }
  throw new StateProblem("IVR604", `There is no file ${file}.`);
}

function isOfState(path: string): boolean {
  return /^\.ivrctl(?:\/|$)/.test(path);
}
