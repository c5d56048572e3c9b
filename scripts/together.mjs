// @ts-check
/*
 * Runs scripts of package.json at the same time, and prints what each one printed when it ends. The steps
 * of a check need one core each. Exits with 1 if one fails.
 *
 *   node scripts/together.mjs SCRIPT…
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

/** @param {string} name */
async function run(name) {
  const child = spawn(scripts[name], { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => printed.push(chunk));
  }
  const exit = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  process.stdout.write(`> ${name}${exit === 0 ? "" : ": failed"}\n${Buffer.concat(printed)}`);
  return exit === 0;
}

const passed = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
