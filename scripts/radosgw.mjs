// @ts-check
// A temporary object store for tests and measurements: Ceph's radosgw with one monitor and one OSD,
// in a temporary folder and on free ports of 127.0.0.1. The OSD keeps the objects in memory, so
// they survive when the gateway is killed and started again.
//
//   node scripts/radosgw.mjs        starts a store, prints its address, and stops it on Ctrl-C
import { execFileSync, spawn } from "node:child_process";
import { createHash, createHmac, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { quietPort } from "./quiet-port.mjs";

/** @typedef {import("./radosgw.d.mts").Radosgw} Radosgw */

const packages = ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"];
const gateway = "client.rgw.a";
const keys = { accessKey: "owner-of-it-all", secretKey: "hunter2-of-the-owner" };

/**
 * @param {import("./radosgw.d.mts").RadosgwOptions} [options]
 * @returns {Promise<Radosgw>}
 */
export async function startRadosgw({ settings = {} } = {}) {
  if (!isInstalled()) {
    throw new Error(`radosgw is not installed. Install the packages ${packages.join(" ")}.`);
  }
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-rgw-"));
  const [monitor, port] = [await quietPort(), await quietPort()];
  const endpoint = `http://127.0.0.1:${port}`;
  for (const name of ["mon", "osd", "run"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "ceph.conf"), configuration(folder, monitor, port, settings));
  const end = keep(folder);
  /** @param {string[]} words */
  const ceph = (program = "", ...words) =>
    execFileSync(program, ["-c", join(folder, "ceph.conf"), ...words], {
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 300_000,
    });
  const start = () => {
    ceph("radosgw", "-n", gateway);
    waitForAnswer(endpoint);
  };
  /** @param {string} name @param {import("./radosgw.d.mts").RadosgwKeys} of */
  const user = (name, { accessKey, secretKey }) => {
    const who = [`--uid=${name}`, `--display-name=${name}`];
    const secrets = [`--access-key=${accessKey}`, `--secret=${secretKey}`];
    ceph("radosgw-admin", "-n", gateway, "user", "create", ...who, ...secrets);
  };
  try {
    // Create the cluster with its OSD already in the map. Adding an OSD later is slow.
    const [monmap, osdmap] = [join(folder, "monmap"), join(folder, "osdmap")];
    ceph("monmaptool", "--create", "--addv", "a", `[v2:127.0.0.1:${monitor}]`, monmap);
    ceph("osdmaptool", "--createsimple", "1", osdmap);
    ceph("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap, "--osdmap", osdmap);
    ceph("ceph-mon", "-i", "a");
    ceph("ceph-osd", "-i", "0", "--mkfs");
    ceph("ceph-osd", "-i", "0");
    user("owner", keys);
    start();
  } catch (error) {
    end();
    throw error;
  }
  return {
    ...keys,
    port,
    endpoint,
    folder,
    bucket: (name) => {
      curl("--fail-with-body", "-X", "PUT", signed("PUT", endpoint, `/${name}`));
      return name;
    },
    user: (name) => {
      const credentials = { accessKey: `AK-${name}`, secretKey: `SK-${name}` };
      user(name, credentials);
      return credentials;
    },
    url: (method, path, query) => signed(method, endpoint, path, query),
    get: (paths) => contents(endpoint, paths),
    keys: (bucket, prefix = "", after = "") => list(endpoint, bucket, prefix, after),
    kill: () => kill(join(folder, "run", `${gateway}.pid`)),
    start,
    close: end,
  };
}

const isInstalled = () =>
  ["radosgw", "ceph-mon", "ceph-osd", "monmaptool"].every((name) =>
    (process.env["PATH"] ?? "").split(":").some((path) => existsSync(join(path, name))),
  );

/**
 * @param {string} folder
 * @param {number} monitor
 * @param {number} port
 * @param {Readonly<Record<string, string | number>>} settings
 */
function configuration(folder, monitor, port, settings) {
  const all = {
    fsid: randomUUID(),
    mon_host: `[v2:127.0.0.1:${monitor}]`,
    mon_initial_members: "a",
    public_network: "127.0.0.0/8",
    cluster_network: "127.0.0.0/8",
    ms_bind_msgr1: "false",
    // Authentication is off: only this machine can connect, and creating keys takes time.
    auth_cluster_required: "none",
    auth_service_required: "none",
    auth_client_required: "none",
    ms_mon_client_mode: "crc",
    run_dir: join(folder, "run"),
    pid_file: join(folder, "run", "$name.pid"),
    log_file: join(folder, "$name.log"),
    admin_socket: "",
    mon_data: join(folder, "mon"),
    mon_data_avail_warn: 1,
    mon_data_avail_crit: 0,
    mon_allow_pool_size_one: "true",
    mon_max_pg_per_osd: 1000,
    // With the defaults, each pool that the gateway creates takes a second.
    paxos_propose_interval: 0.02,
    paxos_min_wait: 0.01,
    osd_data: join(folder, "osd"),
    osd_objectstore: "memstore",
    memstore_device_bytes: 2 ** 30,
    osd_crush_chooseleaf_type: 0,
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pgp_num: 1,
    osd_pool_default_pg_autoscale_mode: "off",
    // With the defaults, changes of buckets wait half a minute for a gateway that was killed.
    objecter_tick_interval: 0.5,
    osd_client_watch_timeout: 3,
    rgw_frontends: `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  return `[global]\n${lines.join("")}`;
}

/**
 * Returns a function that stops all servers. They also stop if this process is killed: a shell
 * waits for the end of a pipe that only this process holds open.
 * @param {string} folder
 */
function keep(folder) {
  const last = 'cat; for file in run/*.pid; do kill -9 $(cat "$file"); done; rm -rf "$PWD"';
  const keeper = spawn("sh", ["-c", last], {
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  return () => {
    for (const name of [gateway, "osd.0", "mon.a"]) kill(join(folder, "run", `${name}.pid`));
    rmSync(folder, { recursive: true, force: true });
    keeper.stdin.destroy();
  };
}

/** @param {string} file */
function kill(file) {
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  rmSync(file);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
  // Its ports are free only after it has ended.
  while (existsSync(`/proc/${pid}/exe`)) pause();
}

/** @param {string} endpoint */
function waitForAnswer(endpoint) {
  for (let left = 6000; ; left -= 1) {
    try {
      return void curl(endpoint);
    } catch (error) {
      if (left === 0) throw error;
      pause();
    }
  }
}

/** @param {string} endpoint @param {readonly string[]} paths */
function contents(endpoint, paths) {
  if (paths.length === 0) return [];
  const urls = paths.map((path) => signed("GET", endpoint, path));
  const answers = curl("-w", "\n%{http_code}\x1e", ...urls).split("\x1e");
  return paths.map((path, at) => {
    const [body, status] = [answers[at]?.slice(0, -4) ?? "", answers[at]?.slice(-3)];
    if (status === "404") return null;
    if (status !== "200") throw new Error(`${path}: ${status} ${body}`);
    return body;
  });
}

/** @param {string} endpoint @param {string} bucket @param {string} prefix @param {string} after */
function list(endpoint, bucket, prefix, after) {
  /** @type {string[]} */
  const found = [];
  for (let more = true; more;) {
    const query = { "list-type": "2", prefix, "start-after": found.at(-1) ?? after };
    const answer = curl("--fail-with-body", signed("GET", endpoint, `/${bucket}`, query));
    for (const [, key = ""] of answer.matchAll(/<Key>(.*?)<\/Key>/g)) found.push(key);
    more = answer.includes("<IsTruncated>true");
  }
  return found;
}

/** @param {string[]} words */
function curl(...words) {
  return execFileSync("curl", ["-sSg", "-m", "60", ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
  });
}

/**
 * Returns a URL that is signed by the owner (signature version 4, in the query).
 * @param {string} method
 * @param {string} endpoint
 * @param {string} path
 * @param {Readonly<Record<string, string>>} [query]
 */
function signed(method, endpoint, path, query = {}) {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const [day, region] = [time.slice(0, 8), "us-east-1"];
  const scope = `${day}/${region}/s3/aws4_request`;
  const all = {
    ...query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${keys.accessKey}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": "600",
    "X-Amz-SignedHeaders": "host",
  };
  const words = Object.entries(all).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  const asked = words.sort().join("&");
  const where = path.split("/").map(escaped).join("/");
  const { host } = new URL(endpoint);
  const canonical = `${method}\n${where}\n${asked}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const digest = createHash("sha256").update(canonical).digest("hex");
  let key = Buffer.from(`AWS4${keys.secretKey}`);
  for (const part of [...scope.split("/"), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`]) {
    key = createHmac("sha256", key).update(part).digest();
  }
  return `${endpoint}${where}?${asked}&X-Amz-Signature=${key.toString("hex")}`;
}

/** @param {string} text */
const escaped = (text) => encodeURIComponent(text).replaceAll(/[!'()*]/g, hex);

/** @param {string} character */
const hex = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const radosgw = await startRadosgw();
  const { endpoint, accessKey, secretKey } = radosgw;
  process.stdout.write(`${endpoint}, bucket ${radosgw.bucket("ivrctl")}\n`);
  process.stdout.write(`AWS_ACCESS_KEY_ID=${accessKey} AWS_SECRET_ACCESS_KEY=${secretKey}\n`);
  process.once("SIGINT", () => process.exit()).once("SIGTERM", () => process.exit());
  setInterval(() => {}, 60_000);
}
