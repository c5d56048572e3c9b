import type { Radosgw } from "../../scripts/radosgw.mjs";
import { readSettings } from "../../src/deploy/state/s3/settings.ts";
import { S3Store } from "../../src/deploy/state/s3/store.ts";
import { bucket } from "./radosgw.ts";

/** The variables by which the owner of the buckets is known. */
export function credentialsOf({ accessKey, secretKey }: Pick<Radosgw, "accessKey" | "secretKey">) {
  return { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
}

export function settingsOf(texts: Parameters<typeof readSettings>[0]) {
  const read = readSettings(texts, {});
  if (read.kind === "problem") throw new Error(read.problem);
  return read.settings;
}

/** A store in the bucket of the tests; the credentials are those of this process. */
export function storeAt(
  endpoint: string,
  prefix: string,
  { environment = "production", patience = 30_000 } = {},
) {
  const root = import.meta.dirname;
  return new S3Store(
    { root, settings: settingsOf({ bucket, prefix, endpoint }), patience },
    environment,
  );
}
