import { join } from "node:path";
import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { compileProject } from "../../compile/compile-project.ts";
import type { Project } from "../../project/open-project.ts";
import { listed, many } from "../../util/many.ts";
import { pathExists } from "../../util/disk.ts";
import { type Argv, type Hint, suggest } from "../../util/suggest.ts";
import { type Endpoint, checkAddress } from "../service/connect.ts";
import type { StateView } from "../state/state.ts";
import type { Permission } from "./plan.ts";

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
  /** The menus that a saved plan creates, and the command that applies it. */
  creates: readonly string[] = [],
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
  creates: readonly string[] | undefined,
  confirmed: Argv,
  diagnostics: Diagnostics,
): boolean {
  const { origin, keys } = input.state;
  const { environment, settings } = input.endpoint;
  const missing = missingRecords(input, creates, confirmed);
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
