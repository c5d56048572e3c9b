import { afterAll, beforeAll } from "vitest";
import { type Radosgw, startRadosgw } from "../../scripts/radosgw.mjs";
import { isInstalled, needs } from "./needs.ts";

/** The bucket that every test server has. */
export const bucket = "states";

/** Starts a server with a bucket for all tests of a file. `prepare` sets it up. */
export function radosgw(
  prepare: (server: Radosgw) => void | Promise<void> = () => {},
): () => Radosgw {
  let server: Radosgw | undefined;
  needs("radosgw", "curl");
  beforeAll(async () => {
    if (!isInstalled("radosgw") || !isInstalled("curl")) return;
    server = await startRadosgw();
    server.bucket(bucket);
    await prepare(server);
  }, 300_000);
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error("The server has not been started.");
    return server;
  };
}

let prefixes = 0;

/** Returns an unused prefix. */
export function freshPrefix(): string {
  prefixes += 1;
  return `p${process.pid}-${prefixes}`;
}
