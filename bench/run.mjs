// @ts-check
// npm run bench [-- PART…] [--smoke]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, totalmem } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { benchApply } from "./apply.mjs";
import { command } from "./measure.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPlan } from "./plan.mjs";
import { benchPreview } from "./preview.mjs";
import { benchStart } from "./start.mjs";
import { benchValidate } from "./validate.mjs";

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {(smoke: boolean) => Promise<string>} measure its figures, as Markdown
 */

/** In the order in which they are measured and stand in results.md. @type {Readonly<Record<string, Part>>} */
const parts = {
  start: { title: "Start", measure: benchStart },
  validate: { title: "Validate", measure: benchValidate },
  plan: { title: "Plan", measure: benchPlan },
  apply: { title: "Apply", measure: benchApply },
  preview: { title: "Preview and graph", measure: benchPreview },
  memory: { title: "Memory", measure: benchMemory },
};

const results = new URL("results.md", import.meta.url);
const introduction = `# Measurements

\`npm run bench\` measures everything again and writes this file; \`npm run bench -- start\` measures one part and leaves the others as they are. There are: ${Object.keys(parts).join(", ")}. What they mean, and what is aimed at, is in [docs/performance.md](../docs/performance.md).
`;

const { values, positionals } = parseArgs({
  options: { smoke: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  fail(`There is no part ${unknown}; there are: ${Object.keys(parts).join(", ")}.`);
} else if (existsSync(command)) {
  endBySignal();
  await main(positionals, values.smoke);
} else {
  fail("There is nothing to measure: run `npm run build` first.");
}

/**
 * A part that fails does not take the others with it.
 * @param {readonly string[]} chosen all parts if there are none
 * @param {boolean} smoke
 */
async function main(chosen, smoke) {
  const begun = performance.now();
  for (const [name, { title, measure }] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    // A signal that came while a child was waited for is heard now.
    await nextTurn();
    const start = performance.now();
    try {
      const figures = (await measure(smoke)).trim();
      const section = `## ${title}\n\n${circumstances()} · measured in ${seconds(start)}\n\n${figures}`;
      console.log(`${section}\n`);
      if (!smoke) keep(title, section);
    } catch (error) {
      const why = error instanceof Error ? error.stack : undefined;
      fail(`${title} could not be measured: ${why ?? String(error)}`);
    }
  }
  console.log(`Everything took ${seconds(begun)}.`);
}

/**
 * Writes a section, and leaves those of the other parts.
 * @param {string} title
 * @param {string} section
 */
function keep(title, section) {
  const earlier = existsSync(results) ? readFileSync(results, "utf8") : "";
  const sections = new Map(
    earlier
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [/^## (.*)/.exec(text)?.[1], text.trim()]),
  );
  sections.set(title, section);
  const inOrder = Object.values(parts).flatMap((part) => sections.get(part.title) ?? []);
  writeFileSync(results, `${[introduction.trim(), ...inOrder].join("\n\n")}\n`);
}

/** What the figures depend on. */
function circumstances() {
  const require = createRequire(import.meta.url);
  const libraries = ["yaml", "zod", "undici"].map(
    (name) => `${name} ${require(`${name}/package.json`).version}`,
  );
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  return [
    new Date().toISOString().slice(0, 10),
    `${process.platform} ${process.arch}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${memory}`,
    `Node ${process.versions.node}`,
    `ivrctl ${require("../package.json").version}`,
    ...libraries,
  ].join(" · ");
}

/** @param {number} since */
function seconds(since) {
  return `${Math.round((performance.now() - since) / 1000)} s`;
}

/** Temporary folders and servers go when the process exits; a signal alone would not let it. */
function endBySignal() {
  for (const [signal, number] of /** @type {const} */ ([
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ])) {
    process.once(signal, () => process.exit(128 + number));
  }
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
