import { isAbout } from "../diagnostics/groups.ts";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { pastMenus } from "../deploy/plan/changes/past-menus.ts";
import { planSince } from "../deploy/plan/changes/plan-since.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import type { PreviewData } from "../preview/data.ts";
import { type Comparison, gather, gatherSource } from "../preview/gather.ts";
import { revisionName } from "../views/plan/describe.ts";
import { tally } from "../views/diagnostics/text.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { Interruption } from "../util/interruption.ts";
import { openSource, sourceFlags } from "../cli/from-source.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { portFlag, startError } from "../cli/port.ts";
import { runOnChange } from "../project/watch.ts";
import { reportUnwritable } from "../project/write-file.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";

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

/**
 * Writes the page that compares the menus with a revision, and prints nothing. Returns false if they
 * cannot be compared.
 */
export async function writeComparison(
  context: Context,
  base: string,
  file: string,
): Promise<boolean> {
  const flags = { base, from: undefined, out: undefined, port: undefined };
  const { data } = await load({ ...context, flags }, { live: false });
  if (!data?.base) return false;
  const { previewDocument, writePage } = await import("../preview/document.ts");
  return writePage(file, previewDocument(data)) === undefined;
}

async function write(context: Context<typeof flags>, out: string): Promise<Result> {
  const { data, diagnostics } = await load(context, { live: false });
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
  const { PreviewServer, host } = await import("../preview/server.ts");
  const interruption = new Interruption(machine, () => {});
  const server = new PreviewServer();
  try {
    const isOfFiles = context.flags.from === undefined;
    const first = await load(context, { live: isOfFiles });
    if (first.data === undefined || isNoProject(first.diagnostics)) {
      return { exit: 1, diagnostics: first.diagnostics };
    }
    server.show(first.data);
    terminal.out(`${await server.listen(port)}\n`);
    const updates = isOfFiles ? "It updates when a file changes." : "It does not update.";
    terminal.note(`The preview is running at this address. ${updates} Press Ctrl-C to stop it.\n`);
    const update = async () => {
      const { data, diagnostics } = await load(context, { live: true });
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

interface Loaded {
  /** Undefined if the menus of a revision or of the service cannot be read. */
  readonly data: PreviewData | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

async function load(
  context: Context<typeof flags>,
  { live }: Pick<PreviewData, "live">,
): Promise<Loaded> {
  const { from } = context.flags;
  if (from !== undefined) {
    const source = await openSource(context, { paths: [], tests: true });
    const { environment } = openConfiguration(context);
    const at =
      from === "live"
        ? `on the service at ${clockTime(context.host.clock.now().toISOString())}`
        : `at ${from}`;
    const data = gatherSource(source, `${environment?.name ?? ""} ${at}`);
    return { data: source.isRead ? data : undefined, diagnostics: source.diagnostics };
  }
  const project = await loadProject(context, {
    paths: [],
    agentsRequired: true,
    advice: "all",
    tests: true,
  });
  const problems = new Diagnostics();
  const comparison = await compare(context, project, problems);
  const diagnostics = [...project.diagnostics, ...problems.sorted()];
  return { data: gather(project, diagnostics, comparison, live), diagnostics };
}

/** What changes since the revision that the user named; undefined if that cannot be compared. */
async function compare(
  context: Context<typeof flags>,
  project: LoadedProject,
  problems: Diagnostics,
): Promise<Comparison | undefined> {
  const { base: ref } = context.flags;
  const { environment, agents, menus, diagnostics } = project;
  if (ref === undefined || environment === undefined || agents === undefined) return undefined;
  const asked = { ref, place: context, environment: environment.name, agents };
  const read = await pastMenus(asked, problems);
  if (read === undefined) return undefined;
  // The menus of a file that cannot be read now are not deleted.
  const [readable, known] = [menus, diagnostics].map((all) => new Set(all.map(fileOf)));
  const isThere = ({ menu }: (typeof read.menus)[number]) =>
    readable?.has(fileOf(menu)) || !known?.has(fileOf(menu));
  const past = { ...read, menus: read.menus.filter(isThere) };
  const name = revisionName({ ref, commit: read.commit });
  return { name, past: read, plan: planSince(project, past, environment.name, new Diagnostics()) };
}

function fileOf(of: ResolvedMenu | Diagnostic): string {
  return "source" in of ? of.source.file : of.file;
}
