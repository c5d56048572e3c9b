// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { generate, generateFlow } from "./generate.mjs";
import { count, ivrctl, run } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Row} Row */

/**
 * Compares commands in a project with the same commands in a project of a quarter of its size. More than four
 * times as long means that the time grows faster than the project.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureGrowth(menus, rounds) {
  const sizes = [menus / 4, menus];
  return [
    await grow(
      "`apply` on the sandbox, %s menus",
      ["apply", "--auto-approve"],
      sizes.map((size) => generate(size)),
    ),
    await grow(
      "`graph --format mermaid`, %s linked menus",
      ["graph", "--format", "mermaid"],
      sizes.map(generateFlow),
    ),
  ];

  /**
   * @param {string} what
   * @param {readonly string[]} args
   * @param {readonly string[]} folders
   */
  async function grow(what, args, folders) {
    /** @type {[number[], number[]]} */
    const [small, large] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, cwd] of folders.entries()) {
        // Without a state and without menus on the sandbox.
        rmSync(join(cwd, ".ivrctl"), { recursive: true, force: true });
        const ms = await run({ args: [ivrctl, ...args, "--quiet"], cwd });
        (index === 0 ? small : large).push(ms);
      }
    }
    const [base = "", name = ""] = sizes.map((size) => what.replace("%s", count(size)));
    return { what: name, times: large, base, baseTimes: small, target: 4 };
  }
}
