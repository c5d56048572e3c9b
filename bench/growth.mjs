// @ts-check
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate, generateFleet, generateFlow } from "./generate.mjs";
import { alternate, count, ivrctl, run } from "./measure.mjs";

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
    await growFleet(menus * 2),
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
   * Plans a change of every menu of an applied fleet.
   * @param {number} most
   */
  async function growFleet(most) {
    const programs = [];
    for (const size of [most / 4, most]) {
      const cwd = generateFleet(size);
      await run({ args: [ivrctl, "apply", "--auto-approve", "--quiet"], cwd });
      const config = join(cwd, "ivrctl.yaml");
      writeFileSync(config, readFileSync(config, "utf8").replace("retries: 2", "retries: 3"));
      programs.push({ args: [ivrctl, "plan"], cwd, prints: "What changes for callers" });
    }
    const [small, large] = await alternate(programs, rounds);
    const fleet = (/** @type {number} */ size) =>
      `\`plan\` of a change, ${count(size)} menus, ${count(size / 4)} phone numbers`;
    const [base, what] = [most / 4, most].map(fleet);
    return {
      what: what ?? "",
      times: large ?? [],
      base: base ?? "",
      baseTimes: small ?? [],
      target: 4,
    };
  }

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
