/** The place of a state in a database. */
export interface Where {
  /** The name without quotes. For SQL, use `quoted`. */
  readonly schema: string;
  /** The database, as messages show it. */
  readonly address: string;
}

/** Returns the name of a schema in quotes, because `order` and `user` are SQL keywords. */
export const quoted = (schema: string) => `"${schema}"`;

/**
 * Settings for one transaction: it is durable even if `synchronous_commit` is off in the
 * database, and it does not wait forever for a lock. Settings of the session do not work
 * behind a pooler, which can give each transaction a different connection.
 */
export const settings = `set_config('lock_timeout', '10s', true),
    CASE current_setting('synchronous_commit')
      WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * The first part of a statement that changes something. The rest of the statement must read
 * from `durable`, because PostgreSQL skips a part that nothing reads.
 */
export const durable = `durable AS (SELECT ${settings})`;
