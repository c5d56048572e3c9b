import { join } from "node:path";
import type { Config } from "../../project/config.ts";
import {
  type StateSettings,
  type StoreSettings,
  readStateSettings,
} from "../../project/state-settings.ts";
import { FileLog } from "./files/file-log.ts";
import type { CommitLog } from "./log/commit-log.ts";
import { LogStore } from "./log/log-store.ts";
import { logHost } from "./log/log-host.ts";
import { FileWitness } from "./log/witness.ts";
import type { StateStore } from "./store.ts";
import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { type ProjectPlace, openConfiguration } from "../../project/open-project.ts";
import type { Host } from "../../util/host.ts";
import { suggest } from "../../util/suggest.ts";

/** An environment and the store of its state. */
export interface OpenState {
  readonly environment: string;
  readonly store: StateStore;
  /** The store where the state was before, if ivrctl.yaml names one. */
  readonly from?: StateStore | undefined;
  readonly host: Host;
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
): Promise<OpenState | UnopenedState> {
  const chosen = environmentIn(place, diagnostics);
  if (chosen === undefined) return { environment: null };
  const { config, environment } = chosen;
  const settings = readStateSettings(config, environment, place.host.env, diagnostics);
  const store = await openStore(place, environment, settings, diagnostics);
  if (settings === undefined || store === undefined) return { environment };
  const { id, from: before } = settings;
  const from = before && (await storeAt(place, environment, { id, store: before }, diagnostics));
  if (before !== undefined && from === undefined) return { environment };
  return { environment, store, from, host: place.host };
}

/** Returns the environment that the user asked for. If there is none, reports why and returns undefined. */
function environmentIn(
  place: ProjectPlace,
  diagnostics: Diagnostics,
): { readonly config: Config; readonly environment: string } | undefined {
  const { config, environment, found } = openConfiguration(place);
  for (const part of Object.values(found)) diagnostics.addAll(part);
  if (config === undefined || environment === undefined || diagnostics.hasErrors) return undefined;
  return { config, environment: environment.name };
}

/** The part of a project's place that a store needs. */
type StorePlace = Pick<ProjectPlace, "root" | "host">;

/**
 * Returns the store of a state. If ivrctl.yaml names no state, or if the settings are invalid, reports
 * that and returns undefined.
 */
export async function openStore(
  place: StorePlace,
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
  const message = `ivrctl.yaml names no state for ${environment}, so nothing can be applied.`;
  const argv = suggest("state init", [], environment);
  const hint = { words: "Begin the state:", argv };
  diagnostics.add("IVR608", place, message, hint, severity);
}

/** Opens the place of a state. Loads the driver of the store on first use. */
export async function storeAt(
  { root, host }: StorePlace,
  environment: string,
  { id, store, from }: Pick<StateSettings, "id" | "store"> & Partial<Pick<StateSettings, "from">>,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  const log = await logAt({ root, host }, environment, id, store, diagnostics);
  if (log === undefined) return undefined;
  const witness = new FileWitness(root, environment, host.clock);
  const isMoving = from !== undefined;
  return new LogStore(log, { environment, id, witness, isMoving, host: logHost(host) });
}

async function logAt(
  { root, host }: StorePlace,
  environment: string,
  id: string | undefined,
  store: StoreSettings,
  diagnostics: Diagnostics,
): Promise<CommitLog | undefined> {
  switch (store.kind) {
    case "file":
      return new FileLog(join(root, ".ivrctl/state", environment), host.clock, id);
    case "git": {
      const { BranchLog } = await import("./git/branch-log.ts");
      return new BranchLog({ root, host, ...store.settings }, environment, id);
    }
    case "postgres": {
      const { readSettings } = await import("./postgres/settings.ts");
      const read = readSettings(store.url, host.env);
      if (read.kind === "problem") {
        // The problem never shows the address.
        diagnostics.add("IVR407", store.place, read.problem);
        return undefined;
      }
      const { TableLog } = await import("./postgres/table-log.ts");
      const { schema } = store;
      return new TableLog({ root, host, settings: read.settings, schema }, environment, id);
    }
    case "s3": {
      const { readSettings } = await import("./s3/settings.ts");
      const read = readSettings(store.texts, host.env);
      if (read.kind === "problem") {
        diagnostics.add("IVR407", store.placeOf(read.field), read.problem);
        return undefined;
      }
      const { ObjectLog } = await import("./s3/object-log.ts");
      const { Bucket } = await import("./s3/bucket.ts");
      const { settings } = read;
      const open = () => new Bucket(root, settings, host);
      return new ObjectLog(settings.address, open, environment, id);
    }
  }
}
