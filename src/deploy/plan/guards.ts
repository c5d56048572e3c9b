import { join } from "node:path";
import { type Agents, normalName } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { FollowUp } from "../../schema/state.ts";
import type { Payload } from "../../schema/wire.ts";
import { digestOf } from "./digest.ts";
import { compileProject } from "../../compile/compile-project.ts";
import type { Project } from "../../project/open-project.ts";
import { listed, many } from "../../util/many.ts";
import { pathExists } from "../../util/disk.ts";
import { type Argv, type Hint, suggest, withSentence } from "../../util/suggest.ts";
import { type Endpoint, checkAddress } from "../service/connect.ts";
import type { StateView } from "../state/state.ts";
import {
  type Change,
  type Creating,
  type Permission,
  type Plan,
  type Sending,
  type WantedMenu,
  isCreating,
  isDeleting,
  isSending,
} from "./plan.ts";

interface Guarded {
  readonly environment: string;
  /** The menus and changes that the targets select. */
  readonly menus: readonly WantedMenu[];
  readonly changes: readonly Change[];
  /** The changes of the whole project. */
  readonly all: readonly Change[];
  readonly state: StateView;
  /** The open follow-ups whose menus the service still has, by their digests. */
  readonly oldMenus: ReadonlyMap<string, readonly FollowUp[]>;
}

/**
 * Reports changes that are most likely a mistake. Returns the keys for which nothing may
 * be sent until a person resolves an unknown outcome.
 */
export function guardChanges(
  { environment, menus, changes, all, state, oldMenus }: Guarded,
  diagnostics: Diagnostics,
): ReadonlySet<string> {
  const menuOf = new Map(menus.map((menu) => [menu.key, menu]));
  const { forgotten, unknown } = lookalikesIn(all);
  const held = new Set<string>();
  for (const change of changes) {
    const { key } = change;
    const menu = menuOf.get(key);
    if (menu === undefined || !(isSending(change) || change.action === "waiting")) continue;
    // An update makes no second menu.
    const pending = change.action === "update" ? undefined : unknown.find(change);
    if (pending !== undefined) {
      held.add(key);
      diagnostics.add(
        "IVR615",
        menu.at.name,
        `\`${key}\` ${pending.alike}, whose outcome is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
        withSentence(
          `Add \`moved_from: ${pending.key}\` if you renamed the file.`,
          resolveHelp(pending.key, environment),
        ),
      );
      continue;
    }
    const isNew = !("before" in change) || change.before === null;
    const gone = isNew && change.action !== "update" ? forgotten.find(change) : undefined;
    if (gone !== undefined) {
      diagnostics.add(
        "IVR609",
        menu.at.name,
        `\`${key}\` ${gone.alike}, whose file is gone. Was the file renamed?`,
        {
          words: `Add \`moved_from: ${gone.key}\` if it was. If you want both menus, first delete the old record:`,
          argv: suggest("state rm", [gone.key], environment),
        },
      );
    }
    const isRefused = !isNew && menu.onChange === "refuse" && !onlyPutsBack(change);
    if (isRefused) refuseChange(change, menu, diagnostics);
    if (change.action === "update") continue;
    const open = oldMenus.get(change.after.digest)?.map(({ id }) => id) ?? [];
    if (open.length > 0) reportFollowUps(open, menu, environment, diagnostics);
  }
  for (const menu of menus) checkMove(menu, state, environment, diagnostics);
  return held;
}

/** Reports a menu that must not change. Its own file may be the same as before. */
function refuseChange(
  change: Sending | Waiting,
  { key, at }: WantedMenu,
  diagnostics: Diagnostics,
): void {
  const isWaiting = change.action === "waiting";
  const target = isWaiting
    ? change.waitsFor.find(({ because }) => because === "sent")?.key
    : undefined;
  // It may be the same as on record, once the ids of the menus that it leads to are known.
  if (isWaiting && target === undefined) return;
  const why =
    target === undefined
      ? "has changed since it was applied"
      : `has to change, because it leads to \`${target}\` and needs its new id`;
  diagnostics.add(
    "IVR610",
    at.top,
    `\`${key}\` ${why}, but it has \`on_change: refuse\`.`,
    "Undo the change, or set `on_change: replace`.",
  );
}

/** Whether an update only puts back what somebody changed on the console. */
function onlyPutsBack(change: Change): boolean {
  return change.action === "update" && digestOf(change.before.payload) === change.after.digest;
}

interface Recorded {
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly state: StateView;
}

/** Why apply may create menus a second time, and what to do. */
interface Missing {
  readonly message: string;
  readonly hint: Hint;
}

