import { hostname } from "node:os";
import * as z from "zod/mini";
import { pause } from "../pause.ts";
import { type Claim, type Lock, StateProblem } from "../store.ts";
import type { Connection } from "./connection.ts";
import { type Where, durable, quoted } from "./statement.ts";

/**
 * The lock is a row, and its fence a number that rises whenever the lock changes
 * hands: who adds to the history names the fence that he was given, and adds
 * nothing once it is another. All that is right rests on this.
 *
 * Whether the holder is alive is told by an advisory lock, which belongs to his
 * fence and to his connection: the server frees it when the connection ends.
 */
export type Taken =
  | { readonly kind: "taken"; readonly fence: string; readonly over: Lock | undefined }
  | { readonly kind: "held"; readonly lock: Lock };

const pollEvery = 100;

const LockRow = z.object({
  id: z.nullable(z.string()),
  by: z.nullable(z.string()),
  command: z.nullable(z.string()),
  since: z.nullable(z.string()),
  host: z.nullable(z.string()),
  pid: z.nullable(z.int()),
});
const HeldRow = z.extend(LockRow, { fence: z.string(), alive: z.boolean() });
type HeldRow = z.infer<typeof HeldRow>;

export async function take(connection: Connection, where: Where, claim: Claim): Promise<Taken> {
  const deadline = performance.now() + claim.wait;
  for (;;) {
    claim.signal?.throwIfAborted();
    const row = (await look(connection, where)) ?? (await begin(connection, where));
    const lock = lockOf(row);
    if (lock === undefined || !row.alive) {
      const fence = await grasp(connection, where, claim, row.fence);
      if (fence !== undefined) return { kind: "taken", fence, over: lock };
      // Another was faster; the next look tells who.
      continue;
    }
    const left = deadline - performance.now();
    if (left <= 0) return { kind: "held", lock };
    await pause(Math.min(left, pollEvery), claim.signal);
  }
}

/** One whose connection is gone holds nobody up. */
export async function holder(connection: Connection, where: Where): Promise<Lock | null> {
  const row = await look(connection, where);
  return row?.alive === true ? (lockOf(row) ?? null) : null;
}

/** The fence rises, so that whoever has the old one adds nothing any more. Also for a dead holder. */
export async function unlock(
  connection: Connection,
  where: Where,
  id: string,
): Promise<Lock | null> {
  const { schema, environment } = where;
  const [row] = await connection.rows(
    LockRow,
    `WITH ${durable}, old AS (
       SELECT locks.* FROM durable, ${quoted(schema)}.locks
         WHERE environment = $1 AND id = $2 FOR UPDATE OF locks
     )
     UPDATE ${quoted(schema)}.locks SET fence = locks.fence + 1, ${nobody} FROM old
       WHERE locks.environment = old.environment
       RETURNING old.id, old."by", old.command, old.since, old.host, old.pid`,
    [environment, id],
  );
  const found = row ?? (await look(connection, where));
  return (found && lockOf(found)) ?? null;
}

/** After a connection was lost: whether the lock is still the same, now of this connection. */
export async function regain(
  connection: Connection,
  where: Where,
  fence: string,
): Promise<boolean> {
  const { schema, environment } = where;
  // The server may not have noticed yet that the old connection is gone.
  await connection.run(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE ${isLifeOf(where, "$2::bigint")} AND pid <> pg_backend_pid()`,
    [environment, fence],
  );
  const rows = await connection.run(
    `WITH ${durable}
     UPDATE ${quoted(schema)}.locks SET id = id FROM durable
      WHERE environment = $1 AND fence = $2::bigint AND id IS NOT NULL
      RETURNING pg_try_advisory_lock(${life(where, "fence")})`,
    [environment, fence],
  );
  return rows.length > 0;
}

/** Whether it is still the same. */
export async function isHeld(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
): Promise<boolean> {
  const rows = await connection.run(
    `SELECT 1 FROM ${quoted(schema)}.locks WHERE environment = $1 AND fence = $2::bigint AND id IS NOT NULL`,
    [environment, fence],
  );
  return rows.length > 0;
}

export async function release(connection: Connection, where: Where, fence: string): Promise<void> {
  await connection.run(
    `WITH ${durable}
     UPDATE ${quoted(where.schema)}.locks SET ${nobody} FROM durable
      WHERE environment = $1 AND fence = $2`,
    [where.environment, fence],
  );
}

export async function lostBy(connection: Connection, where: Where): Promise<StateProblem> {
  const now = await holder(connection, where);
  const who = now === null ? "" : ` It is now held by ${now.by} on ${now.host}.`;
  return new StateProblem(
    "IVR601",
    `The lock of ${where.environment} was released by somebody else while this run held it (${where.schema}.locks at ${where.address}), so nothing more is recorded.${who}`,
    "Find out who released it, and run the command again when no other run is under way.",
  );
}

const nobody = 'id = NULL, "by" = NULL, command = NULL, since = NULL, host = NULL, pid = NULL';

/** The key of the advisory lock that belongs to an environment and a fence. */
const life = ({ schema }: Where, fence: string) =>
  `hashtextextended('ivrctl ${schema} ' || $1::text || ' ' || ${fence}, 0)`;

/** Of `pg_locks`, where a key of 64 bits stands in two halves. */
const isLifeOf = (where: Where, fence: string) => `
  locktype = 'advisory' AND objsubid = 1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((classid::bigint << 32) | objid::bigint) = ${life(where, fence)}`;

async function look(connection: Connection, where: Where): Promise<HeldRow | undefined> {
  const alive = isLifeOf(where, "fence");
  const [row] = await connection.rows(
    HeldRow,
    `SELECT fence, id, "by", command, since, host, pid,
            EXISTS (SELECT 1 FROM pg_locks WHERE ${alive}) AS alive
      FROM ${quoted(where.schema)}.locks WHERE environment = $1`,
    [where.environment],
  );
  return row;
}

async function begin(connection: Connection, where: Where): Promise<HeldRow> {
  await connection.run(
    `WITH ${durable}
     INSERT INTO ${quoted(where.schema)}.locks (environment, fence)
       SELECT $1::text, 0 FROM durable ON CONFLICT DO NOTHING`,
    [where.environment],
  );
  const row = await look(connection, where);
  if (row === undefined) throw new Error("The row of a lock is gone as soon as it was made.");
  return row;
}

/**
 * Before anybody can see the row, its holder's advisory lock is there. A holder whose
 * connection came back since the look keeps the lock.
 */
async function grasp(
  connection: Connection,
  where: Where,
  { id, by, command }: Claim,
  seen: string,
): Promise<string | undefined> {
  const [row] = await connection.rows(
    z.object({ fence: z.string() }),
    `WITH ${durable}
     UPDATE ${quoted(where.schema)}.locks
      SET fence = fence + 1, id = $3, "by" = $4, command = $5, since = $6, host = $7, pid = $8
      FROM durable
      WHERE environment = $1 AND fence = $2
        AND (id IS NULL OR NOT EXISTS (SELECT 1 FROM pg_locks WHERE ${isLifeOf(where, "fence")}))
      RETURNING fence, pg_advisory_lock(${life(where, "fence")})`,
    [where.environment, seen, id, by, command, new Date().toISOString(), hostname(), process.pid],
  );
  return row?.fence;
}

function lockOf({ id, by, command, since, host, pid }: z.infer<typeof LockRow>): Lock | undefined {
  if (id === null) return undefined;
  const unknown = "unknown";
  return {
    id,
    by: by ?? unknown,
    command: command ?? unknown,
    since: since ?? unknown,
    host: host ?? unknown,
    pid,
  };
}
