import type { Variables } from "../../../project/variables.ts";
import { isLoopback } from "../../../schema/address.ts";
import { addressPattern, decoded, passwordsIn } from "../../../schema/stores.ts";
import { secrets } from "../../../util/secrets.ts";
import { SettingProblem } from "../store.ts";

/** The settings of a database. The driver reads the URL, and completes it from the PG* variables. */
export interface DatabaseSettings {
  /** Contains the password, so it must never be shown. */
  readonly url: string;
  /** Whether to use TLS if neither the URL nor PGSSLMODE says it. The driver would not. */
  readonly tls: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds for one statement; after that the connection counts as lost. */
  readonly statementTimeout: number;
  /** The address in messages, without user and password. */
  readonly address: string;
}

export function readSettings(url: string, variables: Variables): DatabaseSettings {
  const parts = addressPattern.exec(url);
  if (parts === null) {
    throw wrong(
      "must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE. In a password, write @ / ? # as %40 %2F %3F %23.",
    );
  }
  const [, userInfo = "", hosts = "", path = "", queryText = ""] = parts;
  const [, name, number] = /^(\[[^\]]*\]|[^:,]*)(?::(\d+))?$/.exec(hosts) ?? [];
  if (name === undefined) throw wrong("must have one host, for example db.example:5432.");
  for (const password of [...passwordsIn(url), variables["PGPASSWORD"]]) secrets.add(password);
  const query = new URLSearchParams(queryText);
  const host = query.get("host") || decoded(name) || variables["PGHOST"] || "localhost";
  const port = query.get("port") || number || variables["PGPORT"] || "5432";
  const user =
    decoded(userInfo.split(":")[0] ?? "") || variables["PGUSER"] || variables["USER"] || "";
  const database = decoded(path) || variables["PGDATABASE"] || user;
  const shownHost = host.startsWith("/") ? encodeURIComponent(host) : host;
  return {
    url,
    tls: !variables["PGSSLMODE"] && !host.startsWith("/") && !isLoopback(host),
    connectTimeout: 10_000,
    statementTimeout: 15_000,
    address: `postgresql://${shownHost}:${port}/${encodeURIComponent(database)}`,
  };
}

function wrong(problem: string): SettingProblem {
  return new SettingProblem("url", `The state's \`url\` ${problem}`);
}
