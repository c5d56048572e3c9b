import { vi } from "vitest";
import type { Radosgw } from "../../scripts/radosgw.mjs";
import { ownIdentity } from "../../src/deploy/state/process-identity.ts";
import { Bucket } from "../../src/deploy/state/s3/bucket.ts";
import { Log } from "../../src/deploy/state/s3/log.ts";
import { StoredObjects } from "../../src/deploy/state/s3/load.ts";
import { readSettings } from "../../src/deploy/state/s3/settings.ts";
import { S3Store } from "../../src/deploy/state/s3/store.ts";
import { bucket } from "./radosgw.ts";
import { testHost } from "./host.ts";

/** Returns the variables with the credentials of the bucket owner. */
export function credentialsOf({ accessKey, secretKey }: Pick<Radosgw, "accessKey" | "secretKey">) {
  return { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
}

/** Sets the credentials of the bucket owner in this process. */
export function useCredentials(keys: Pick<Radosgw, "accessKey" | "secretKey">): void {
  for (const [name, value] of Object.entries(credentialsOf(keys))) vi.stubEnv(name, value);
}

export function settingsOf(texts: Parameters<typeof readSettings>[0]) {
  const read = readSettings(texts, {});
  if (read.kind === "problem") throw new Error(read.problem);
  return read.settings;
}

/** Opens a store in the test bucket with the credentials of this process. */
export function storeAt(
  endpoint: string,
  prefix: string,
  { environment = "production", maxWait = 30_000 } = {},
) {
  const root = import.meta.dirname;
  return new S3Store(
    { host: testHost(), root, settings: settingsOf({ bucket, prefix, endpoint }), maxWait },
    environment,
  );
}

/** Leaves the lock of a dead process of this machine. Its PID now belongs to another process. */
export async function leaveDeadLock(
  endpoint: string,
  prefix: string,
  environment: string,
  id: string,
): Promise<void> {
  const settings = settingsOf({ bucket, prefix, endpoint });
  const place = new Bucket(import.meta.dirname, settings, testHost());
  const { log } = await Log.load(
    new StoredObjects(place, { environment, address: settings.address }),
    "the state",
  );
  const since = new Date().toISOString();
  const identity = { ...ownIdentity(testHost().machine), started: "1" };
  const lock = { id, by: `${id}@example`, command: "apply", since, ...identity };
  const held = { session: id, lock };
  await log.add(log.next({ kind: "locked", held }, id, new Date()));
  await place.close();
}
