import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { verdictOf } from "../call/verdict.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { pastMenus } from "../deploy/plan/past-menus.ts";
import type { Past } from "../preview/changes.ts";
import type { PreviewData } from "../preview/data.ts";
import { gather } from "../preview/gather.ts";
import { revisionName } from "../views/plan/outlook.ts";
import { Progress } from "../views/progress.ts";
import { loadedText, writtenText } from "../views/preview.ts";
import type { Result } from "../cli/result.ts";
import { visible } from "../util/visible.ts";
import { type Context, command } from "../cli/command.ts";
import { wholeNumber } from "../cli/flags.ts";
import { failedWith } from "../util/disk.ts";
import { UsageError } from "../util/usage-error.ts";
import { Interruption } from "../util/interruption.ts";
import { highestPort, whyNotListening } from "../cli/port.ts";
import { isStdout } from "../util/replace-file.ts";
import { runOnChange } from "../project/watch.ts";
import { describeSystemError } from "../util/system-error.ts";
import { type LoadedProject, loadProject } from "../compile/load-project.ts";

const defaultPort = 4011;

const flags = {
  base: {
    type: "string",
    value: "REF",
    about: "Compare the menus with those of this git revision",
  },
  out: {
    type: "string",
    value: "DIR",
    conflicts: "port",
    about: "Write the page to index.html in this folder instead of serving it",
  },
  port: {
    type: "string",
    value: "N",
    about: `Listen on this port (default: ${defaultPort}); 0 chooses a free one`,
  },
} as const;

export default command({
  about:
    "Serve a web page with a keypad to try menus while you edit.\n\nThe page shows the call so far, a picture of the menu, its tests and its problems. It updates when a file changes, until you press Ctrl-C. If a file is invalid, it shows the problems instead of the menu. Only this machine can open the page.\n\nWith --out, preview writes the page to a folder instead, for example for a pull request. It exits with 1 if a menu is invalid; failed tests do not count.\n\nWith --base, the page shows changed menus first, before and after side by side, and a call goes through both at once.\n\nThe documentation of the service does not say in which order recordings play. ivrctl assumes the order that `ivrctl call --help` describes.",
  flags,
  formats: ["text"],
  examples: [
    ["ivrctl preview", `serve it at http://127.0.0.1:${defaultPort}/ while you edit`],
    ["ivrctl preview --out site", "write site/index.html"],
    ["ivrctl preview --base origin/main --out site", "compare with the main branch"],
  ],
  async run(context): Promise<Result> {
    const { out, port } = context.flags;
    if (out === undefined)
      return serve(context, wholeNumber("--port", port ?? `${defaultPort}`, highestPort));
    if (out === "" || isStdout(out)) {
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
  const flags = { base, out: undefined, port: undefined };
  const { data } = await load({ ...context, flags }, { live: false });
  if (data.base === null) return false;
  const { previewDocument, writePage } = await import("../preview/document.ts");
  writePage(file, previewDocument(data));
  return true;
}

async function write(context: Context<typeof flags>, out: string): Promise<Result> {
  const { data, diagnostics } = await load(context, { live: false });
  if (isNoProject(diagnostics)) {
    return { exit: 1, diagnostics };
  }
  const { NotOurPage, previewDocument, writePage } = await import("../preview/document.ts");
  const file = join(out, "index.html");
  try {
    writePage(resolve(context.root, file), previewDocument(data));
  } catch (error) {
    const found = new Diagnostics();
    if (error instanceof NotOurPage) {
      found.addFile(
        "IVR121",
        file,
        `${file} already exists, and \`ivrctl preview\` did not write it.`,
        "Choose another folder with --out, or remove the file.",
      );
    } else if (failedWith(error, "EEXIST")) {
      found.addFile(
        "IVR121",
        out,
        `${out} is a file, but the page needs a folder with this name.`,
        "Choose another folder with --out.",
      );
    } else
      found.addFile("IVR121", file, `${file} cannot be written: ${describeSystemError(error)}.`);
    return { exit: 1, diagnostics: [...diagnostics, ...found.sorted()] };
  }
  const changed = data.menus.filter(({ change }) => change !== undefined).length;
  const written = { file, menus: countOf(data), ...(data.base && { changed }) };
  return {
    exit: diagnostics.some(({ severity }) => severity === "error") ? 1 : 0,
    diagnostics,
    notes: (page) => writtenText(written, page),
  };
}

/** Serves the page until Ctrl-C, which is the normal way to stop it. */
async function serve(context: Context<typeof flags>, port: number): Promise<Result> {
  const { root, terminal } = context;
  const { clock } = context.host;
  const { PreviewServer, host } = await import("../preview/server.ts");
  const interruption = new Interruption(context.host, () => {});
  let server: InstanceType<typeof PreviewServer> | undefined;
  try {
    await runOnChange({ root, clock, signal: interruption.halt }, async () => {
      const { data, diagnostics } = await load(context, { live: true });
      if (server === undefined) {
        if (isNoProject(diagnostics)) throw new NoProject(diagnostics);
        const first = new PreviewServer(data);
        terminal.out(`${await first.listen(port)}\n`);
        terminal.note(
          "The preview is running at this address. It updates when a file changes. Press Ctrl-C to stop it.\n",
        );
        server = first;
      } else server.show(data);
      terminal.note(loadedText(countOf(data), diagnostics, clock.now(), terminal.style));
    });
  } catch (error) {
    const why = whyNotListening(error, host, port);
    if (error instanceof NoProject) return { exit: 1, diagnostics: error.diagnostics };
    if (why === undefined) throw error;
    terminal.say(`ivrctl: ${visible(why)}\n`);
    return { exit: 1 };
  } finally {
    interruption.end();
    await server?.close();
  }
  return { exit: 0, notes: "The preview has stopped.\n" };
}

/** The number of menus in the current files. */
function countOf({ menus }: PreviewData): number {
  return menus.filter(({ change }) => change?.kind !== "deleted").length;
}

/** Whether there is nothing to show, because the folder has no project or git cannot read the revision. */
function isNoProject(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ code }) => code === "IVR126" || code === "IVR641");
}

