import { vi } from "vitest";
import type { Radosgw } from "../../scripts/radosgw.mjs";
import { Bucket } from "../../src/deploy/state/s3/bucket.ts";
import { type BucketSettings, bucketSettings } from "../../src/deploy/state/s3/bucket-settings.ts";
import { ObjectLog } from "../../src/deploy/state/s3/object-log.ts";
import { openStore } from "./memory-log.ts";
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

export function settingsOf(given: Parameters<typeof bucketSettings>[0]) {
  return bucketSettings(given, {});
}

/** Opens a store in the test bucket with the credentials of this process. */
export function storeAt(
  endpoint: string,
  prefix: string,
  { environment = "production", maxWait = 30_000 } = {},
) {
  return storeWith(settingsOf({ bucket, prefix, endpoint }), { environment, maxWait });
}

/** Opens a store with these settings. */
export function storeWith(
  settings: BucketSettings,
  { environment = "production", maxWait = 30_000 } = {},
) {
  const bucket = new Bucket(import.meta.dirname, settings, testHost());
  return openStore(new ObjectLog(bucket, environment), { environment, maxWait });
}
