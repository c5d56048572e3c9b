// @ts-check
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {import("./measure.mjs").Contestant} Contestant */

/**
 * A program that checks YAML files against a schema, or how they are written. None
 * of them knows agents, aliases, keys or names that are taken, or calls.
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} does
 * @property {string} positions what it says of the place of a fault
 * @property {((project: string) => Contestant) | undefined} checks undefined where it is not to be had
 */

const schema = fileURLToPath(new URL("../schema/menu.schema.json", import.meta.url));
const files = "ivrs/**/*.yaml";

/** The newest that run on Node 20. */
const versions = { "ajv-cli": "5.0.0", v8r: "5.1.0", "@stoplight/spectral-cli": "6.16.3" };

/** How long npm or apt may take. */
const patience = 180_000;

/**
 * Installs the peers into a temporary folder, as far as they are to be had.
 * @returns {{ peers: Peer[], remove: () => void }}
 */
export function installPeers() {
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-peers-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const bin = npmInstall(folder);
  const node = (/** @type {string} */ name, /** @type {string[]} */ ...args) => {
    const script = bin.get(name);
    if (script === undefined) return undefined;
    return (/** @type {string} */ cwd) => ({ name, args: [script, ...args], cwd, patience });
  };
  return {
    peers: [
      {
        name: `ajv-cli ${versions["ajv-cli"]}`,
        does: "schema",
        positions: "none",
        checks: node("ajv", "validate", "--strict=false", "-s", schema, "-d", files),
      },
      {
        name: `v8r ${versions.v8r}`,
        does: "schema",
        positions: "none",
        checks: node("v8r", "--schema", schema, files),
      },
      {
        name: `spectral ${versions["@stoplight/spectral-cli"]}`,
        does: "schema",
        positions: "line and column",
        checks: node("spectral", "lint", "--quiet", "--ruleset", ruleset(folder), files),
      },
      {
        name: "yamllint (Debian)",
        does: "layout, keys given twice",
        positions: "line and column",
        checks: yamllint(folder),
      },
    ],
    remove: () => {
      process.off("exit", remove);
      remove();
    },
  };
}

/**
 * @param {string} folder
 * @returns {ReadonlyMap<string, string>} the scripts by the names of their commands
 */
function npmInstall(folder) {
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const bin = new Map();
  const names = { "ajv-cli": "ajv", v8r: "v8r", "@stoplight/spectral-cli": "spectral" };
  for (const [name, version] of Object.entries(versions)) {
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    // One by one: what cannot be had does not keep the others away.
    const { status } = quietly("npm", ["install", ...flags, `${name}@${version}`], folder);
    if (status !== 0) continue;
    const command = names[/** @type {keyof typeof names} */ (name)];
    bin.set(command, join(folder, "node_modules/.bin", command));
  }
  return bin;
}

/**
 * The same schema as a rule of spectral's; keys that are numbers are fine.
 * @param {string} folder
 */
function ruleset(folder) {
  const path = join(folder, "ruleset.json");
  const then = `{ "function": "schema", "functionOptions": { "schema": ${readFileSync(schema, "utf8")} } }`;
  const rules = `{ "menu": { "given": "$", "severity": "error", "then": ${then} } }`;
  writeFileSync(path, `{ "parserOptions": { "incompatibleValues": "off" }, "rules": ${rules} }\n`);
  return path;
}

/**
 * Debian's own, where it is installed; else its packages are unpacked, and nothing is installed.
 * @param {string} folder
 * @returns {Peer["checks"]}
 */
function yamllint(folder) {
  const rules = "{ line-length: disable, document-start: disable, braces: { max-spaces-inside: 1 }";
  const settings = `{ extends: default, rules: ${rules}, comments: { min-spaces-from-content: 1 } } }`;
  const args = ["-d", settings, "ivrs"];
  if (quietly("yamllint", ["--version"], folder).status === 0) {
    return (cwd) => ({ name: "yamllint", program: "yamllint", args, cwd, patience });
  }
  const packages = join(folder, "debian");
  mkdirSync(packages);
  const wanted = ["yamllint", "python3-pathspec", "python3-yaml"];
  if (quietly("apt-get", ["download", ...wanted], packages).status !== 0) return undefined;
  for (const file of readdirSync(packages)) quietly("dpkg-deb", ["-x", file, "."], packages);
  const program = "/usr/bin/python3";
  const env = { PYTHONPATH: join(packages, "usr/lib/python3/dist-packages") };
  const module = ["-m", "yamllint"];
  const found = spawnSync(program, [...module, "--version"], { env: { ...process.env, ...env } });
  if (found.status !== 0) return undefined;
  return (cwd) => ({ name: "yamllint", program, args: [...module, ...args], env, cwd, patience });
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function quietly(program, args, cwd) {
  return spawnSync(program, args, { cwd, stdio: "ignore", timeout: patience });
}
