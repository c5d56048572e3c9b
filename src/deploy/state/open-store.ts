import type { Environment } from "../../project/environment.ts";
import { type StateSettings, readStateSettings } from "../../project/state-settings.ts";
import { StateStore } from "./log/state-store.ts";
import { logHost } from "./process-identity.ts";
import { FileWitness } from "./log/witness.ts";
import { SettingProblem } from "./lock.ts";
import { stores } from "./stores.ts";
import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { type ProjectPlace, openConfiguration } from "../../workspace/open-project.ts";
import { suggest } from "../../util/suggest.ts";

/** An environment and the store of its state. */
export interface OpenState {
  readonly environment: string;
  readonly store: StateStore;
  /** The store where the state was before, if ivrctl.yaml names one. */
  readonly from?: StateStore | undefined;
}

/** The state of the environment that the user asked for, and what its service can do. */
export interface ChosenState extends OpenState {
  readonly operations: Environment["operations"];
}

/** A state that could not be opened. */
export interface UnopenedState {
  /** Null if no environment could be chosen. */
  readonly environment: string | null;
  readonly store?: undefined;
}

/** Opens the state of the environment that the user asked for. */
export async function openState(
  place: ProjectPlace,
  diagnostics: Diagnostics,
): Promise<ChosenState | UnopenedState> {
  const { config, environment: chosen, found: problems } = openConfiguration(place);
  for (const part of Object.values(problems)) diagnostics.addAll(part);
  if (!config || !chosen || diagnostics.hasErrors) return { environment: null };
  const environment = chosen.name;
  const settings = readStateSettings(config, environment, place.host.env, diagnostics);
  const store = await openStore(place, environment, settings, diagnostics);
  if (settings === undefined || store === undefined) return { environment };
  const { id, from: before } = settings;
  const from = before && (await storeAt(place, environment, { id, store: before }, diagnostics));
  if (before !== undefined && from === undefined) return { environment };
  return { environment, operations: chosen.operations, store, from };
}

/** The part of a project's place that a store needs. */
type Project = Pick<ProjectPlace, "root" | "host">;

/**
 * Returns the store of a state. If ivrctl.yaml names no state, or if the settings are invalid, reports
 * that and returns undefined.
 */
export async function openStore(
  place: Project,
  environment: string,
  settings: StateSettings | undefined,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  if (settings === undefined) return undefined;
  if (isUnnamed(settings)) {
    reportUnnamed(environment, settings, diagnostics);
    return undefined;
  }
  return storeAt(place, environment, settings, diagnostics);
}

/** Whether ivrctl.yaml names no state, although the service is a real one. */
export function isUnnamed({ id, beginsAlone }: StateSettings): boolean {
  return id === undefined && !beginsAlone;
}

export function reportUnnamed(
  environment: string,
  { place }: StateSettings,
  diagnostics: Diagnostics,
  severity?: Severity,
): void {
  const message = `ivrctl.yaml has no state for ${environment}, so nothing can be applied.`;
  const argv = suggest("state init", [], environment);
  const hint = { words: "Initialize the state:", argv };
  diagnostics.add("IVR608", place, message, hint, severity);
}

/**
 * Opens the place of a state. Loads the driver of the store on first use. If a setting cannot be used,
 * reports it and returns undefined.
 */
export async function storeAt(
  { root, host }: Project,
  environment: string,
  { id, store, from }: Pick<StateSettings, "id" | "store"> & Partial<Pick<StateSettings, "from">>,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  try {
    const log = await stores[store.kind](store.settings, { root, host, environment, id });
    const witness = new FileWitness(root, environment, host.clock);
    const isMoving = from !== undefined;
    return new StateStore(log, { environment, id, witness, isMoving, host: logHost(host) });
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error;
    diagnostics.add("IVR407", store.placeOf(error.field), error.message);
    return undefined;
  }
}
