import { afterAll, beforeAll } from "vitest";
import { type Radosgw, startRadosgw } from "../../scripts/radosgw.mjs";
import { isInstalled, needs } from "./needs.ts";

/** The bucket of every server that is started here. */
export const bucket = "states";

/** A server for all tests of a file, with a bucket and what `prepare` adds. */
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

/** A prefix that nobody has used. */
export function freshPrefix(): string {
  prefixes += 1;
  return `p${process.pid}-${prefixes}`;
}
