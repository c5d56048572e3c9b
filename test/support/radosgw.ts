import { type Radosgw, startRadosgw } from "../../scripts/radosgw.mjs";
import { sharedServer } from "./needs.ts";

/** The bucket that every test server has. */
export const bucket = "states";

/** Starts a server with a bucket for all tests of a file. `prepare` sets it up. */
export function radosgw(
  prepare: (server: Radosgw) => void | Promise<void> = () => {},
): () => Radosgw {
  return sharedServer(["radosgw", "curl"], async () => {
    const server = await startRadosgw();
    server.bucket(bucket);
    await prepare(server);
    return server;
  });
}

let prefixes = 0;

/** Returns an unused prefix. */
export function freshPrefix(): string {
  prefixes += 1;
  return `p${process.pid}-${prefixes}`;
}
