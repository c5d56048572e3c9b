// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate, generateShops } from "./generate.mjs";
import { alternate, count, ivrctl, run, workFolder } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Row} Row */

const bareParse = fileURLToPath(new URL("bare-parse.mjs", import.meta.url));
const bareUndici = fileURLToPath(new URL("bare-undici.mjs", import.meta.url));
const slowService = fileURLToPath(new URL("slow-service.mjs", import.meta.url));

/**
 * Measures `--version`, and `validate` of the menu that `init` writes, with one version of Node.
 * @param {string} node its path
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureStart(node, rounds) {
  const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  const cwd = join(workFolder, `start-${version}`);
  await run({ args: [ivrctl, "init", "-C", cwd, "--ci", "none"] });
  const start = { program: node, args: [ivrctl, "validate"], cwd };
  const commands = [
    { what: "`--version`", start: { ...start, args: [ivrctl, "--version"] }, target: 1.5 },
    { what: "`validate`, 1 menu", start, target: 5 },
  ];
  // Node 22.8 and later have a compile cache.
  if (Number.parseInt(version, 10) >= 22) {
    const cached = { ...start, compileCache: join(cwd, "compile-cache") };
    commands.push({ what: "`validate`, 1 menu, compile cache", start: cached, target: 3.5 });
    await run(cached);
  }
  const [baseTimes, ...times] = await alternate(
    [{ program: node, args: ["-e", "0"] }, ...commands.map((command) => command.start)],
    rounds,
  );
  const base = `\`node -e 0\`, Node ${version}`;
  return commands.map(({ what, target }, index) => {
    return { what, times: times[index] ?? [], base, baseTimes, target };
  });
}

/**
 * Compares `validate` with a bare parse by the same YAML library, for `menus` and for ten times as many.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureValidate(menus, rounds) {
  const sizes = [menus, menus * 10];
  const [bareTimes, times, bareTimesOf10, timesOf10] = await alternate(
    sizes.flatMap((size) => {
      const cwd = generate(size);
      return [
        { args: [bareParse, cwd], prints: `${size} files, 1000 agents\n` },
        {
          args: [ivrctl, "validate"],
          cwd,
          prints: `${size} menus are valid`,
        },
      ];
    }),
    rounds,
  );
  const base = "bare parse of the same files";
  const [what = "", whatOf10 = ""] = sizes.map((size) => `\`validate\`, ${count(size)} menus`);
  return [
    { what, times: times ?? [], base, baseTimes: bareTimes ?? [], target: 1.4 },
    { what: whatOf10, times: timesOf10 ?? [], base, baseTimes: bareTimesOf10 ?? [] },
    { what: whatOf10, times: timesOf10 ?? [], base: what, baseTimes: times ?? [], target: 10 },
  ];
}

/**
 * Compares a plan of new menus with `validate` of the same.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measurePlan(menus, rounds) {
  const cwd = generate(menus);
  const [times, baseTimes] = await alternate(
    [
      { args: [ivrctl, "plan"], cwd, prints: `${menus} to create` },
      { args: [ivrctl, "validate"], cwd, prints: `${menus} menus are valid` },
    ],
    rounds,
  );
  return {
    what: `\`plan\`, ${count(menus)} new menus`,
    times: times ?? [],
    base: "`validate` of the same menus",
    baseTimes: baseTimes ?? [],
    target: 1.25,
  };
}

/**
 * Compares `fmt --check` of formatted menus with `validate` of the same.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measureFmt(menus, rounds) {
  const cwd = generate(menus);
  await run({ args: [ivrctl, "fmt"], cwd });
  const [times, baseTimes] = await alternate(
    [
      { args: [ivrctl, "fmt", "--check"], cwd },
      { args: [ivrctl, "validate"], cwd, prints: `${menus} menus are valid` },
    ],
    rounds,
  );
  return {
    what: `\`fmt --check\`, ${count(menus)} menus`,
    times: times ?? [],
    base: "`validate` of the same menus",
    baseTimes: baseTimes ?? [],
    target: 1.6,
  };
}

/**
 * Compares `validate` of shops that get everything from one _defaults.yaml with that of the same shops
 * written out.
 * @param {number} shops
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measureShops(shops, rounds) {
  const args = [ivrctl, "validate"];
  const prints = `${shops} menus are valid`;
  const [times, baseTimes] = await alternate(
    [
      { args, cwd: generateShops(shops, "from defaults"), prints },
      { args, cwd: generateShops(shops, "written out"), prints },
    ],
    rounds,
  );
  return {
    what: `\`validate\`, ${count(shops)} shops from one \`_defaults.yaml\``,
    times: times ?? [],
    base: "the same shops written out",
    baseTimes: baseTimes ?? [],
    target: 1.6,
  };
}

/**
 * Compares `test` of the menus that the embedded sandbox lists with that of the files.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measureLive(menus, rounds) {
  const cwd = join(workFolder, "live");
  cpSync(generate(menus), cwd, { recursive: true });
  const config = join(cwd, "ivrctl.yaml");
  const text = readFileSync(config, "utf8");
  writeFileSync(config, text.replace(/service: sandbox$/m, "$&\n    operations: [list]"));
  await run({ args: [ivrctl, "apply", "--auto-approve", "--quiet"], cwd });
  const [times, baseTimes] = await alternate(
    [
      { args: [ivrctl, "test", "--from", "live"], cwd },
      { args: [ivrctl, "test"], cwd },
    ],
    rounds,
  );
  return {
    what: `\`test --from live\`, ${count(menus)} menus`,
    times: times ?? [],
    base: "`test` of the same files",
    baseTimes: baseTimes ?? [],
    target: 2,
  };
}

/**
 * Compares `apply` with the same requests sent by undici alone, 16 at once. The service answers after
 * `delay` ms and measures both, from the first create to its last answer.
 * @param {number} menus
 * @param {number} delay
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
export async function measureApply(menus, delay, rounds) {
  const cwd = generate(menus);
  const service = spawn(
    process.execPath,
    [slowService, join(cwd, "agents.lock.json"), String(delay)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const stop = () => void service.kill();
  process.once("exit", stop);
  try {
    const [port] = await once(service.stdout, "data");
    const url = `http://127.0.0.1:${String(port).trim()}`;
    const env = { TELEPHONY_BASE_URL: url, TELEPHONY_TOKEN: "token" };
    const options = ["--env", "production", "--quiet"];
    await run({ args: [ivrctl, "state", "init", ...options], cwd, env });
    await run({ args: [ivrctl, "plan", "--out", "plan.json", ...options], cwd, env });
    const [state, begun] = [join(cwd, ".ivrctl"), join(cwd, "begun")];
    cpSync(state, begun, { recursive: true });
    const measured = async () => {
      const { creates, ms } = /** @type {{ creates: number, ms: number }} */ (
        await (await fetch(`${url}/measured`)).json()
      );
      if (creates !== menus) throw new Error(`the service received ${creates} creates`);
      return ms;
    };
    const times = [];
    const baseTimes = [];
    for (let round = 0; round < rounds; round += 1) {
      await run({ args: [bareUndici, url, join(cwd, "plan.json")] });
      baseTimes.push(await measured());
      await run({ args: [ivrctl, "apply", "plan.json", ...options], cwd, env });
      times.push(await measured());
      rmSync(state, { recursive: true });
      cpSync(begun, state, { recursive: true });
    }
    const what = `\`apply\`, ${count(menus)} creates at ${delay} ms, 16 at once`;
    return { what, times, base: "bare undici", baseTimes, target: delay < 100 ? 1.5 : 1.15 };
  } finally {
    process.off("exit", stop);
    stop();
  }
}
