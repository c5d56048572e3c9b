// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.mjs";
import { count, environment, ivrctl, run } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Row} Row */

/** Node compiles the code of the server during the first edits. */
const warmUp = 3;

/**
 * Compares an edit on the page of `ivrctl edit`, from the click until the page has its answer and new data, with
 * `validate` of the same menus.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measureEdit(menus, rounds) {
  const cwd = generate(menus);
  const git = (/** @type {readonly string[]} */ ...args) =>
    execFileSync("git", ["-C", cwd, "-c", "user.name=A", "-c", "user.email=a@b", ...args]);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  const server = spawn(process.execPath, [ivrctl, "edit", "--port", "0"], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const stop = () => void server.kill();
  process.once("exit", stop);
  try {
    const [line] = await once(server.stdout, "data");
    const [, origin = "", key = ""] = /^(http:\S+)\/#edit=(\S+)/.exec(String(line)) ?? [];
    const headers = { origin, "content-type": "application/json", "x-ivrctl-key": key };
    const menu = `pune/${readdirSync(join(cwd, "ivrs/pune"))[0]?.replace(/\.yaml$/, "")}`;
    const agents = JSON.parse(readFileSync(join(cwd, "agents.lock.json"), "utf8"));
    const free = agents.filter(
      (/** @type {{ custom_status: number }} */ { custom_status: isBlocked }) => isBlocked === 0,
    );
    let edits = 0;
    const edit = async () => {
      edits += 1;
      const destination = { kind: "agent", eid: String(free[edits].eid) };
      const to = { key: "1", for: `Purpose ${edits}`, destination };
      const start = performance.now();
      const body = JSON.stringify({ do: "option", menu, where: "here", from: "1", to });
      const answer = await fetch(`${origin}/edit`, { method: "POST", headers, body });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      return performance.now() - start;
    };
    for (let round = 0; round < warmUp; round += 1) await edit();
    const times = [];
    const baseTimes = [];
    for (let round = 0; round < rounds; round += 1) {
      baseTimes.push(await run({ args: [ivrctl, "validate"], cwd }));
      times.push(await edit());
    }
    return {
      what: `\`edit\`, a change of ${count(menus)} menus`,
      times,
      base: "`validate` of the same menus",
      baseTimes,
      target: 0.5,
    };
  } finally {
    process.off("exit", stop);
    stop();
  }
}
