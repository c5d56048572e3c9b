// @ts-check
// npm run bench -- [--node PATH] [--smoke]
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { ivrctl, table } from "./measure.mjs";
import { measurePeers } from "./peers.mjs";
import { measureApply, measureStart, measureValidate } from "./targets.mjs";

const { values } = parseArgs({
  options: {
    // Other versions of Node to measure the start with.
    node: { type: "string", multiple: true, default: [] },
    // Small and once, without the peers: shows only that the benchmark runs.
    smoke: { type: "boolean", default: false },
  },
});
if (!existsSync(ivrctl)) throw new Error("Run `npm run build` first.");
// Temporary files are deleted when the process exits, which a signal alone would not do.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const started = performance.now();
const machine = describeMachine();
const nodes = [process.execPath, ...values.node];
const rows = [];
console.error("Measuring the start");
for (const node of nodes) rows.push(...(await measureStart(node, values.smoke ? 1 : 40)));
console.error("Measuring validate");
rows.push(...(await (values.smoke ? measureValidate(4, 1) : measureValidate(1_000, 3))));
console.error("Measuring apply");
rows.push(await (values.smoke ? measureApply(20, 1) : measureApply(1_000, 5)));
if (!values.smoke) {
  console.error("Installing and measuring peers");
  rows.push(...(await measurePeers(100, 3)));
}
const seconds = Math.round((performance.now() - started) / 1000);
const results = `# Measurements

\`npm run bench\` writes this file. [docs/performance.md](../docs/performance.md) explains the figures.

${machine} · ${seconds} s

${table(rows)}
`;
console.log(results);
if (!values.smoke) writeFileSync(new URL("results.md", import.meta.url), results);

/** What the figures depend on. A load well above 0 means that the machine was busy. */
function describeMachine() {
  const require = createRequire(import.meta.url);
  const versions = ["yaml", "zod", "undici", "yargs"].map(
    (name) => `${name} ${require(`${name}/package.json`).version}`,
  );
  const load = loadavg()[0]?.toFixed(1);
  return [
    new Date().toISOString().slice(0, 10),
    `${process.platform} ${process.arch}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 1e9)} GB`,
    `load ${load} before the run`,
    `Node ${process.versions.node}`,
    ...versions,
  ].join(" · ");
}
