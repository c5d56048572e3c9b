import type { Radosgw } from "../../scripts/radosgw.mjs";
import { bucket, freshPrefix } from "./radosgw.ts";
import { storeAt } from "./s3.ts";

/** Creates a place for a state. Tests can read, write and delete its objects directly. */
export function objectsOf(server: Radosgw, environment = "production", prefix = freshPrefix()) {
  const folder = `${prefix}/${environment}/`;
  const ask = async (method: string, name: string, body?: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(server.url(method, `/${bucket}/${folder}${name}`), {
      method,
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${name}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  return {
    prefix,
    open: () => storeAt(server.endpoint, prefix),
    names: (part = "") => server.keys(bucket, folder + part).map((key) => key.slice(folder.length)),
    get: (name: string) => ask("GET", name),
    put: (name: string, body: Buffer) => ask("PUT", name, new Uint8Array(body)),
    remove: (name: string) => ask("DELETE", name),
  };
}
