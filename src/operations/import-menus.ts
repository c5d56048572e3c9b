import { lockRequest, refusalCodes } from "./lock-request.ts";
import { compileProject } from "../workspace/compile-project.ts";
import { checkState } from "../deploy/plan/check-endpoint.ts";
import { describeList, identified, unresolved } from "../deploy/listed/reconcile.ts";
import type { LiveMenus } from "../deploy/listed/live-menus.ts";
import { readAccount } from "../deploy/listed/read-account.ts";
import { Patterns } from "../util/patterns.ts";
import { type Endpoint, chosenEndpoint, requireOperation } from "../deploy/service/connect.ts";
import { type Refusal, readState } from "../deploy/state/access.ts";
import { type Decide, recordChange } from "../deploy/state/change.ts";
import { openStore } from "../deploy/state/open-store.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { keyOfFile } from "../import/places.ts";
import { type SkippedMenu, type TakeOver, type TakenMenu, takeOver } from "../import/take-over.ts";
import { formattedMenu } from "../import/write-menu.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import { writeNew } from "../project/write-file.ts";
import type { StateEvent } from "../schema/state.ts";
import { groupBy } from "../util/group-by.ts";
import { Interruption } from "../util/interruption.ts";
import { listed } from "../util/many.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { takenOverResult } from "../views/import-result.ts";
import type { Result } from "../views/result.ts";
import { serviceWatcher } from "../views/service.ts";
import type { Caller } from "./caller.ts";

interface AskedMenus {
  /** Ids, names or patterns. Default: all menus that are not recorded. */
  readonly names: readonly string[];
  /** The file of the only menu. `-` prints all menus, and writes and records nothing. */
  readonly out?: string | undefined;
  /** In seconds. */
  readonly lockTimeout?: number | undefined;
}

/** Writes the menus of the service that are not recorded as menus of the project, and records them. */
export async function importMenus(caller: Caller, asked: AskedMenus): Promise<Result> {
  const { root } = caller;
  const { names, out, lockTimeout } = asked;
  const diagnostics = new Diagnostics();
  const isPrinted = out === "-";
  const project = await openProject(caller);
  const endpoint = chosenEndpoint(project, diagnostics, { token: true, state: true });
  if (endpoint) requireOperation(endpoint, "list", diagnostics);
  const store =
    endpoint && !diagnostics.hasErrors
      ? await openStore(caller, endpoint.environment, endpoint.state, diagnostics)
      : undefined;
  if (endpoint === undefined || store === undefined) {
    return { exit: 1, diagnostics: diagnostics.sorted() };
  }
  const { environment } = endpoint;
  // These problems do not keep other menus from being recorded.
  const notes = new Diagnostics();
  let taken: TakeOver = { menus: [], skipped: [], known: 0 };
  const look = (state: StateView) =>
    inspect(caller, asked, project, endpoint, state, diagnostics, notes);
  const decide: Decide = async ({ state }) => {
    const looked = await look(state);
    if (typeof looked === "string") return looked;
    const menus = looked.menus.filter(
      ({ file, written }) => written === undefined || writeNew(root, file, written.text, notes),
    );
    taken = { ...looked, menus };
    const evidence = `import --live: ${describeList(looked.live)}`;
    const events = menus.flatMap(({ key, id, content }): StateEvent[] => [
      { kind: "adopted", key, menu: content, evidence },
      identified(key, null, id, looked.live),
    ]);
    const done = new Set(menus.map((menu) => menu.key));
    const named = compileProject(project, { agents: undefined }).menus.flatMap(
      ({ key, movedFrom }) =>
        key === undefined || done.has(key) ? [] : { key, movedFrom: movedFrom?.value },
    );
    if (state.origin?.recovered !== undefined && unresolved(named, state).length === 0) {
      events.push({ kind: "completed" });
    }
    return events;
  };
  let refusal: Refusal | undefined;
  if (isPrinted) {
    const reading = await readState(store, diagnostics);
    const looked = reading === undefined ? "failed" : await look(reading.state);
    if (typeof looked === "string") refusal = looked;
    else taken = looked;
  } else {
    const opened = { environment, store };
    const request = lockRequest(caller, environment, "import --live", { lockTimeout });
    const changed = await recordChange(root, opened, request, decide, diagnostics);
    if (typeof changed === "string") refusal = changed;
  }
  reportSkipped(taken.skipped, names, notes);
  diagnostics.addAll(notes);
  const isRecorded = refusal === undefined && !isPrinted;
  const imported = { environment, ...taken, isPrinted, isRecorded };
  return {
    ...(refusal && { exit: refusalCodes[refusal] }),
    diagnostics: diagnostics.sorted(),
    ...takenOverResult(imported, diagnostics.hasErrors),
  };
}

