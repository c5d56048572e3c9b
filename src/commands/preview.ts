import { sourceFlags } from "../cli/flags.ts";
import { join, resolve } from "node:path";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { many } from "../util/many.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { portFlag } from "../cli/port.ts";
import { servePage } from "../cli/serve-page.ts";
import { reportUnwritable } from "../project/write-file.ts";
import { isNoProject, loadPreview } from "../operations/preview.ts";

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
    "Serve a web page with a keypad to try menus while you edit.\n\nThe page shows the call so far, the flow of all calls, tests and problems, whom callers reach, and what to record. It updates when a file changes, until you press Ctrl-C. If a file is invalid, it shows the problems and the last valid version of the menu. Only this machine can open the page.\n\nWith --out, preview writes the page to a folder instead, for example for a pull request. It exits with 1 if a menu is invalid; failed tests do not count.\n\nWith --from, the page shows the menus that the service has now, or those of a git revision. It does not update.\n\nWith --base, the page begins with what changes for callers, and a call goes through both versions at once.\n\nThe service's documentation does not say in which order recordings play. ivrctl assumes the order that `ivrctl call --help` describes.",
  flags,
  examples: [
    ["ivrctl preview", `serve it at http://127.0.0.1:${defaultPort}/ while you edit`],
    ["ivrctl preview --out site", "write site/index.html"],
    ["ivrctl preview --from live", "try what the service has now"],
    ["ivrctl preview --base origin/main --out site", "compare with the main branch"],
  ],
  async run(context): Promise<Result> {
    const { out, port = defaultPort } = context.flags;
    if (out === undefined) return servePage(context, { ...context.flags, port });
    if (out === "" || out === "-") {
      throw new UsageError("`--out` must be a folder. preview writes index.html there.");
    }
    return write(context, out);
  },
});

async function write(context: Context<typeof flags>, out: string): Promise<Result> {
  const loaded = await loadPreview(context, { ...context.flags, live: false });
  const { data, diagnostics } = loaded;
  if (data === undefined || isNoProject(loaded)) return { exit: 1, diagnostics };
  const { previewDocument, writePage } = await import("../preview/document.ts");
  const file = join(out, "index.html");
  const problem = writePage(resolve(context.root, file), previewDocument(data));
  if (problem !== undefined) {
    const problems = new Diagnostics();
    reportUnwritable(file, problem, problems, "Choose a different folder with --out.");
    return { diagnostics: [...diagnostics, ...problems.sorted()] };
  }
  const deleted = data.menus.filter(({ change }) => change?.kind === "deleted").length;
  const changed = data.menus.filter(({ change }) => change !== undefined).length;
  const counts = `${many(data.menus.length - deleted, "menu")}${data.base ? `, ${changed} changed` : ""}`;
  return {
    diagnostics,
    notes: ({ path }) => `Wrote ${visible(path(file))}: ${counts}.\n`,
  };
}
