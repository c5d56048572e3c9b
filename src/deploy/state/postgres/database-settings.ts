import type { Variables } from "../../../project/environment-variables.ts";
import { isLoopback } from "../../../util/address.ts";
import { addressPattern, decoded, passwordsIn } from "../../../schema/store-settings.ts";
import { secrets } from "../../../util/secrets.ts";
import { SettingProblem } from "../lock.ts";

/** The settings of a database. The driver reads the URL, and completes it from the PG* variables. */
export type DatabaseSettings = ReturnType<typeof databaseSettings>;

export function databaseSettings(url: string, variables: Variables) {
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
    /** Contains the password, so it must never be shown. */
    url,
    /** Whether to use TLS if neither the URL nor PGSSLMODE says it. The driver would not. */
    tls: !variables["PGSSLMODE"] && !host.startsWith("/") && !isLoopback(host),
    /** Milliseconds. */
    connectTimeout: 10_000,
    /** For one statement. After that, the connection counts as lost. */
    statementTimeout: 15_000,
    /** The address in messages, without user and password. */
    address: `postgresql://${shownHost}:${port}/${encodeURIComponent(database)}`,
  };
}

function wrong(problem: string): SettingProblem {
  return new SettingProblem("url", `The state's \`url\` ${problem}`);
}
