import { afterAll, beforeAll } from "vitest";
import { type Radosgw, type RadosgwOptions, startRadosgw } from "../../scripts/radosgw.mjs";

/** The bucket of every server that is started here. */
export const bucket = "states";

/** A server for all tests of a file, with a bucket. */
export function radosgw(options: () => RadosgwOptions = () => ({})): () => Radosgw {
  let server: Radosgw | undefined;
  beforeAll(async () => {
    server = await startRadosgw(options());
    server.bucket(bucket);
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