/** Reads what the service has, and finds the menus to take over. */
async function inspect(
  caller: Caller,
  { names, out }: AskedMenus,
  project: Project,
  endpoint: Endpoint,
  state: StateView,
  diagnostics: Diagnostics,
  notes: Diagnostics,
): Promise<(TakeOver & { readonly live: LiveMenus }) | Refusal> {
  const { root, host } = caller;
  const { environment } = project;
  const key = keyOfFile(root, out);
  const interruption = new Interruption(host, () =>
    caller.terminal.say("\nInterrupted. Nothing was written or recorded.\n"),
  );
  try {
    const watcher = serviceWatcher(caller);
    const options = { root, host, watcher, state, environment, signal: interruption.halt };
    const read = new Diagnostics();
    const present = await readAccount(endpoint, options, read);
    // A request that the user stopped is not a problem of the service.
    if (interruption.halt.aborted) return "interrupted";
    diagnostics.addAll(read);
    const { menus: live, numbers: phones } = present?.lists ?? {};
    if (!present || live === undefined || environment === undefined) return "failed";
    const { agents } = present;
    checkState(endpoint, agents, state, diagnostics);
    if (diagnostics.hasErrors) return "failed";
    const wanted = new Patterns(names);
    const isChosen = (id: string) => names.includes(id);
    const all = [...live.menus, ...live.unreadable];
    const listedNames = all.flatMap(({ name }) => name ?? []);
    for (const name of wanted.unmatched(listedNames)) {
      if (all.some(({ id }) => id === name)) continue;
      const help =
        didYouMean(nearest(name, listedNames)) ?? "Write the name as the console shows it.";
      notes.addAt("IVR664", menuPlace, `The service has no menu “${name}”.`, help, "error");
    }
    const { menus, ...taken } = takeOver({
      root,
      project,
      environment,
      agents,
      live,
      numbers: phones?.numbers ?? [],
      state,
      key,
      isChosen,
      wants: ({ id, name }) => name === null || wanted.has(name) || (id !== null && isChosen(id)),
    });
    if (taken.refused) {
      const { reason, hint } = taken.refused;
      diagnostics.addAt("IVR664", menuPlace, `Nothing is imported. ${reason}`, hint, "error");
      return "failed";
    }
    const formatted: TakenMenu[] = [];
    for (const menu of menus) {
      const written = menu.written && (await formattedMenu(menu.written));
      formatted.push({ ...menu, written });
    }
    return { ...taken, menus: formatted, live };
  } finally {
    interruption.end();
  }
}

const menuPlace = { file: "ivrs" };

/** Reports the menus that are left out, those with the same reason together. */
function reportSkipped(
  skipped: readonly SkippedMenu[],
  named: readonly string[],
  diagnostics: Diagnostics,
): void {
  const groups = groupBy(skipped, ({ reason, hint }) => JSON.stringify([reason, hint]));
  for (const menus of groups.values()) {
    const [{ reason, hint }, ...others] = menus;
    const why = others.length === 0 ? reason : reason.replace(/^It /, "Each ");
    const message = `Not imported: ${listed(menus.map(nameOf), maxListed)}. ${why}`;
    const isNamed = menus.some(
      ({ id, name }) => named.includes(id ?? "") || named.includes(name ?? ""),
    );
    diagnostics.addAt("IVR664", menuPlace, message, hint, isNamed ? "error" : "warning");
  }
}

const maxListed = 5;

function nameOf({ id, name }: SkippedMenu): string {
  if (name === null) return id ?? "a menu without an id and a name";
  return id === null ? `“${name}”` : `${id} “${name}”`;
}
