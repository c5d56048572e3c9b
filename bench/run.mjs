// @ts-check
// Measures ivrctl and writes bench/results.md.
//
//   npm run bench -- [--node PATH]… [--only NAME] [--smoke]
//
//   --node PATH   also measure the start with this version of Node
//   --only NAME   measure only one of: start, validate, lsp, edit, apply, growth; does not write the file
//   --smoke       run everything once with little data, only to check that the benchmark works
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { fail, readOptions } from "../scripts/command-line.mjs";
import { measureEdit } from "./edit.mjs";
import { measureGrowth } from "./growth.mjs";
import { measureKeystroke } from "./keystroke.mjs";
import { ivrctl, table } from "./measure.mjs";
import {
  measureApply,
  measureFmt,
  measureLive,
  measurePlan,
  measureShops,
  measureStart,
  measureValidate,
} from "./targets.mjs";

const {
  node: otherNodes,
  only,
  smoke,
} = readOptions({
  node: { type: "string", multiple: true, default: [] },
  only: { type: "string" },
  smoke: { type: "boolean", default: false },
});
if (!existsSync(ivrctl)) fail("dist/ivrctl.cjs does not exist. Run `npm run build` first.");
// Exit normally after a signal, so that the temporary files are deleted.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const started = performance.now();
const machine = describeMachine();
const nodes = [process.execPath, ...otherNodes];
const steps = [
  {
    name: "start",
    measure: async () => {
      const rows = [];
      for (const node of nodes) rows.push(...(await measureStart(node, smoke ? 1 : 40)));
      return rows;
    },
  },
  {
    name: "validate",
    measure: async () => [
      ...(await (smoke ? measureValidate(4, 1) : measureValidate(1_000, 3))),
      await (smoke ? measureShops(4, 1) : measureShops(300, 5)),
      await (smoke ? measureFmt(4, 1) : measureFmt(1_000, 5)),
      await (smoke ? measurePlan(4, 1) : measurePlan(1_000, 3)),
      await (smoke ? measureLive(4, 1) : measureLive(300, 5)),
    ],
  },
  { name: "lsp", measure: () => (smoke ? measureKeystroke(8, 1) : measureKeystroke(300, 10)) },
  {
    name: "edit",
    measure: async () => [
      await (smoke ? measureEdit(8, 1) : measureEdit(200, 7)),
      await (smoke ? measureEdit(8, 1) : measureEdit(2_000, 3)),
    ],
  },
  {
    name: "apply",
    measure: async () => [
      await (smoke ? measureApply(20, 20, 1) : measureApply(1_000, 20, 5)),
      await (smoke ? measureApply(20, 100, 1) : measureApply(1_000, 100, 3)),
    ],
  },
  { name: "growth", measure: () => (smoke ? measureGrowth(8, 1) : measureGrowth(1_000, 3)) },
];
const chosen = steps.filter(({ name }) => only === undefined || name === only);
if (chosen.length === 0) {
  fail(`--only must be one of: ${steps.map(({ name }) => name).join(", ")}`);
}
const rows = [];
for (const { name, measure } of chosen) {
  console.error(`Measuring ${name}…`);
  rows.push(...(await measure()));
}
const seconds = Math.round((performance.now() - started) / 1000);
const results = `# Measurements

\`npm run bench\` writes this file. [CONTRIBUTING.md](../CONTRIBUTING.md#performance) explains the figures.

${machine} · ${seconds} s

${table(rows)}
`;
console.log(results);
if (!smoke && only === undefined) writeFileSync(new URL("results.md", import.meta.url), results);

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
