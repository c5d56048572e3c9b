import type { ExitCode } from "../cli/command.ts";
import check from "../commands/check.ts";
import { findLeftBehind } from "../deploy/state/left-behind.ts";
import { fenced } from "../views/markdown.ts";
import { commentLimit } from "../views/plan/markdown.ts";
import { sayInWords } from "../views/diagnostics/index.ts";
import type { Job } from "./forge.ts";
import { hasEnded, inEnvironment, inSection, refuseFileState } from "./job.ts";

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
    const endpoint = refuseFileState(context);
    const isFine = await inSection(job, `ivrctl check --env ${environment}`, async () => {
      const flags = { agents: undefined };
      const exit = await check.run({ ...context, args: [], format: "text", flags });
      const isReal = endpoint?.settings.kind !== "sandbox";
      const found = await findLeftBehind(context, isReal, (id) => hasEnded(job, id));
      await sayInWords(found.sorted(), context.terminal);
      return exit === 0 && !found.hasErrors;
    });
    // The most important lines are the last ones.
    const end = log.trimEnd().slice(-commentLimit);
    const heading = isFine ? "No problems" : "Problems found";
    job.forge.summarize(`### ${heading} (${environment})\n\n${fenced("text", end.split("\n"))}`);
    failed ||= !isFine;
  }
  return failed ? 1 : 0;
}
