import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Postgres } from "../../scripts/postgres.mjs";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { sharedServer } from "./needs.ts";

/**
 * Starts PgBouncer in transaction mode in front of this server, for all tests of a file. Each
 * statement uses a different connection, so session settings do not last.
 */
export function pgbouncer(server: () => Postgres): () => string {
  const pooler = sharedServer(["PostgreSQL", "PgBouncer"], async () => {
    const port = await quietPort();
    const { folder, port: behind } = server();
    const ini = join(folder, "pgbouncer.ini");
    writeFileSync(
      ini,
      `[databases]
* = host=127.0.0.1 port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
server_round_robin = 1
min_pool_size = 4
server_login_retry = 1
logfile = ${join(folder, "pgbouncer.log")}
`,
    );
    writeFileSync(join(folder, "users"), '"postgres" ""\n');
    for (const file of [ini, join(folder, "users")]) chmodSync(file, 0o644);
    const isRoot = process.getuid?.() === 0;
    // On Debian it is in a folder that only root has in PATH.
    const env = { PATH: `${process.env["PATH"]}:/usr/sbin` };
    const words = isRoot ? ["runuser", "-u", "postgres", "--", "pgbouncer"] : ["pgbouncer"];
    const [command, ...args] = [...words, "-q", ini];
    const child = spawn(command, args, { stdio: "ignore", cwd: "/", env });
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error("PgBouncer did not start.");
      await sleep(50);
    }
    return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, close: () => child.kill() };
  });
  return () => pooler().url;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}
