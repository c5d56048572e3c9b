import { unzipSync } from "fflate";

const maxTotal = 64 * 1024 * 1024;

/**
 * Returns the files of a zip archive by name; undefined if it is invalid. Leaves out files beyond a
 * total size. The sizes that the archive claims limit what is unpacked.
 */
export function unzip(archive: Buffer): ReadonlyMap<string, Buffer> | undefined {
  try {
    let total = 0;
    const files = unzipSync(archive, {
      filter: ({ size, originalSize }) => (total += Math.max(size, originalSize)) <= maxTotal,
    });
    return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]));
  } catch {
    return undefined;
  }
}
