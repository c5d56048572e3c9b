import { join } from "node:path";
import type { Config } from "../../project/config.ts";
import { type StateSettings, readStateSettings } from "../../project/state-settings.ts";
import { FileStore } from "./file/store.ts";
import type { StateStore } from "./store.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { BucketField, BucketTexts } from "../../schema/bucket.ts";
import { type ProjectPlace, openConfiguration } from "../../project/open-project.ts";
import type { Context } from "../../cli/command.ts";
import type { Endpoint } from "../service/connect.ts";

/** An environment, and the store of its state. */
export interface Kept {
  readonly environment: string;
  readonly store: StateStore;
}

/** The environment and store of a command that needs nothing else of the configuration. */
export async function keptState(
  context: Pick<Context, "root" | "globals" | "variables">,
  diagnostics: Diagnostics,
): Promise<Kept | { readonly environment: string | null; readonly store?: undefined }> {
  const chosen = environmentIn(context, diagnostics);
  if (chosen === undefined) return { environment: null };
  const { config, environment } = chosen;
  const settings = readStateSettings(config, environment, context.variables, diagnostics);
  const store = settings && (await openStore(context, environment, settings, diagnostics));
  return store === undefined ? { environment } : { environment, store };
}

/** The environment of a command. Undefined, and reported, if none can be chosen. */
export function environmentIn(
  place: ProjectPlace,
  diagnostics: Diagnostics,
): { readonly config: Config; readonly environment: string } | undefined {
  const { config, environment, found } = openConfiguration(place);
  for (const part of Object.values(found)) diagnostics.addAll(part);
  if (config === undefined || environment === undefined || diagnostics.hasErrors) return undefined;
  return { config, environment: environment.name };
}

/** The store of a service's state. */
export async function storeFor(
  context: Surroundings,
  { environment, state }: Pick<Endpoint, "environment" | "state">,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  const settings = state();
  return settings && openStore(context, environment, settings, diagnostics);
}

/** Opens the store of an environment. Undefined, and reported, if the settings are invalid. */
export async function openStore(
  context: Surroundings,
  environment: string,
  settings: StateSettings,
  diagnostics: Diagnostics,
): Promise<StateStore | undefined> {
  switch (settings.kind) {
    case "file":
      return fileStore(context.root, environment);
    case "postgres": {
      const opened = await postgresStore(context, environment, settings);
      if (opened.kind === "store") return opened.store;
      diagnostics.add("IVR422", settings.place, opened.problem);
      return undefined;
    }
    case "s3": {
      const opened = await bucketStore(context, environment, settings.texts);
      if (opened.kind === "store") return opened.store;
      diagnostics.add("IVR422", settings.placeOf(opened.field), opened.problem);
      return undefined;
    }
  }
}

export function fileStore(root: string, environment: string): StateStore {
  return new FileStore(join(root, ".ivrctl/state"), environment);
}

/** Loads the code and the driver when they are needed. The problem never shows the address. */
export async function postgresStore(
  { root, variables }: Surroundings,
  environment: string,
  { url, schema }: { readonly url: string; readonly schema: string },
): Promise<
  | { readonly kind: "store"; readonly store: StateStore }
  | { readonly kind: "problem"; readonly problem: string }
> {
  const { readSettings } = await import("./postgres/settings.ts");
  const read = readSettings(url, variables);
  if (read.kind === "problem") return read;
  const { PostgresStore } = await import("./postgres/store.ts");
  const place = { root, settings: read.settings, schema };
  return { kind: "store", store: new PostgresStore(place, environment) };
}

/** Does the same for an object store. */
export async function bucketStore(
  { root, variables }: Surroundings,
  environment: string,
  texts: BucketTexts,
): Promise<
  | { readonly kind: "store"; readonly store: StateStore }
  | { readonly kind: "problem"; readonly field: BucketField; readonly problem: string }
> {
  const { readSettings } = await import("./s3/settings.ts");
  const read = readSettings(texts, variables);
  if (read.kind === "problem") return read;
  const { S3Store } = await import("./s3/store.ts");
  return { kind: "store", store: new S3Store({ root, settings: read.settings }, environment) };
}

/** What opening a store depends on. */
type Surroundings = Pick<Context, "root" | "variables">;
