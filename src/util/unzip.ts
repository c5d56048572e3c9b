import { unzipSync } from "fflate";

const maxFile = 64 * 1024 * 1024;

/** Returns the files of a zip archive by name; undefined if it is invalid. Leaves out huge files. */
export function unzip(archive: Buffer): ReadonlyMap<string, Buffer> | undefined {
  try {
    const files = unzipSync(archive, { filter: ({ originalSize }) => originalSize <= maxFile });
    return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]));
  } catch {
    return undefined;
  }
}
