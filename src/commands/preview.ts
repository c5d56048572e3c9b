import { sourceFlags } from "../cli/flags.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { PreviewData } from "../preview/data.ts";
import { tally } from "../views/diagnostics/diagnostics-text.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { Interruption } from "../util/interruption.ts";
import { portFlag, startError } from "../cli/port.ts";
import { runOnChange } from "../project/watch.ts";
import { reportUnwritable } from "../project/write-file.ts";
import { loadPreview } from "../operations/preview.ts";

const defaultPort = 4011;

const flags = {
  ...sourceFlags,
  base: {
    value: "REF",
    conflicts: "from",
    about: "Compare the menus with those of this git revision",
  },
  out: {
    value: "DIR",
    conflicts: "port",
    about: "Write the page to index.html in this folder instead of serving it",
  },
  port: portFlag(defaultPort),
} as const;

export default command({
  about:
    "Serve a web page with a keypad to try menus while you edit.\n\nThe page shows the call so far, a picture of the menu, its tests and its problems, whom callers reach, and what to record. It updates when a file changes, until you press Ctrl-C. If a file is invalid, it shows the problems and the last valid version of the menu. Only this machine can open the page.\n\nWith --out, preview writes the page to a folder instead, for example for a pull request. It exits with 1 if a menu is invalid; failed tests do not count.\n\nWith --from, the page shows the menus that the service has now, or those of a git revision. It does not update.\n\nWith --base, the page begins with what changes for callers, and a call goes through both versions at once.\n\nThe service's documentation does not say in which order recordings play. ivrctl assumes the order that `ivrctl call --help` describes.",
  flags,
  examples: [
    ["ivrctl preview", `serve it at http://127.0.0.1:${defaultPort}/ while you edit`],
    ["ivrctl preview --out site", "write site/index.html"],
    ["ivrctl preview --from live", "try what the service has now"],
    ["ivrctl preview --base origin/main --out site", "compare with the main branch"],
  ],
  async run(context): Promise<Result> {
    const { out, port = defaultPort } = context.flags;
    if (out === undefined) return serve(context, port);
    if (out === "" || out === "-") {
      throw new UsageError("`--out` must be a folder. preview writes index.html there.");
    }
    return write(context, out);
  },
});

async function write(context: Context<typeof flags>, out: string): Promise<Result> {
  const { data, diagnostics } = await loadPreview(context, { ...context.flags, live: false });
  if (data === undefined || isNoProject(diagnostics)) return { exit: 1, diagnostics };
  const { previewDocument, writePage } = await import("../preview/document.ts");
  const file = join(out, "index.html");
  const problem = writePage(resolve(context.root, file), previewDocument(data));
  if (problem !== undefined) {
    const found = new Diagnostics();
    reportUnwritable(file, problem, found, "Choose a different folder with --out.");
    return { diagnostics: [...diagnostics, ...found.sorted()] };
  }
  const changed = data.menus.filter(({ change }) => change !== undefined).length;
  const counts = `${many(countOf(data), "menu")}${data.base ? `, ${changed} changed` : ""}`;
  return {
    diagnostics,
    notes: ({ path }) => `Wrote ${visible(path(file))}: ${counts}.\n`,
  };
}

/** Serves the page until Ctrl-C, which is the normal way to stop it. */
async function serve(context: Context<typeof flags>, port: number): Promise<Result> {
  const { root, terminal, host: machine } = context;
  const { clock } = machine;
  const { PreviewServer, host } = await import("../preview/preview-server.ts");
  const interruption = new Interruption(machine, () => {});
  const server = new PreviewServer();
  try {
    const isOfFiles = context.flags.from === undefined;
    const first = await loadPreview(context, { ...context.flags, live: isOfFiles });
    if (first.data === undefined || isNoProject(first.diagnostics)) {
      return { exit: 1, diagnostics: first.diagnostics };
    }
    server.show(first.data);
    terminal.out(`${await server.listen(port)}\n`);
    const updates = isOfFiles ? "It updates when a file changes." : "It does not update.";
    terminal.note(`The preview is running at this address. ${updates} Press Ctrl-C to stop it.\n`);
    const update = async () => {
      const { data, diagnostics } = await loadPreview(context, { ...context.flags, live: true });
      if (data === undefined) return;
      server.show(data);
      const time = terminal.style("dim", clockTime(clock.now().toISOString()));
      const problems = tally(diagnostics);
      const see = problems === "" ? "" : `, ${problems}: see the page`;
      terminal.note(`${time}  ${many(countOf(data), "menu")}${see}\n`);
    };
    const { halt } = interruption;
    if (isOfFiles) await runOnChange({ root, clock, signal: halt }, update);
    else if (!halt.aborted) await once(halt, "abort");
  } catch (error) {
    throw startError(error, host, port);
  } finally {
    interruption.end();
    await server.close();
  }
  return { notes: "The preview has stopped.\n" };
}

/** The number of menus in the current files. */
function countOf({ menus }: PreviewData): number {
  return menus.filter(({ change }) => change?.kind !== "deleted").length;
}

/** Whether there is nothing to show, because the folder has no project or git cannot read the revision. */
function isNoProject(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((one) => isAbout(one, "no file", "no revision"));
}
