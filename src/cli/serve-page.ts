import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { EditSession } from "../editing/session.ts";
import {
  type LoadedPreview,
  isNoProject,
  isWithoutRevision,
  loadPreview,
} from "../operations/preview.ts";
import { PreviewServer, host as address } from "../preview/preview-server.ts";
import { DiskFiles, type Files } from "../project/files.ts";
import { TextFiles } from "../project/text-files.ts";
import { runOnChange } from "../project/watch.ts";
import { Interruption } from "../util/interruption.ts";
import { many } from "../util/many.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { clockTime } from "../util/time.ts";
import { tally } from "../views/diagnostics/diagnostics-text.ts";
import type { Result } from "../views/result.ts";
import type { Context } from "./command.ts";
import { startError } from "./port.ts";

interface ServedPage {
  /** `live` or a git revision. Default: the files. */
  readonly from?: string | undefined;
  /** A git revision to compare with. */
  readonly base?: string | undefined;
  readonly port: number;
  /** Whether the page writes the files. */
  readonly canEdit?: boolean;
}

/** Serves the page until Ctrl-C, which is the normal way to stop it. */
export async function servePage(
  context: Omit<Context, "flags">,
  { from, base, port, canEdit = false }: ServedPage,
): Promise<Result> {
  const { root, terminal, host } = context;
  const isOfFiles = from === undefined;
  // What has not changed is not parsed again.
  const caller = isOfFiles
    ? { ...context, files: new TextFiles({}, new DiskFiles(root)) }
    : context;
  let past: Files | undefined;
  const load = async (project?: LoadedProject): Promise<LoadedPreview> => {
    const asked = { from, base, past, project, live: isOfFiles, canEdit };
    const loaded = await loadPreview(caller, asked);
    if (loaded.data) server.show(loaded.data);
    return loaded;
  };
  const session = canEdit
    ? new EditSession(caller, async (project) => (await load(project)).project)
    : undefined;
  const key = randomBytes(24).toString("base64url");
  const server = new PreviewServer(session && { key, act: (request) => session.act(request) });
  const interruption = new Interruption(host, () => {});
  try {
    let first = await load();
    if (session && first.project && isWithoutRevision(first)) {
      past = session.compareWithStart(first.project);
      first = await load(first.project);
    }
    if (first.data === undefined || isNoProject(first)) {
      return { exit: 1, diagnostics: first.diagnostics };
    }
    session?.know(first.project);
    const page = await server.listen(port);
    terminal.out(`${page}${canEdit ? `#edit=${key}` : ""}\n`);
    const updates = isOfFiles ? "It updates when a file changes." : "It does not update.";
    const what = canEdit
      ? "Open this address to edit. Whoever has it can change the files of this project."
      : `The preview is running at this address. ${updates}`;
    terminal.note(`${what} Press Ctrl-C to stop it.\n`);
    const update = async () => {
      // The page shows its own edits already.
      if (session?.isCurrent() === true) return;
      const { data, diagnostics, project } = await load();
      if (data === undefined) return;
      session?.know(project);
      const time = terminal.style("dim", clockTime(host.clock.now().toISOString()));
      const problems = tally(diagnostics);
      const see = problems === "" ? "" : `, ${problems}: see the page`;
      const count = data.menus.filter(({ change }) => change?.kind !== "deleted").length;
      terminal.note(`${time}  ${many(count, "menu")}${see}\n`);
    };
    const { halt } = interruption;
    if (isOfFiles) await runOnChange({ root, clock: host.clock, signal: halt }, update);
    else if (!halt.aborted) await once(halt, "abort");
  } catch (error) {
    throw startError(error, address, port);
  } finally {
    interruption.end();
    await server.close();
  }
  return { notes: "The preview has stopped.\n" };
}
