export interface PostgresOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The content of pg_hba.conf. Default: trust every user of this machine. */
  readonly hba?: string;
  /** The files for TLS. Default: no TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface Postgres {
  readonly port: number;
  /** Contains the socket, the data and the log. */
  readonly folder: string;
  url(user?: string, database?: string): string;
  /** Runs SQL with psql as the owner. */
  sql(text: string, database?: string): string;
  start(): void;
  stop(mode?: "fast" | "immediate"): void;
  /** Stops the server and deletes its folder. */
  close(): void;
}

export function startPostgres(options?: PostgresOptions): Promise<Postgres>;
