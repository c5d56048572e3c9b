/** Which state in which tables. */
export interface Where {
  /** The plain name; `quoted` spells it for SQL. */
  readonly schema: string;
  readonly environment: string;
  /** The database, as messages show it. */
  readonly address: string;
}

/** The name of a schema as SQL writes it: `order` and `user` are words of SQL too. */
export const quoted = (schema: string) => `"${schema}"`;

/**
 * Settings for one transaction: what it acknowledges is on disk, whatever the database
 * is set to, and it does not wait forever. Each transaction sets them for itself. A
 * setting of the session would be lost behind a pooler that gives each transaction
 * another connection, or another client would find it there.
 */
export const settings = `set_config('lock_timeout', '10s', true),
    CASE current_setting('synchronous_commit')
      WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * The first part of a statement that changes something. The rest of the statement must
 * read from `durable`: PostgreSQL leaves out what nothing reads.
 */
export const durable = `durable AS (SELECT ${settings})`;

/**
 * The lock, held with this fence ($1 is the environment, $2 the fence). Whoever changes
 * the lock waits for the end of this statement, and this statement waits for them. So it
 * either happens under the lock or does nothing.
 */
export const held = (schema: string) => `${durable}, held AS (
    SELECT 1 FROM durable, ${quoted(schema)}.locks
      WHERE environment = $1::text AND fence = $2::bigint AND id IS NOT NULL FOR SHARE OF locks
  )`;