/**
 * Says what the state lacks, if the service may have menus that are not on record: there is no state
 * yet, or a lost state is being recorded again. Only the embedded sandbox cannot: an address on this
 * machine can be a tunnel to a real service.
 */
export function missingRecords(
  { project, endpoint, state }: Recorded,
  /** The changes of a saved plan, and the command that applies it. */
  saved: readonly Change[] = [],
  confirmed = suggest("apply", [], endpoint.environment, ["--new-state"]),
): Missing | undefined {
  const { settings, environment, address } = endpoint;
  if (settings.kind === "sandbox") return undefined;
  if (state.origin === null) {
    return {
      message: `There is no state for ${address}. Apply would create every menu, even those that already exist.`,
      hint: stateInFiles(project.root, endpoint) ?? {
        words:
          "Restore the state if it was lost, or record the menus that exist with `ivrctl state resolve KEY… --created`. If you have never applied menus to this service, run:",
        argv: confirmed,
      },
    };
  }
  if (state.origin.recovering === undefined) return undefined;
  const creates = saved.flatMap(({ action, key }) => (action === "create" ? key : []));
  const keys = [...new Set([...unrecorded(project, state), ...creates])];
  if (keys.length === 0) return undefined;
  return {
    message: `The state of ${environment} is not complete: it has no record of ${listed(keys)}. Apply would create ${keys.length === 1 ? "this menu, even if it already exists" : `these ${keys.length} menus, even those that already exist`}.`,
    hint: {
      words:
        "Record the menus that exist with `ivrctl state resolve KEY… --created`. If none of them exists, run:",
      argv: confirmed,
    },
  };
}

/** Refuses an apply without `--new-state` if the state lacks menus, and with it if the state lacks none. */
export function guardNewState(
  input: Recorded,
  isConfirmed: boolean,
  saved: readonly Change[] | undefined,
  confirmed: Argv,
  diagnostics: Diagnostics,
): boolean {
  const { origin, keys } = input.state;
  const { environment, settings } = input.endpoint;
  const missing = missingRecords(input, saved, confirmed);
  if (missing !== undefined && !isConfirmed) {
    diagnostics.add("IVR608", settings.place, missing.message, missing.hint);
    return true;
  }
  if (missing === undefined && isConfirmed && origin !== null) {
    diagnostics.add(
      "IVR620",
      settings.place,
      `The state of ${environment} exists, with ${many(keys.size, "menu")}. \`--new-state\` is only for the first apply.`,
      "Apply without `--new-state`. In a pipeline, start the job again without `new-state`.",
    );
    return true;
  }
  return false;
}

/** The menus of the project that have no record. */
export function unrecorded(
  project: Project,
  { keys }: { readonly keys: { has(key: string): boolean } },
): string[] {
  return compileProject(project, { agents: undefined }).menus.flatMap(({ key, movedFrom }) =>
    key === undefined || keys.has(key) || (movedFrom && keys.has(movedFrom.value)) ? [] : key,
  );
}

/**
 * Explains how to move a state that is still in files of the project, although ivrctl.yaml names
 * another store. Undefined if there is none.
 */
function stateInFiles(
  root: string,
  { environment, state }: Pick<Endpoint, "environment" | "state">,
): Hint | undefined {
  const file = `.ivrctl/state/${environment}`;
  if (state === undefined || state.kind === "file" || !pathExists(join(root, file)))
    return undefined;
  const argv = suggest("state migrate", [], environment, [
    "--to",
    state.kind === "git" ? "git" : "STORE",
  ]);
  const words = `There is a state in ${file}. To move it, remove \`state:\` under \`${environment}\` from ivrctl.yaml, run the command below, and write \`state:\` again:`;
  return { words, argv };
}

/** Checks that the state belongs to this service: by its address, and by the agents if there is a list. */
export function checkState(
  endpoint: Endpoint,
  agents: Agents | undefined,
  state: StateView,
  diagnostics: Diagnostics,
): void {
  const { settings, address } = endpoint;
  const { keys, followUps } = state;
  checkAddress(endpoint, state, diagnostics);
  if (agents === undefined) return;
  const records = [
    ...[...keys.values()].flatMap(({ current, pending }) => [current, pending]),
    ...[...followUps.values()].map(({ record }) => record),
  ];
  const eids = new Set(
    records.flatMap((record) => record?.naming.agents.map(({ eid }) => eid) ?? []),
  );
  if (eids.size > 0 && ![...eids].some((eid) => agents.with("eid", eid).length > 0)) {
    diagnostics.add(
      "IVR607",
      settings.place,
      `The agent list of ${address} has none of the extension ids in the state, so it is from another account.`,
      "Check the token and the address of the environment.",
    );
  }
}

