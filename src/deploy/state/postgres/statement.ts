/** The name of a schema as SQL writes it: `order` and `user` are words of SQL too. */
export const quoted = (schema: string) => `"${schema}"`;

/**
 * Settings of one transaction: what it acknowledges is on disk, whatever the database
 * is set to, and it does not wait for ever. They are made in the transaction itself.
 * What is set for a session is lost behind a pooler that gives each transaction another
 * connection, or is found by another client there.
 */
export const settings = `set_config('lock_timeout', '10s', true),
    CASE current_setting('synchronous_commit')
      WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * The first part of a statement that changes something. The rest of the statement has
 * to read from `durable`: PostgreSQL leaves out what nothing reads.
 */
export const durable = `durable AS (SELECT ${settings})`;

/**
 * The lock, held with this fence ($1 is the environment, $2 the fence). Whoever changes
 * the lock waits for the end of this statement, and it waits for them: so it happens
 * under the lock, or not.
 */
export const held = (schema: string) => `${durable}, held AS (
    SELECT 1 FROM durable, ${quoted(schema)}.locks
      WHERE environment = $1::text AND fence = $2::bigint AND id IS NOT NULL FOR SHARE OF locks
  )`;
