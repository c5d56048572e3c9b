// @ts-check
// Measures ivrctl and writes bench/results.md.
//
//   npm run bench -- [--node PATH]… [--smoke]
//
//   --node PATH   also measure the start with this version of Node
//   --smoke       run everything once with little data, only to check that the benchmark works
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { fail, readOptions } from "../scripts/command-line.mjs";
import { measureKeystroke } from "./keystroke.mjs";
import { ivrctl, table } from "./measure.mjs";
import { measurePeers } from "./peers.mjs";
import { measureApply, measureShops, measureStart, measureValidate } from "./targets.mjs";

const { node: otherNodes, smoke } = readOptions({
  node: { type: "string", multiple: true, default: [] },
  smoke: { type: "boolean", default: false },
});
if (!existsSync(ivrctl)) fail("dist/ivrctl.cjs does not exist. Run `npm run build` first.");
// Exit normally after a signal, so that the temporary files are deleted.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const started = performance.now();
const machine = describeMachine();
const nodes = [process.execPath, ...otherNodes];
const rows = [];
console.error("Measuring the start…");
for (const node of nodes) rows.push(...(await measureStart(node, smoke ? 1 : 40)));
console.error("Measuring validate…");
rows.push(...(await (smoke ? measureValidate(4, 1) : measureValidate(1_000, 3))));
rows.push(await (smoke ? measureShops(4, 1) : measureShops(300, 5)));
console.error("Measuring the language server…");
rows.push(await (smoke ? measureKeystroke(8, 1) : measureKeystroke(300, 10)));
console.error("Measuring apply…");
rows.push(await (smoke ? measureApply(20, 1) : measureApply(1_000, 5)));
if (!smoke) {
  console.error("Installing and measuring other tools…");
  rows.push(...(await measurePeers(100, 3)));
}
const seconds = Math.round((performance.now() - started) / 1000);
const results = `# Measurements

\`npm run bench\` writes this file. [docs/performance.md](../docs/performance.md) explains the figures.

${machine} · ${seconds} s

${table(rows)}
`;
console.log(results);
if (!smoke) writeFileSync(new URL("results.md", import.meta.url), results);

/** Describes the machine and the versions. A load well above 0 means that the machine was busy. */
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
