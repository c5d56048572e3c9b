// @ts-check
// A temporary PostgreSQL server for tests and measurements. It has its own cluster in a temporary
// folder and listens on 127.0.0.1. Committed data survives an immediate stop, but not a power
// failure, because fsync is off.
//
//   node scripts/postgres.mjs        starts a server, prints its address, and stops it on Ctrl-C
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { quietPort } from "./quiet-port.mjs";

/** @typedef {import("./postgres.d.mts").Postgres} Postgres */

/**
 * @param {import("./postgres.d.mts").PostgresOptions} [options]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ settings = {}, hba, certificate } = {}) {
  const bin = binaries();
  if (bin === undefined) {
    throw new Error("PostgreSQL is not installed. Install the package postgresql.");
  }
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-pg-"));
  const data = join(folder, "data");
  const port = await quietPort();
  giveToPostgres(folder);
  asPostgres(
    join(bin, "initdb"),
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "postgres",
    "--no-sync",
    "-E",
    "UTF8",
    "--locale=C",
  );
  const all = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    fsync: "off",
    full_page_writes: "off",
    shared_buffers: "16MB",
    max_connections: 60,
    log_min_messages: "warning",
    ...(certificate ? { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" } : {}),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(data, "postgresql.conf"), lines.join(""));
  if (hba !== undefined) writeFileSync(join(data, "pg_hba.conf"), `${hba}\n`);
  if (certificate !== undefined) {
    for (const { from, name } of [
      { from: certificate.cert, name: "server.crt" },
      { from: certificate.key, name: "server.key" },
    ]) {
      copyFileSync(from, join(data, name));
      giveToPostgres(join(data, name));
      execFileSync("chmod", ["600", join(data, name)]);
    }
  }
  /** @param {string[]} words */
  const control = (...words) =>
    asPostgres(
      join(bin, "pg_ctl"),
      "-D",
      data,
      "-w",
      "-t",
      "300",
      "-l",
      join(folder, "log"),
      ...words,
    );
  const end = () => {
    try {
      control("-m", "immediate", "stop");
    } catch {
      // The server is already stopped.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", end);
  control("start");
  return {
    port,
    folder,
    url: (user = "postgres", database = "postgres") =>
      `postgresql://${user}@127.0.0.1:${port}/${database}`,
    sql: (text, database = "postgres") =>
      execFileSync(
        join(bin, "psql"),
        [
          "-h",
          folder,
          "-p",
          String(port),
          "-U",
          "postgres",
          "-d",
          database,
          "-qAtX",
          "-v",
          "ON_ERROR_STOP=1",
          "-f",
          "-",
        ],
        { input: text, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] },
      ).trim(),
    start: () => control("start"),
    stop: (mode = "fast") => control("-m", mode, "stop"),
    close: () => {
      process.off("exit", end);
      end();
    },
  };
}

/** Returns the folder of the server programs: that of Debian, or one in PATH. */
function binaries() {
  const versions = "/usr/lib/postgresql";
  const found = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, "bin"))
    : [];
  return [...found, ...(process.env["PATH"] ?? "").split(":")].find((path) =>
    existsSync(join(path, "initdb")),
  );
}

const isRoot = () => process.getuid?.() === 0;

/** Runs a program as the user postgres, because PostgreSQL refuses to run as root. @param {string[]} words */
function asPostgres(...words) {
  const [program = "", ...args] = isRoot() ? ["runuser", "-u", "postgres", "--", ...words] : words;
  execFileSync(program, args, { cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
}

/** @param {string} path */
function giveToPostgres(path) {
  if (!isRoot()) return;
  const [uid, gid] = ["-u", "-g"].map((what) =>
    Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" })),
  );
  chownSync(path, uid ?? 0, gid ?? 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const postgres = await startPostgres();
  process.stdout.write(`${postgres.url()}\n`);
  process.once("SIGINT", () => process.exit()).once("SIGTERM", () => process.exit());
  setInterval(() => {}, 60_000);
}
