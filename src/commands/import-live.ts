import { resolve } from "node:path";
import { checkState, unrecorded } from "../deploy/plan/guards.ts";
import { among, identified } from "../deploy/plan/reconcile.ts";
import { begun } from "../deploy/plan/plan.ts";
import { lookAt } from "../deploy/plan/read-live.ts";
import { Patterns } from "../deploy/plan/targets.ts";
import type { LiveMenus } from "../deploy/plan/live.ts";
import { type Endpoint, endpointOf } from "../deploy/service/connect.ts";
import { type Refusal, readState } from "../deploy/state/access.ts";
import { type Decide, recordChange } from "../deploy/state/change.ts";
import { openStore } from "../deploy/state/open-store.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { keyHelp, writeNew } from "../import/places.ts";
import {
  type SkippedMenu,
  type TakeOver,
  type TakenMenu,
  takeOver,
  whyUnresolved,
} from "../import/take-over.ts";
import { formattedMenu } from "../import/write-menu.ts";
import { shownPath } from "../project/files.ts";
import { type Project, openProject } from "../project/open-project.ts";
import type { StateEvent } from "../schema/state.ts";
import { groupBy } from "../util/group-by.ts";
import { Interruption } from "../util/interruption.ts";
import { listed, many } from "../util/many.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { isStdout } from "../util/replace-file.ts";
import { suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { takenOverResult } from "../views/import-live.ts";
import type { Result } from "../cli/result.ts";
import { serviceWatcher } from "../views/service.ts";
import type { Context } from "../cli/command.ts";
import type { lockFlags } from "../cli/flags.ts";
import { lockRequest, refusalCodes } from "../cli/state-command.ts";

type LiveContext = Context<
  typeof lockFlags & { readonly out: { readonly type: "string"; readonly about: string } }
>;

/** Writes the menus of the service that are not on record as menus of the project, and records them. */
export async function importLive(context: LiveContext): Promise<Result> {
  const { root, flags } = context;
  const diagnostics = new Diagnostics();
  const key = keyFor(context);
  const project = await openProject(context);
  const endpoint = endpointOf(project, diagnostics, { token: true, state: true });
  if (endpoint !== undefined && !endpoint.operations.has("list")) {
    diagnostics.add(
      "IVR424",
      endpoint.settings.place,
      `The environment \`${endpoint.environment}\` does not have the operation \`list\`.`,
      {
        words: `Add \`operations: [list]\` if the service offers it. To find out, run:`,
        argv: suggest("doctor", [], endpoint.environment),
      },
    );
  }
  const store =
    endpoint && !diagnostics.hasErrors
      ? await openStore(context, endpoint.environment, endpoint.state, diagnostics)
      : undefined;
  const isPrinted = flags.out !== undefined && isStdout(flags.out);
  // These problems do not keep other menus from being recorded.
  const notes = new Diagnostics();
  const found: Found = { menus: [], skipped: [], known: 0 };
  const look = (state: StateView): Promise<LiveMenus | Refusal> =>
    endpoint === undefined
      ? Promise.resolve("failed")
      : inspect(context, { project, endpoint, state, key, found, notes }, diagnostics);
  let refusal: Refusal | undefined = "failed";
  if (endpoint !== undefined && store !== undefined) {
    if (isPrinted) {
      const state = await readState(store, diagnostics);
      const live = state && (await look(state));
      refusal = live === undefined ? "failed" : typeof live === "string" ? live : undefined;
    } else {
      const decide: Decide = async ({ state }) => {
        const live = await look(state);
        if (typeof live === "string") return live;
        found.menus = found.menus.filter(
          ({ file, written }) => written === undefined || writeNew(root, file, written.text, notes),
        );
        const events = adoptions(found.menus, live);
        if (state.origin === null && events.length > 0) {
          const keys = new Set(found.menus.map((menu) => menu.key));
          const isPart = unrecorded(project, { keys }).length > 0;
          events.unshift(begun(endpoint.environment, endpoint.identity, isPart));
        }
        return events;
      };
      const opened = { environment: endpoint.environment, store, host: context.host };
      const request = lockRequest(context, endpoint.environment, "import --live", {});
      const changed = await recordChange(root, opened, request, decide, diagnostics);
      refusal = typeof changed === "string" ? changed : undefined;
    }
  }
  const isRecorded = refusal === undefined && !isPrinted;
  reportSkipped(found.skipped, context.args, notes);
  diagnostics.addAll(notes);
  const shown = { environment: endpoint?.environment ?? null, ...found, isPrinted, isRecorded };
  const exit = refusal === undefined ? (diagnostics.hasErrors ? 1 : 0) : refusalCodes[refusal];
  const problems = diagnostics.sorted();
  return { exit, diagnostics: problems, ...takenOverResult(shown, diagnostics.hasErrors) };
}

/** What was found on the service. The menus become fewer if a file cannot be written. */
interface Found {
  menus: readonly TakenMenu[];
  skipped: TakeOver["skipped"];
  known: number;
}

interface Inspected {
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly state: StateView;
  readonly key: string | undefined;
  readonly found: Found;
  readonly notes: Diagnostics;
}

/** Reads what the service has, and finds the menus to take over. */
async function inspect(
  context: LiveContext,
  { project, endpoint, state, key, found, notes }: Inspected,
  diagnostics: Diagnostics,
): Promise<LiveMenus | Refusal> {
  const { root, args } = context;
  const { environment } = project;
  const interruption = new Interruption(context.host, () =>
    context.terminal.say("\nInterrupted. Nothing was written or recorded.\n"),
  );
  try {
    const options = {
      root,
      host: context.host,
      watcher: serviceWatcher(context),
      state,
      environment,
      signal: interruption.halt,
    };
    const read = new Diagnostics();
    const present = await lookAt(endpoint, options, read);
    // A request that the user stopped is not a problem of the service.
    if (interruption.halt.aborted) return "interrupted";
    diagnostics.addAll(read);
    if (present?.live === undefined || environment === undefined) return "failed";
    const { agents, live } = present;
    const { numbers } = present.numbers ?? { numbers: [] };
    checkState(endpoint, agents, state, diagnostics);
    if (diagnostics.hasErrors) return "failed";
    const wanted = new Patterns(args);
    const listed = [...live.menus, ...live.unreadable];
    const names = listed.flatMap(({ name }) => name ?? []);
    const ids = new Set(listed.flatMap(({ id }) => id ?? []));
    for (const name of wanted.unmatched(names).filter((own) => !ids.has(own))) {
      const help = didYouMean(nearest(name, names)) ?? "Write the name as the console shows it.";
      notes.addAt("IVR664", menuPlace, `The service has no menu “${name}”.`, help, "error");
    }
    const isChosen = (id: string) => args.includes(id);
    const input = {
      root,
      project,
      environment,
      agents,
      live,
      numbers,
      state,
      key,
      isChosen,
      wants: ({ id, name }: { readonly id: string | null; readonly name: string | null }) =>
        name === null || wanted.has(name) || (id !== null && isChosen(id)),
    };
    const unresolved = whyUnresolved(input);
    for (const { reason, hint } of unresolved) {
      diagnostics.addAt("IVR664", menuPlace, `Nothing is imported. ${reason}`, hint, "error");
    }
    if (unresolved.length > 0) return "failed";
    const { menus, ...taken } = takeOver(input);
    Object.assign(found, { ...taken, menus: await Promise.all(menus.map(formattedText)) });
    return live;
  } finally {
    interruption.end();
  }
}

async function formattedText(menu: TakenMenu): Promise<TakenMenu> {
  if (menu.written === undefined) return menu;
  const text = await formattedMenu(menu.written.text);
  return { ...menu, written: { ...menu.written, text } };
}

const menuPlace = { file: "ivrs" };

/** The key of the menu whose file the user named. */
function keyFor({ root, args, flags: { out } }: LiveContext): string | undefined {
  if (out === undefined || isStdout(out)) return undefined;
  if (args.length !== 1) {
    throw new UsageError({
      words: "`--out FILE` works for one menu. Name the menu:",
      argv: ["import", "--live", "NAME", "--out", "FILE"],
    });
  }
  const file = shownPath(root, resolve(root, out));
  const key = /^ivrs\/(.+)\.yaml$/s.exec(file)?.[1];
  if (key === undefined) {
    throw new UsageError(
      "With `--live`, `--out` must be a file under ivrs/ that ends in .yaml, because the menu goes on record.",
    );
  }
  const help = keyHelp(key);
  if (help !== undefined) throw new UsageError(`\`${key}\` cannot be the key of a menu. ${help}`);
  return key;
}

function adoptions(menus: readonly TakenMenu[], live: LiveMenus): StateEvent[] {
  return menus.flatMap(({ key, id, content }): StateEvent[] => [
    {
      kind: "adopted",
      key,
      ...content,
      evidence: `import --live: ${among(live)}`,
    },
    identified(key, null, id, live),
  ]);
}

/** Reports the menus that are left out, those with the same reason together. */
function reportSkipped(
  skipped: readonly SkippedMenu[],
  named: readonly string[],
  diagnostics: Diagnostics,
): void {
  const groups = groupBy(skipped, ({ reason, hint }) => JSON.stringify([reason, hint]));
  for (const menus of groups.values()) {
    const [first] = menus;
    if (first === undefined) continue;
    const names = listed(menus.map(nameOf), maxListed);
    const isOne = menus.length === 1;
    const who = isOne ? `The menu ${names} is` : `${many(menus.length, "menu")} are`;
    const list = isOne ? "" : ` (${names})`;
    const reason = isOne ? first.reason : first.reason.replace(/^It /, "Each ");
    const message = `${who} not imported${list}. ${reason}`;
    const isNamed = menus.some(
      ({ id, name }) => named.includes(name ?? id ?? "") || named.includes(id ?? ""),
    );
    diagnostics.addAt("IVR664", menuPlace, message, first.hint, isNamed ? "error" : "warning");
  }
}

const maxListed = 5;

function nameOf({ id, name }: SkippedMenu): string {
  if (name === null) return id === null ? "without an id and a name" : id;
  return id === null ? `“${name}”` : `${id} “${name}”`;
}
