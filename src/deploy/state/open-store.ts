import { join } from "node:path";
import type { Config } from "../../project/config.ts";
import { type StateSettings, readStateSettings } from "../../project/state-settings.ts";
import { FileLog } from "./files/file-log.ts";
import type { CommitLog } from "./log/commit-log.ts";
import { LogStore } from "./log/log-store.ts";
import { logHost } from "./log/log-host.ts";
import { FileWitness } from "./log/witness.ts";
import type { StateStore } from "./store.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { BucketField, BucketTexts } from "../../schema/bucket.ts";
import type { GitSettings } from "../../schema/git-branch.ts";
import { type ProjectPlace, openConfiguration } from "../../project/open-project.ts";
import type { Host } from "../../util/host.ts";

/** An environment and the store of its state. */
export interface OpenState {
  readonly environment: string;
  readonly store: StateStore;
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
  return store === undefined ? { environment } : { environment, store, host: place.host };
}

/** Returns the environment that the user asked for. If there is none, reports why and returns undefined. */
export function environmentIn(
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

/** Returns the store of a state. If its settings are invalid, reports that and returns undefined. */
export async function openStore(
  place: StorePlace,
  environment: string,
  settings: StateSettings | undefined,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  switch (settings?.kind) {
    case undefined:
      return undefined;
    case "file":
      return fileStore(place, environment);
    case "postgres": {
      const opened = await postgresStore(place, environment, settings);
      if (opened.kind === "store") return opened.store;
      diagnostics.add("IVR407", settings.place, opened.problem);
      return undefined;
    }
    case "s3": {
      const opened = await bucketStore(place, environment, settings.texts);
      if (opened.kind === "store") return opened.store;
      diagnostics.add("IVR407", settings.placeOf(opened.field), opened.problem);
      return undefined;
    }
    case "git":
      return gitStore(place, environment, settings.settings);
  }
}

/** The store is loaded only when it is used. */
export async function gitStore(
  { root, host }: StorePlace,
  environment: string,
  { remote, branch }: GitSettings,
): Promise<StateStore> {
  const { BranchLog } = await import("./git/branch-log.ts");
  const log = new BranchLog({ root, remote, branch, host }, environment);
  return storeOf({ root, host }, environment, log);
}

export function fileStore(place: StorePlace, environment: string): StateStore {
  const folder = join(place.root, ".ivrctl/state", environment);
  return storeOf(place, environment, new FileLog(folder, place.host.clock));
}

/** Opens a store in PostgreSQL. Loads its driver on first use. The problem never shows the address. */
export async function postgresStore(
  { root, host }: StorePlace,
  environment: string,
  { url, schema }: { readonly url: string; readonly schema: string },
): Promise<
  | { readonly kind: "store"; readonly store: StateStore }
  | { readonly kind: "problem"; readonly problem: string }
> {
  const { readSettings } = await import("./postgres/settings.ts");
  const read = readSettings(url, host.env);
  if (read.kind === "problem") return read;
  const { TableLog } = await import("./postgres/table-log.ts");
  const log = new TableLog({ root, host, settings: read.settings, schema }, environment);
  return { kind: "store", store: storeOf({ root, host }, environment, log) };
}

/** Opens a store in S3. Loads its driver on first use. */
export async function bucketStore(
  { root, host }: StorePlace,
  environment: string,
  texts: BucketTexts,
): Promise<
  | { readonly kind: "store"; readonly store: StateStore }
  | { readonly kind: "problem"; readonly field: BucketField; readonly problem: string }
> {
  const { readSettings } = await import("./s3/settings.ts");
  const read = readSettings(texts, host.env);
  if (read.kind === "problem") return read;
  const { ObjectLog } = await import("./s3/object-log.ts");
  const { Bucket } = await import("./s3/bucket.ts");
  const { settings } = read;
  const open = () => new Bucket(root, settings, host);
  const log = new ObjectLog(settings.address, open, environment);
  return { kind: "store", store: storeOf({ root, host }, environment, log) };
}

function storeOf({ root, host }: StorePlace, environment: string, log: CommitLog): StateStore {
  const witness = new FileWitness(root, environment, host.clock);
  return new LogStore(log, { environment, witness, host: logHost(host) });
}
