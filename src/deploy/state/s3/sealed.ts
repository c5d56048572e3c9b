import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import * as z from "zod/mini";
import { headOf } from "../chain.ts";
import { jsonOf } from "../disk.ts";

/**
 * Every object is lines of JSON, and the last one holds the sum of those before
 * it, and of the sum of what it follows.
 */
export interface Sealed {
  readonly bytes: Buffer;
  readonly sum: string;
}

/** `before` is the sum of what it follows, "" where it follows nothing. */
export function seal(before: string, lines: readonly string[]): Sealed {
  const body = lines.map((line) => `${line}\n`).join("");
  const sum = headOf(before, body);
  return { bytes: Buffer.from(`${body}{"sum":"${sum}"}\n`), sum };
}

/** What is in one that was found, not yet verified; undefined where it is something else. */
export interface Opened {
  readonly lines: readonly string[];
  readonly sum: string;
  /** Whether it is whole, unchanged, and follows what has this sum. */
  follows(before: string): boolean;
}

export function open(bytes: Buffer): Opened | undefined {
  const text = bytes.toString("utf8");
  const lines = text.split("\n");
  const last = Seal.safeParse(jsonOf(lines.at(-2) ?? ""));
  if (!last.success || lines.at(-1) !== "") return undefined;
  const { sum } = last.data;
  const content = lines.slice(0, -2);
  return {
    lines: content,
    sum,
    // The bytes as a whole: seal(…) is the one way to write it.
    follows: (before) => seal(before, content).bytes.equals(bytes),
  };
}

const Seal = z.object({ sum: z.string() });

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** What is derived is kept small. */
export async function packed({ bytes }: Sealed): Promise<Buffer> {
  return pack(bytes);
}

/** Undefined where it is not that, or out of all proportion. */
export async function unpacked(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await unpack(bytes, { maxOutputLength: 512 * 1024 * 1024 });
  } catch {
    return undefined;
  }
}
