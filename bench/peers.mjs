// @ts-check
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "./generate.mjs";
import { alternate, count, ivrctl, run, workFolder } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Program} Program */
/** @typedef {import("./measure.mjs").Row} Row */

const schema = fileURLToPath(new URL("../schema/menu.schema.json", import.meta.url));
const menuFiles = "ivrs/**/*.yaml";

/**
 * Compares programs that check YAML files with `validate` of the same files. None of them resolves agents.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measurePeers(menus, rounds) {
  const cwd = generate(menus);
  const sample = generate(1);
  const folder = join(workFolder, "peers");
  mkdirSync(folder);
  const ajv = ["validate", "--strict=false", "-s", schema, "-d", menuFiles];
  const v8r = ["--schema", schema, menuFiles];
  const spectral = ["lint", "--quiet", "--ruleset", writeRuleset(folder), menuFiles];
  /** @type {[what: string, peer: Program | undefined][]} */
  const peers = [
    ["ajv-cli 5.0.0 (schema)", await install(folder, "ajv-cli@5.0.0", "ajv", ajv)],
    ["v8r 5.1.0 (schema)", await install(folder, "v8r@5.1.0", "v8r", v8r)],
    [
      "Spectral 6.16.3 (schema, with line and column)",
      await install(folder, "@stoplight/spectral-cli@6.16.3", "spectral", spectral),
    ],
    ["yamllint (layout and duplicate keys, with line and column)", await unpackYamllint(folder)],
  ];
  /** @type {Program[]} */
  const available = [];
  for (const [, peer] of peers) {
    if (peer !== undefined && (await works({ ...peer, cwd: sample }))) available.push(peer);
  }
  const [baseTimes, ...times] = await alternate(
    [
      { args: [ivrctl, "validate", "--agents", "agents.json"], cwd },
      ...available.map((peer) => ({ ...peer, cwd })),
    ],
    rounds,
  );
  const base = `\`validate\`, ${count(menus)} menus`;
  return peers.map(([what, peer]) => ({
    what,
    times: (peer && times[available.indexOf(peer)]) ?? [],
    base,
    baseTimes,
  }));
}

/**
 * Installs a package from npm.
 * @param {string} folder
 * @param {string} name
 * @param {string} command
 * @param {readonly string[]} options
 * @returns {Promise<Program | undefined>} undefined if it cannot be installed
 */
async function install(folder, name, command, options) {
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  const prefix = join(folder, command);
  const args = ["install", ...flags, "--prefix", prefix, name];
  // npm may need certificates for a proxy. The measured programs do not.
  const { NODE_EXTRA_CA_CERTS = "" } = process.env;
  if (!(await works({ program: "npm", args, env: { NODE_EXTRA_CA_CERTS } }))) return undefined;
  return { args: [join(prefix, "node_modules/.bin", command), ...options] };
}

/**
 * Writes the schema as a Spectral rule. Menu fields may have numbers as keys.
 * @param {string} folder
 */
function writeRuleset(folder) {
  const path = join(folder, "ruleset.json");
  const check = `{ "function": "schema", "functionOptions": { "schema": ${readFileSync(schema, "utf8")} } }`;
  const rules = `{ "menu": { "given": "$", "severity": "error", "then": ${check} } }`;
  writeFileSync(path, `{ "parserOptions": { "incompatibleValues": "off" }, "rules": ${rules} }`);
  return path;
}

/**
 * Unpacks yamllint from Debian's packages without installing them.
 * @param {string} folder
 * @returns {Promise<Program | undefined>} undefined if they cannot be downloaded
 */
async function unpackYamllint(folder) {
  const cwd = join(folder, "debian");
  mkdirSync(cwd);
  const packages = ["yamllint", "python3-pathspec", "python3-yaml"];
  if (!(await works({ program: "apt-get", args: ["download", ...packages], cwd })))
    return undefined;
  for (const file of readdirSync(cwd))
    await run({ program: "dpkg-deb", args: ["-x", file, "."], cwd });
  const rules = "{ line-length: disable, document-start: disable, braces: { max-spaces-inside: 1 }";
  const settings = `{ extends: default, rules: ${rules}, comments: { min-spaces-from-content: 1 } } }`;
  return {
    program: "/usr/bin/python3",
    args: ["-m", "yamllint", "-d", settings, "ivrs"],
    env: { PYTHONPATH: join(cwd, "usr/lib/python3/dist-packages") },
  };
}

/** @param {Program} program */
async function works(program) {
  try {
    await run(program);
    return true;
  } catch {
    return false;
  }
}
