// @ts-check
// npm run bench [-- start|validate|cache|plan|apply|preview] [--smoke]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { benchApply } from "./apply.mjs";
import { benchCache } from "./cache.mjs";
import { command } from "./measure.mjs";
import { benchPlan } from "./plan.mjs";
import { benchPreview } from "./preview.mjs";
import { benchStart } from "./start.mjs";
import { benchValidate } from "./validate.mjs";

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {(smoke: boolean) => Promise<string>} measure its figures, as Markdown
 */

/** @type {Readonly<Record<string, Part>>} */
const parts = {
  start: { title: "Start", measure: benchStart },
  validate: { title: "Validate", measure: benchValidate },
  cache: { title: "Again", measure: benchCache },
  plan: { title: "Plan", measure: benchPlan },
  apply: { title: "Apply", measure: benchApply },
  preview: { title: "Preview", measure: benchPreview },
};

const results = new URL("results.md", import.meta.url);
const introduction = `# Measurements

\`npm run bench\` measures everything again and writes this file; \`npm run bench -- start\` (or \`validate\`, \`cache\`, \`plan\`, \`apply\`, \`preview\`) measures one part and leaves the others as they are.
`;

const { values, positionals } = parseArgs({
  options: { smoke: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  fail(`There is no part ${unknown}; there are: ${Object.keys(parts).join(", ")}.`);
} else if (existsSync(command)) {
  await main(positionals, values.smoke);
} else {
  fail("There is nothing to measure: run `npm run build` first.");
}

/**
 * @param {readonly string[]} chosen all parts if there are none
 * @param {boolean} smoke
 */
async function main(chosen, smoke) {
  for (const [name, { title, measure }] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const section = `## ${title}\n\n${circumstances()}\n\n${await measure(smoke)}`;
    console.log(section);
    if (!smoke) keep(title, section);
  }
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
  sections.set(title, section.trim());
  const inOrder = Object.values(parts).flatMap((part) => sections.get(part.title) ?? []);
  writeFileSync(results, `${[introduction.trim(), ...inOrder].join("\n\n")}\n`);
}

/** What the figures depend on. */
function circumstances() {
  const require = createRequire(import.meta.url);
  const libraries = ["yaml", "zod", "undici"].map(
    (name) => `${name} ${require(`${name}/package.json`).version}`,
  );
  return [
    new Date().toISOString().slice(0, 10),
    `${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    `Node ${process.versions.node}`,
    ...libraries,
  ].join(" · ");
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
