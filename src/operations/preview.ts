import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { pastMenus } from "../deploy/plan/changes/past-menus.ts";
import { planSince } from "../deploy/plan/changes/plan-since.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import type { PreviewData } from "../preview/data.ts";
import { type Comparison, gather, gatherSource } from "../preview/gather.ts";
import { revisionName } from "../views/plan/describe.ts";
import { clockTime } from "../util/time.ts";
import type { Files } from "../project/files.ts";
import { openSource } from "./opened-source.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import type { Caller } from "./caller.ts";

/**
 * Writes the page that compares the menus with a revision, and prints nothing. Returns false if they
 * cannot be compared.
 */
export async function writeComparison(
  caller: Caller,
  base: string,
  file: string,
): Promise<boolean> {
  const { data } = await loadPreview(caller, { base, live: false });
  if (!data?.base) return false;
  const { previewDocument, writePage } = await import("../preview/document.ts");
  return writePage(file, previewDocument(data)) === undefined;
}

interface AskedPreview extends Pick<PreviewData, "live" | "canEdit"> {
  /** The files to compare with, where git has none. */
  readonly past?: Files | undefined;
  /** The project of the files, if it is loaded. */
  readonly project?: LoadedProject | undefined;
  /** `live` or a git revision. Default: the files. */
  readonly from?: string | undefined;
  /** A git revision to compare with. */
  readonly base?: string | undefined;
}

export interface LoadedPreview {
  /** Undefined if the menus of a revision or of the service cannot be read. */
  readonly data: PreviewData | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The project, if its files are on disk. */
  readonly project?: LoadedProject;
}

/** Whether there is nothing to show, because the folder has no project or git cannot read the revision. */
export function isNoProject({ diagnostics }: LoadedPreview): boolean {
  return diagnostics.some((one) => isAbout(one, "no file", "no revision"));
}

/** Whether git has nothing to compare with. */
export function isWithoutRevision({ diagnostics }: LoadedPreview): boolean {
  return diagnostics.some((one) => isAbout(one, "no revision"));
}

/** What the preview page shows. */
export async function loadPreview(
  caller: Caller,
  { from, base, past, project: loaded, live, canEdit = false }: AskedPreview,
): Promise<LoadedPreview> {
  if (from !== undefined) {
    const source = await openSource(caller, { from, paths: [], tests: true });
    const { environment } = openConfiguration(caller);
    const at =
      from === "live"
        ? `on the service at ${clockTime(caller.host.clock.now().toISOString())}`
        : `at ${from}`;
    const data = gatherSource(source, `${environment?.name ?? ""} ${at}`);
    return { data: source.isRead ? data : undefined, diagnostics: source.diagnostics };
  }
  const asked = { paths: [], agentsRequired: true, advice: "all", tests: true } as const;
  const project = loaded ?? (await loadProject(caller, asked));
  const problems = new Diagnostics();
  const comparison = await compare(caller, { ref: base, past, canEdit }, project, problems);
  const diagnostics = [...project.diagnostics, ...problems.sorted()];
  const data = gather(project, diagnostics, comparison, live);
  const { root, host } = caller;
  const isInEditor = live && host.env["TERM_PROGRAM"] === "vscode";
  const opens = isInEditor ? root : undefined;
  return { data: { ...data, opens, canEdit }, diagnostics, project };
}

/** What changes since the revision that the user named; undefined if that cannot be compared. */
async function compare(
  place: Caller,
  {
    ref,
    past: files,
    canEdit,
  }: {
    readonly ref: string | undefined;
    readonly past: Files | undefined;
    readonly canEdit: boolean;
  },
  project: LoadedProject,
  problems: Diagnostics,
): Promise<Comparison | undefined> {
  const { environment, agents, menus, diagnostics } = project;
  if (ref === undefined || environment === undefined || agents === undefined) return undefined;
  const asked = { ref, place, environment: environment.name, agents, past: files };
  const read = await pastMenus(asked, problems);
  if (read === undefined) return undefined;
  // The menus of a file that cannot be read now are not deleted.
  const [readable, faulty] = [menus, diagnostics].map((all) => new Set(all.map(fileOf)));
  const isThere = ({ menu }: (typeof read.menus)[number]) =>
    readable?.has(fileOf(menu)) || !faulty?.has(fileOf(menu));
  const past = { ...read, menus: read.menus.filter(isThere) };
  // People who edit here do not say HEAD.
  const revision = { ref: canEdit ? "the last commit" : ref, commit: read.commit };
  const name = files ? "the start of this session" : revisionName(revision);
  return { name, past: read, plan: planSince(project, past, environment.name, new Diagnostics()) };
}

function fileOf(of: ResolvedMenu | Diagnostic): string {
  return "source" in of ? of.source.file : of.file;
}
