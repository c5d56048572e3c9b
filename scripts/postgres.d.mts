export interface PostgresOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** All of pg_hba.conf, instead of trusting everybody on this machine. */
  readonly hba?: string;
  /** Files: then the server speaks TLS too. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface Postgres {
  readonly port: number;
  /** With its socket, its data and its log. */
  readonly folder: string;
  url(user?: string, database?: string): string;
  /** Through psql and the socket, as the owner. */
  sql(text: string, database?: string): string;
  start(): void;
  stop(mode?: "fast" | "immediate"): void;
  /** Stops it, and nothing is left of it. */
  close(): void;
}

export function startPostgres(options?: PostgresOptions): Promise<Postgres>;
