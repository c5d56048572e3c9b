import * as z from "zod/mini";
import { lockLost, takeLock } from "../lock.ts";
import type { Claim, Lock, StateProblem } from "../store.ts";
import type { Connection } from "./connection.ts";
import { type Where, durable, quoted } from "./statement.ts";
import type { Host } from "../../../util/host.ts";

/*
 * The lock is a row with a fence: a number that rises whenever another run takes the lock. A
 * session can add to the history only if the row still has the fence of that session.
 * Everything that the store guarantees depends on this.
 *
 * An advisory lock shows whether the holder is alive. Its key is made from the fence. The
 * server releases it when the holder's connection ends.
 */

interface Taken {
  readonly fence: string;
  /** The lock that was taken over, because the connection of its holder has ended. */
  readonly previous: Lock | undefined;
}

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

export function take(connection: Connection, where: Where, claim: Claim, host: Host) {
  return takeLock<Taken>(claim, host.clock, async () => {
    const row = (await readLock(connection, where)) ?? (await insertLock(connection, where));
    const lock = lockOf(row);
    if (lock !== undefined && row.alive) return { kind: "held", lock };
    const fence = await tryTake(connection, where, claim, row.fence, host);
    return fence === undefined
      ? { kind: "again" }
      : { kind: "taken", taken: { fence, previous: lock } };
  });
}

/** Returns the lock. Null if there is none, or if the connection of its holder has ended. */
export async function holder(connection: Connection, where: Where): Promise<Lock | null> {
  const row = await readLock(connection, where);
  return row?.alive === true ? (lockOf(row) ?? null) : null;
}

/** Returns the lock of a holder whose connection has ended. */
export async function leftLock(connection: Connection, where: Where): Promise<Lock | null> {
  const row = await readLock(connection, where);
  return row?.alive === false ? (lockOf(row) ?? null) : null;
}

/** Ends the lock with this id, even of a dead holder. Raises the fence, so that the holder can add nothing more. */
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
     UPDATE ${quoted(schema)}.locks SET fence = locks.fence + 1, ${noHolder} FROM old
       WHERE locks.environment = old.environment
       RETURNING old.id, old."by", old.command, old.since, old.host, old.pid`,
    [environment, id],
  );
  const found = row ?? (await readLock(connection, where));
  return (found && lockOf(found)) ?? null;
}

/** Moves the lock to a new connection after the old one was lost. Returns false if another run has the lock. */
export async function regain(
  connection: Connection,
  where: Where,
  fence: string,
): Promise<boolean> {
  const { schema, environment } = where;
  // The server may not have noticed yet that the old connection has ended.
  await connection.run(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE ${isAdvisoryLockOf(where, "$2::bigint")} AND pid <> pg_backend_pid()`,
    [environment, fence],
  );
  const rows = await connection.run(
    `WITH ${durable}
     UPDATE ${quoted(schema)}.locks SET id = id FROM durable
      WHERE environment = $1 AND fence = $2::bigint AND id IS NOT NULL
      RETURNING pg_try_advisory_lock(${advisoryKey(where, "fence")})`,
    [environment, fence],
  );
  return rows.length > 0;
}

/** Whether the session with this fence still holds the lock. */
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
     UPDATE ${quoted(where.schema)}.locks SET ${noHolder} FROM durable
      WHERE environment = $1 AND fence = $2`,
    [where.environment, fence],
  );
}

export async function lockLostProblem(connection: Connection, where: Where): Promise<StateProblem> {
  const { schema, environment, address } = where;
  const place = `${schema}.locks at ${address}`;
  return lockLost(` of ${environment}`, place, await holder(connection, where));
}

const noHolder = 'id = NULL, "by" = NULL, command = NULL, since = NULL, host = NULL, pid = NULL';

/** The key of the advisory lock for an environment and a fence. */
const advisoryKey = ({ schema }: Where, fence: string) =>
  `hashtextextended('ivrctl ${schema} ' || $1::text || ' ' || ${fence}, 0)`;

/** A condition on `pg_locks`, which has a key of 64 bits in two columns. */
const isAdvisoryLockOf = (where: Where, fence: string) => `
  locktype = 'advisory' AND objsubid = 1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((classid::bigint << 32) | objid::bigint) = ${advisoryKey(where, fence)}`;

async function readLock(connection: Connection, where: Where): Promise<HeldRow | undefined> {
  const alive = isAdvisoryLockOf(where, "fence");
  const [row] = await connection.rows(
    HeldRow,
    `SELECT fence, id, "by", command, since, host, pid,
            EXISTS (SELECT 1 FROM pg_locks WHERE ${alive}) AS alive
      FROM ${quoted(where.schema)}.locks WHERE environment = $1`,
    [where.environment],
  );
  return row;
}

async function insertLock(connection: Connection, where: Where): Promise<HeldRow> {
  await connection.run(
    `WITH ${durable}
     INSERT INTO ${quoted(where.schema)}.locks (environment, fence)
       SELECT $1::text, 0 FROM durable ON CONFLICT DO NOTHING`,
    [where.environment],
  );
  const row = await readLock(connection, where);
  if (row === undefined) throw new Error("The row of the lock is missing after its insertion.");
  return row;
}

/**
 * Takes the lock if the row still has the fence `seen` and no living holder. The statement takes
 * the advisory lock before it commits, so no other run sees the row without it.
 */
async function tryTake(
  connection: Connection,
  where: Where,
  { id, by, command }: Claim,
  seen: string,
  { clock, machine }: Host,
): Promise<string | undefined> {
  const [row] = await connection.rows(
    z.object({ fence: z.string() }),
    `WITH ${durable}
     UPDATE ${quoted(where.schema)}.locks
      SET fence = fence + 1, id = $3, "by" = $4, command = $5, since = $6, host = $7, pid = $8
      FROM durable
      WHERE environment = $1 AND fence = $2
        AND (id IS NULL OR NOT EXISTS (SELECT 1 FROM pg_locks WHERE ${isAdvisoryLockOf(where, "fence")}))
      RETURNING fence, pg_advisory_lock(${advisoryKey(where, "fence")})`,
    [
      where.environment,
      seen,
      id,
      by,
      command,
      clock.now().toISOString(),
      machine.name,
      machine.pid,
    ],
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
