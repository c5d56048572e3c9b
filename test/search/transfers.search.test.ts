import { expect, test } from "vitest";
import { isInstalled } from "../support/needs.ts";
import {
  fewerSeconds,
  findings,
  only,
  patience,
  seed,
  startBucket,
  startDatabase,
} from "./settings.ts";
import { searchTransfers } from "./transfers.ts";

test("interrupted push and migrate leave one complete state", { timeout: patience }, async () => {
  // The other tests here report what is not installed.
  const postgres = isInstalled("PostgreSQL") ? await startDatabase() : undefined;
  const s3 = isInstalled("radosgw") ? await startBucket() : undefined;
  const stores = [
    "file" as const,
    ...(postgres ? ["postgres" as const] : []),
    ...(s3 ? ["s3" as const] : []),
  ];
  const pairs = stores.flatMap((from) => stores.map((to) => [from, to] as const));
  try {
    const servers = { ...(postgres && { postgres }), ...(s3 && { s3 }) };
    const searched = await searchTransfers({ seed, seconds: fewerSeconds, only, servers, pairs });
    expect(findings("transfers", "state push and migrate", searched)).toBe("");
  } finally {
    postgres?.close();
    s3?.close();
  }
});
