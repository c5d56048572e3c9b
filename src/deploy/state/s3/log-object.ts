import * as z from "zod/mini";
import { StateVersion, stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { jsonOf } from "../disk.ts";
import { encodeLine } from "../journal.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import type { Filling, Lock } from "../store.ts";

/** A lock as the log keeps it: its session tells it from every other of that id. */
export interface Held {
  readonly session: string;
  readonly lock: Lock;
  readonly process: ProcessIdentity;
}

/**
 * What an object of the log says: everything that changes the state, or the lock.
 * Staged entries count from `filled` on. A mark drops what was staged under an
 * earlier one.
 */
export type Deed =
  | { readonly kind: "locked"; readonly held: Held }
  | { readonly kind: "entries"; readonly linked: readonly Linked[] }
  | { readonly kind: "moved"; readonly to: string | null }
  | { readonly kind: "filling" | "sealed"; readonly filling: Filling }
  | { readonly kind: "staged"; readonly linked: readonly Linked[] }
  | { readonly kind: "filled" | "discarded" }
  /** `by` is null where the holder did it. */
  | { readonly kind: "released"; readonly by: string | null };

export const LockSchema = z.object({
  id: z.string(),
  by: z.string(),
  command: z.string(),
  since: z.string(),
  host: z.string(),
  pid: z.nullable(z.int()),
  boot: z.nullable(z.string()),
  pid_namespace: z.nullable(z.string()),
  started: z.nullable(z.string()),
});

const FillingSchema = z.object({
  command: z.string(),
  source: z.string(),
  by: z.string(),
  since: z.string(),
  head: z.nullable(z.string()),
});

const common = {
  version: StateVersion,
  environment: z.string(),
  number: z.int(),
  /** Of the lock that it makes, is written under, or ends. */
  session: z.string(),
  /** When it was written, for people. */
  at: z.string(),
};

export const HeaderSchema = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("locked"), lock: LockSchema }),
  z.object({ ...common, kind: z.enum(["entries", "staged", "filled", "discarded"]) }),
  z.object({ ...common, kind: z.literal("moved"), to: z.nullable(z.string()) }),
  z.object({ ...common, kind: z.enum(["filling", "sealed"]), filling: FillingSchema }),
  z.object({ ...common, kind: z.literal("released"), by: z.nullable(z.string()) }),
]);
export type Header = z.infer<typeof HeaderSchema>;

/** The lines of the object. Entries are written as in a journal. */
export function linesOf(
  deed: Deed,
  about: Pick<Header, "environment" | "number" | "session" | "at">,
): string[] {
  const { environment, number, session, at } = about;
  const header = { version: stateVersion, environment, number, session, at, ...said(deed) };
  const entries = "linked" in deed ? entryLines(deed.linked) : [];
  return [JSON.stringify(header), ...entries];
}

/** An object comes into being as a whole, so that each line is a batch of its own. */
export function entryLines(linked: readonly Linked[]): string[] {
  return linked.map((one) => encodeLine(one.entry.seq, one).trimEnd());
}

/** The first line of anything; undefined where it is none. */
export function headerOf(lines: readonly string[]): unknown {
  return jsonOf(lines[0] ?? "");
}

export function writtenLock({ lock, process }: Held): z.infer<typeof LockSchema> {
  const { boot, pid_namespace, started } = process;
  return { ...lock, boot, pid_namespace, started };
}

export function heldOf(session: string, written: z.infer<typeof LockSchema>): Held {
  const { id, by, command, since, host, pid, ...rest } = written;
  return {
    session,
    lock: { id, by, command, since, host, pid },
    process: { host, pid, ...rest },
  };
}

function said(deed: Deed) {
  switch (deed.kind) {
    case "locked":
      return { kind: deed.kind, lock: writtenLock(deed.held) };
    case "entries":
    case "staged":
    case "filled":
    case "discarded":
      return { kind: deed.kind };
    case "filling":
    case "sealed":
      return { kind: deed.kind, filling: deed.filling };
    case "moved":
      return { kind: deed.kind, to: deed.to };
    case "released":
      return { kind: deed.kind, by: deed.by };
  }
}
