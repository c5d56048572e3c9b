import * as z from "zod/mini";

/** Many small pieces in one file, for one read; each is understood when it is asked for. */
export interface Pack {
  /** What is said of all of them. */
  readonly head: unknown;
  readonly pieces: ReadonlyMap<string, Buffer>;
}

// The length of the index, the index as JSON, and the pieces one behind the other.
const Index = z.object({ head: z.unknown(), names: z.array(z.string()), sizes: z.array(z.int()) });
const prefix = 4;

/** The bytes of a pack, in parts that need not be copied to be written. */
export function pack({ head, pieces }: Pack): Buffer[] {
  const sizes = [...pieces.values()].map(({ length }) => length);
  const index = Buffer.from(JSON.stringify({ head, names: [...pieces.keys()], sizes }));
  const length = Buffer.alloc(prefix);
  length.writeUInt32BE(index.length);
  return [length, index, ...pieces.values()];
}

/** Undefined where the bytes are no pack. */
export function unpack(bytes: Buffer): Pack | undefined {
  if (bytes.length < prefix) return undefined;
  const start = prefix + bytes.readUInt32BE();
  const index = Index.safeParse(jsonIn(bytes.subarray(prefix, start)));
  if (!index.success) return undefined;
  const { head, names, sizes } = index.data;
  const pieces = new Map<string, Buffer>();
  let from = start;
  for (const [at, name] of names.entries()) {
    const size = sizes[at] ?? -1;
    if (size < 0) return undefined;
    pieces.set(name, bytes.subarray(from, from + size));
    from += size;
  }
  return from === bytes.length && pieces.size === sizes.length ? { head, pieces } : undefined;
}

/** The value that bytes are the JSON of; undefined where they are none. */
export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
