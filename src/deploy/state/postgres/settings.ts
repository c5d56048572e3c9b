import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type { Variables } from "../../../project/variables.ts";
import { databaseAddress } from "../../../schema/database-address.ts";
import { secrets } from "../../../util/secrets.ts";

/** The settings of a database. As in libpq, the PG* variables complete the address. */
export interface DatabaseSettings {
  /** To try in this order. */
  readonly hosts: readonly Host[];
  readonly user: string;
  /** Undefined: look in the password file. */
  readonly password: string | undefined;
  readonly passwordFile: string;
  readonly database: string;
  readonly tls: TlsSettings;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds for one statement; after that the connection counts as lost. */
  readonly statementTimeout: number;
  readonly applicationName: string;
  readonly options: string | undefined;
  /** Whether to skip hosts that accept no changes. */
  readonly writable: boolean;
  /** The address in messages, without user and password. */
  readonly address: string;
}

export interface Host {
  /** A name, an IP address, or the folder of a socket. */
  readonly name: string;
  readonly port: number;
}

export interface TlsSettings {
  readonly mode: TlsMode;
  /** The paths of the certificate files. `system` means the certificates that Node trusts. */
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type TlsMode = (typeof tlsModes)[number];

export type SettingsReading =
  | { readonly kind: "read"; readonly settings: DatabaseSettings }
  /** The problem never contains a part of the address that may be a secret. */
  | { readonly kind: "problem"; readonly problem: string };

/** The environment variable for each parameter of the address. */
const parameters: Readonly<Record<string, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  user: "PGUSER",
  password: "PGPASSWORD",
  dbname: "PGDATABASE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  connect_timeout: "PGCONNECT_TIMEOUT",
  application_name: "PGAPPNAME",
  options: "PGOPTIONS",
  target_session_attrs: "PGTARGETSESSIONATTRS",
};

export function readSettings(url: string, variables: Variables): SettingsReading {
  try {
    return { kind: "read", settings: settingsOf(partsOf(url), variables) };
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error;
    return { kind: "problem", problem: error.message };
  }
}

class BadAddress extends Error {}

function partsOf(url: string): Readonly<Record<string, string>> {
  const found = databaseAddress(url);
  if (found === null) {
    throw new BadAddress(
      "The state's `url` must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE. In a password, write @ / ? # as %40 %2F %3F %23.",
    );
  }
  const { user, hosts, database, query } = found;
  const parts: Record<string, string> = {};
  const set = (name: string, text: string | undefined) => {
    if (text !== undefined && text !== "") parts[name] = decode(text);
  };
  if (user !== undefined) {
    const colon = user.indexOf(":");
    set("user", colon === -1 ? user : user.slice(0, colon));
    if (colon !== -1) set("password", user.slice(colon + 1));
  }
  const split = hosts.split(",").map((host) => /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host));
  if (split.includes(null)) throw new BadAddress("The state's `url` has an invalid host.");
  set("host", split.map((host) => host?.[1]?.replaceAll(/^\[|\]$/g, "") ?? "").join(","));
  if (split.some((host) => host?.[2] !== undefined)) {
    set("port", split.map((host) => host?.[2] ?? String(standardPort)).join(","));
  }
  set("dbname", database);
  for (const [name, text] of new URLSearchParams(query)) {
    if (!Object.hasOwn(parameters, name)) {
      const shown = /^[a-z_]{1,40}$/.test(name) ? ` ${name}` : "";
      throw new BadAddress(
        `The state's \`url\` has an unknown parameter${shown}. Supported: ${Object.keys(parameters).join(", ")}.`,
      );
    }
    parts[name] = text;
  }
  return parts;
}

const standardPort = 5432;

function settingsOf(
  parts: Readonly<Record<string, string>>,
  variables: Variables,
): DatabaseSettings {
  const setting = (name: string) => parts[name] ?? (variables[parameters[name] ?? ""] || undefined);
  const user = setting("user") ?? systemUser();
  const database = setting("dbname") ?? user;
  const password = setting("password");
  secrets.add(password);
  const hosts = hostsOf(setting("host") ?? "localhost", setting("port"));
  return {
    hosts,
    user,
    password,
    passwordFile: variables["PGPASSFILE"] || standardPasswordFile(variables),
    database,
    tls: {
      mode: tlsModeOf(setting("sslmode") ?? "prefer"),
      rootCertificate: setting("sslrootcert"),
      certificate: setting("sslcert"),
      key: setting("sslkey"),
    },
    connectTimeout: secondsOf(setting("connect_timeout")) * 1000,
    statementTimeout: 15_000,
    applicationName: setting("application_name") ?? "ivrctl",
    options: setting("options"),
    writable: isWritable(setting("target_session_attrs") ?? "any"),
    address: `postgresql://${hosts.map(shownHost).join(",")}/${encodeURIComponent(database)}`,
  };
}

function standardPasswordFile(variables: Variables): string {
  return process.platform === "win32"
    ? join(variables["APPDATA"] ?? "", "postgresql/pgpass.conf")
    : join(variables["HOME"] || homedir(), ".pgpass");
}

function hostsOf(names: string, ports: string | undefined): Host[] {
  const numbers = (ports ?? String(standardPort)).split(",").map((text) => {
    const port = text === "" ? standardPort : Number(text);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    throw new BadAddress("The state's `url`, or PGPORT, has an invalid port.");
  });
  const all = names.split(",").map((name) => name || "localhost");
  if (numbers.length !== 1 && numbers.length !== all.length) {
    throw new BadAddress("The state's `url` must have one port, or one for each host.");
  }
  return all.map((name, at) => ({ name, port: numbers[at] ?? numbers[0] ?? standardPort }));
}

function shownHost({ name, port }: Host): string {
  if (name.startsWith("/")) return `${encodeURIComponent(name)}:${port}`;
  return `${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function tlsModeOf(text: string): TlsMode {
  const mode = tlsModes.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new BadAddress(`sslmode must be one of ${tlsModes.join(", ")}.`);
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return 10;
  const seconds = Number(text);
  if (!/^\d+$/.test(text)) throw new BadAddress("connect_timeout must be a number of seconds.");
  // As in libpq: 0 means no limit, and 1 is too short.
  return seconds === 0 ? 3600 : Math.max(2, seconds);
}

function isWritable(text: string): boolean {
  if (text === "any") return false;
  if (text === "read-write" || text === "primary") return true;
  throw new BadAddress("target_session_attrs must be any, read-write or primary.");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadAddress("The state's `url` has a % that is not followed by two hex digits.");
  }
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw new BadAddress(
      "The state's `url` names no user, and the operating system does not report one.",
    );
  }
}
