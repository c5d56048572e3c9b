// Measures how many small mistakes in the source the unit tests find: changes a condition, a sum or a text,
// and runs the tests that reach it. All mutants take days, so by default only a hundredth of the lines is tried.
//
//   node scripts/mutate.mjs [--every 100] [FOLDER…]
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { parseArgs } from "node:util";

/** So many lines next to each other are tried. */
const window = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: "string", default: "100" } },
});
const every = Number(values.every);
const folders =
  positionals.length > 0 ? positionals : ["src/deploy/plan", "src/deploy/apply", "src/yaml"];

// Not a dependency: it brings 159 packages that nothing else needs.
const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@9.5.1`);
execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", ...packages], {
  stdio: "inherit",
});
const { Stryker } = await import("@stryker-mutator/core");
process.env["IVRCTL_TESTS"] = "unit";

const found = await new Stryker({
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { related: false },
  coverageAnalysis: "perTest",
  // Stryker cannot read this file with TypeScript 7, and needs nothing from it.
  tsconfigFile: "none",
  disableTypeChecks: false,
  // What the case shows depends on the size of the stack, which Stryker's threads make smaller. The test of
  // folders reads the lines of the source, which Stryker writes in its own way.
  ignorePatterns: [
    "dist",
    "test-results",
    "test/cases/yaml/too-deep.txt",
    "test/package/folders.test.ts",
  ],
  mutate: folders.flatMap(sampled),
  concurrency: 2,
  // The first run of all tests takes longer on a busy machine.
  dryRunTimeoutMinutes: 30,
  timeoutMS: 60_000,
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { reportTests: false, allowColor: false },
}).runMutationTest();

for (const folder of folders) {
  const mutants = found.filter(({ fileName }) =>
    fileName.replaceAll("\\", "/").includes(`/${folder}/`),
  );
  const detected = mutants.filter(
    ({ status }) => status === "Killed" || status === "Timeout",
  ).length;
  const valid = mutants.filter(
    ({ status }) => !["CompileError", "RuntimeError", "Ignored"].includes(status),
  ).length;
  process.stdout.write(
    `${folder}: ${detected} of ${valid} found (${((100 * detected) / valid).toFixed(1)} %)\n`,
  );
}

/** The ranges of lines of a folder that are tried. */
function sampled(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
  let line = 0;
  return files.flatMap((file) => {
    const count = readFileSync(file, "utf8").split("\n").length;
    const ranges = [];
    for (let at = 1; at <= count; at += 1, line += 1) {
      if (line % (window * every) === 0) ranges.push(`${file}:${at}-${at + window - 1}`);
    }
    return ranges;
  });
}