class NoProject extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super();
    this.diagnostics = diagnostics;
  }
}

interface Loaded {
  readonly data: PreviewData;
  readonly diagnostics: readonly Diagnostic[];
}

async function load(
  context: Context<typeof flags>,
  { live }: Pick<PreviewData, "live">,
): Promise<Loaded> {
  const progress = new Progress({ what: "Reading the menus", noun: "menu file" }, context);
  const project = await loadProject(context, {
    paths: [],
    agentsRequired: true,
    advice: "all",
    tests: true,
    onCompiled: (done, total) => progress.update({ done, total }),
  });
  progress.end();
  const { environment, menus, compiled, tests } = project;
  const problems = new Diagnostics();
  const past = await pastOf(context, project, problems);
  const diagnostics = [...project.diagnostics, ...problems.sorted()];
  const found = {
    ...verdictOf(tests.suites, tests.invariants, tests.flow),
    environment: environment?.name,
    menus,
    compiled,
    past,
    diagnostics,
  };
  return { data: gather(found, { revision: randomUUID(), live }), diagnostics };
}

/** The menus of the revision that the user named; undefined if they cannot be compared. */
async function pastOf(
  context: Context<typeof flags>,
  { environment, agents }: LoadedProject,
  problems: Diagnostics,
): Promise<Past | undefined> {
  const { base: ref } = context.flags;
  if (ref === undefined || environment === undefined || agents === undefined) return undefined;
  const asked = { ref, place: context, environment: environment.name, agents };
  const past = await pastMenus(asked, problems);
  return past && { ...past, name: revisionName({ ref, commit: past.commit }) };
}
