import * as z from "zod/mini";
import { type Format, formatFields, formatOf, formatProblem } from "../../../schema/since.ts";
import { EntrySchema, SnapshotSchema, type StateEvent } from "../../../schema/state.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { type Linked, chainHash, encodeLine } from "../entries.ts";
import { outcomeText } from "../records.ts";
import { Lock } from "../lock.ts";

const common = {
  ...formatFields,
  environment: z.string(),
  number: z.int(),
  /** The run that added the block. So no two runs write the same bytes. */
  session: z.string(),
  /** The time of writing, for people who look at the block. */
  at: z.string(),
};

/** The first line of a block. The entries follow, one line each, and then the sum. */
export const HeaderSchema = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("locked"), lock: Lock }),
  /** `by` is null if the holder itself released the lock. */
  z.object({ ...common, kind: z.literal("released"), by: z.nullable(z.string()) }),
  /** With `arrives`, the entries come from another place, and the state is live here from now on. */
  z.object({
    ...common,
    kind: z.literal("entries"),
    arrives: z.exactOptional(z.literal(true)),
  }),
  /** Null: the state is here again, because the other place refused it. */
  z.object({ ...common, kind: z.literal("moved"), to: z.nullable(z.string()) }),
]);
export type Header = z.infer<typeof HeaderSchema>;

/** One step of a log: what its header says, and the entries that it adds. */
export type Block = Own<Header> & { readonly linked?: readonly Linked[] };
type Own<H> = H extends Header ? Omit<H, keyof typeof common> : never;

/** A snapshot: what the log says up to one of its blocks. */
export const SnapshotContent = z.object({
  ...formatFields,
  environment: z.string(),
  number: z.int(),
  /** The sum of the block with that number. */
  log: z.string(),
  held: z.nullable(z.object({ session: z.string(), lock: Lock })),
  forced: z.boolean(),
  moved_to: z.nullable(z.string()),
  state: SnapshotSchema,
});
export type SnapshotContent = z.infer<typeof SnapshotContent>;

/** Returns the bytes of the block that follows the block with the sum `before`. */
export function encodeBlock(
  before: string,
  about: Pick<Header, "environment" | "number" | "session" | "at">,
  { linked = [], ...fields }: Block,
): { readonly bytes: Buffer; readonly sum: string } {
  const content = { ...about, ...fields };
  const entries = linked.map(({ entry }) => [EntrySchema, entry] as const);
  const header = { ...formatOf([HeaderSchema, content], ...entries), ...content };
  return seal(before, [`${JSON.stringify(header)}\n`, ...linked.map(encodeLine)]);
}

export function encodeSnapshot(content: Omit<SnapshotContent, keyof Format>): Buffer {
  const format = formatOf([SnapshotContent, content]);
  return seal("", [`${JSON.stringify({ ...format, ...content })}\n`]).bytes;
}

/** Returns the snapshot, or undefined if somebody edited it, or if it has a newer format. */
export function decodeSnapshot(bytes: Buffer): SnapshotContent | undefined {
  const header = unseal("", bytes)?.header;
  return formatProblem(header) ? undefined : SnapshotContent.safeParse(header).data;
}

/** Adds a last line with the sum of these lines and of the sum before. */
function seal(before: string, lines: readonly string[]) {
  const body = lines.join("");
  const sum = chainHash(before, body);
  return { bytes: Buffer.from(`${body}{"sum":"${sum}"}\n`), sum };
}

/**
 * Returns the parts of a block or snapshot of any format. Undefined if it was changed, or does not
 * follow the block with the sum `before`.
 */
export function unseal(
  before: string,
  bytes: Buffer,
):
  | { readonly header: unknown; readonly lines: readonly string[]; readonly sum: string }
  | undefined {
  const lines = bytes.toString("utf8").split("\n").slice(0, -2);
  const expected = seal(
    before,
    lines.map((line) => `${line}\n`),
  );
  if (!expected.bytes.equals(bytes)) return undefined;
  return { header: parseJson(lines[0]), lines: lines.slice(1), sum: expected.sum };
}

export function blockSum(bytes: Buffer): string | undefined {
  return /\n\{"sum":"([0-9a-f]{16})"\}\n$/.exec(bytes.toString("latin1", bytes.length - 40))?.[1];
}

/** Describes a block for people who look at the log: "3 created, 1 unknown (run 123)". */
export function describeBlock(block: Block): string {
  switch (block.kind) {
    case "locked":
      return `locked by ${block.lock.by} (${block.lock.command})`;
    case "released":
      return block.by === null ? "lock released" : `lock released by ${block.by}`;
    case "moved":
      return block.to === null ? "not moved" : `moved to ${block.to}`;
    case "entries": {
      const { arrives, linked = [] } = block;
      return arrives ? `${linked.length} events copied` : eventsIn(linked);
    }
  }
}

function eventsIn(linked: readonly Linked[]): string {
  const counts = new Map<string, number>();
  for (const { entry } of linked) {
    const word = describe(entry.event);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  const runs = new Set(linked.map(({ entry }) => entry.run));
  return `${parts.join(", ")} (run ${[...runs].join(", ")})`;
}

function describe(event: StateEvent): string {
  if (event.kind === "intent") return `about to ${event.action}`;
  return event.kind === "outcome" ? outcomeText(event) : event.kind.replaceAll("-", " ");
}