/** Reports a permission for an operation that the service does not have. */
export function checkPermissions(
  { operations, settings }: Endpoint,
  allowed: ReadonlySet<Permission>,
  diagnostics: Diagnostics,
): void {
  if (!allowed.has("delete") || operations.has("delete")) return;
  diagnostics.add(
    "IVR424",
    settings.place,
    "`--allow delete` has no effect, because `operations:` does not have `delete`.",
    "Add `delete` to `operations:` if the service offers it, or do not allow it.",
  );
}

/** Checks the limit on creates, which the command line or the environment sets. */
export function checkSize(
  { changes }: Plan,
  maxCreates: number | undefined,
  { maxCreates: configured }: Endpoint,
  diagnostics: Diagnostics,
): void {
  const limit = maxCreates ?? configured?.count;
  const count = changes.filter(isCreating).length;
  if (limit === undefined || count <= limit) return;
  const message = `The plan creates ${many(count, "menu")}, but the limit is ${limit}.`;
  const raise =
    maxCreates === undefined ? "raise `max_creates:`, add --max-creates N" : "raise --max-creates";
  const hint = `Check that the plan is right. Then ${raise}, or plan fewer menus with --target KEY.`;
  if (maxCreates === undefined && configured !== undefined) {
    diagnostics.add("IVR612", configured.place, message, hint);
  } else diagnostics.addAt("IVR612", { file: "ivrs" }, message, hint);
}

type Waiting = Extract<Change, { action: "waiting" }>;

/** The menus whose files are gone, and those whose outcomes are unknown. */
function lookalikesIn(changes: readonly Change[]) {
  const [forgotten, unknown] = [new Lookalikes(), new Lookalikes()];
  for (const change of changes) {
    if (change.action === "forget" || isDeleting(change))
      forgotten.add(change.key, change.before.payload);
    if (change.action !== "unknown") continue;
    unknown.add(change.key, change.pending.payload);
    if (change.before !== null && change.file === "gone") {
      unknown.add(change.key, change.before.payload);
    }
  }
  return { forgotten, unknown };
}

/** Menus under other keys that may be the same as a new menu. */
class Lookalikes {
  readonly #byName = new Map<string, string>();
  readonly #byDigest = new Map<string, string>();

  add(key: string, payload: Payload): void {
    this.#byName.set(normalName(payload.name), key);
    this.#byDigest.set(digestOf(payload), key);
  }

  /** Returns the key of a menu that may be the same. `alike` says what both have in common. */
  find({
    after,
  }: Creating | Waiting): { readonly key: string; readonly alike: string } | undefined {
    const same = this.#byDigest.get(after.digest);
    if (same !== undefined) return { key: same, alike: `is identical to \`${same}\`` };
    const namesake = this.#byName.get(normalName(after.payload.name));
    return namesake === undefined
      ? undefined
      : { key: namesake, alike: `has the same name as \`${namesake}\`` };
  }
}

const maxListed = 5;

/** Warns that a menu identical to the new one is still on the service. */
function reportFollowUps(
  open: readonly string[],
  { key, at }: WantedMenu,
  environment: string,
  diagnostics: Diagnostics,
): void {
  const more = open.length > maxListed ? ` and ${open.length - maxListed} more` : "";
  const ids = open.slice(0, maxListed);
  diagnostics.add(
    "IVR614",
    at.top,
    `The service still has a menu identical to the new \`${key}\`: follow-up ${ids.join(", ")}${more}.`,
    {
      words: "Check whether it is out of service. If it is, first run:",
      argv: suggest("state done", ids, environment),
    },
  );
}

function checkMove(
  { key, movedFrom, at }: WantedMenu,
  state: StateView,
  environment: string,
  diagnostics: Diagnostics,
): void {
  const old = movedFrom === undefined ? undefined : state.keys.get(movedFrom);
  if (movedFrom === undefined || old === undefined) return;
  if (state.keys.has(key)) {
    diagnostics.add(
      "IVR611",
      at.movedFrom,
      `Both \`${movedFrom}\` and \`${key}\` are in the state, so \`${movedFrom}\` cannot be moved.`,
      {
        words: `Remove \`moved_from\`, or delete the old record:`,
        argv: suggest("state rm", [movedFrom], environment),
      },
    );
  } else if (old.pending !== null) {
    diagnostics.add(
      "IVR615",
      at.movedFrom,
      `The outcome of \`${movedFrom}\` is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
      resolveHelp(movedFrom, environment),
    );
  }
}

/** `state show` prints what to look for, and both commands that resolve the outcome. */
function resolveHelp(key: string, environment: string): Hint {
  return {
    words: "Look for the menu on the console. To see how to resolve its outcome, run:",
    argv: suggest("state show", [key], environment),
  };
}
