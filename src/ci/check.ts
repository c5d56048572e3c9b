import type { ExitCode } from "../cli/command.ts";
import check from "../commands/check.ts";
import { readState, reporting } from "../deploy/state/access.ts";
import { openState } from "../deploy/state/open-store.ts";
import { describeLock } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { suggest } from "../util/suggest.ts";
import { fenced } from "../views/markdown.ts";
import { sayInWords } from "../views/diagnostics/index.ts";
import { type Job, inEnvironment, inSection, refuseFileState } from "./job.ts";

/** Checks live menus and the state on a schedule. Fails if something needs a person. */
export async function checkLive(job: Job): Promise<ExitCode> {
  let failed = false;
  for (const environment of job.environments) {
    let log = "";
    const { terminal, ...rest } = inEnvironment(job, environment);
    const print = (text: string) => {
      log += text;
      terminal.out(text);
    };
    const context = { ...rest, terminal: { ...terminal, say: print, out: print } };
    refuseFileState(context);
    const isFine = await inSection(job, `ivrctl check --env ${environment}`, async () => {
      const flags = { agents: undefined };
      const exit = await check.run({ ...context, args: [], format: "text", flags });
      const found = await stateProblems(job, context);
      await sayInWords(found.sorted(), context.terminal);
      return exit === 0 && !found.hasErrors;
    });
    const heading = isFine ? "No problems" : "Problems found";
    job.forge.summarize(
      `### ${heading} (${environment})\n\n${fenced("text", log.trimEnd().split("\n"))}`,
    );
    failed ||= !isFine;
  }
  return failed ? 1 : 0;
}

/** Unknown outcomes, and a lock that a run left behind. */
async function stateProblems({ forge }: Job, context: Parameters<typeof openState>[0]) {
  const found = new Diagnostics();
  const { environment, store } = await openState(context, found);
  const state = store && (await readState(store, found));
  if (store === undefined || state === undefined) return found;
  const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending === null ? [] : key));
  const lock = await reporting(store, found, () => store.holder());
  const hasEnded = lock ? await forge.hasEnded(lock.id) : undefined;
  // The requests of a run in progress look like unknown outcomes.
  if (unknown.length > 0 && (!lock || hasEnded === true)) {
    found.addFile(
      "IVR684",
      store.place,
      `The outcome of ${unknown.join(", ")} is unknown.`,
      `Look for them on the console, then run: ${suggest("state resolve", unknown.slice(0, 1), environment)}`,
    );
  }
  if (lock && hasEnded === true) {
    found.addFile(
      "IVR684",
      store.place,
      `The run that holds the lock has ended: ${describeLock(lock)}.`,
      `Release the lock: ${suggest("unlock", [lock.id], environment)}`,
    );
  }
  return found;
}
