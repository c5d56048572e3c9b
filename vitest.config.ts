import { readFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { previewScript } from "./build/preview-script.ts";

const parser = /\/@actions\/workflow-parser\/dist\/.*\.js$/;

/**
 * `npm test` sets this to `short`: of the projects that need servers, a browser or npm, only the
 * files named *.short.test.ts run. `rest` runs what `short` leaves out. Otherwise everything runs.
 */
const part = process.env["IVRCTL_TESTS"] ?? "all";

/** Each of these projects is the folder of its name in test/; `unit` is everything else there. */
const folders = ["cli", "stores", "browser", "package", "search"];
/** `npm test` runs all of these. */
const whole = new Set(["unit", "cli"]);

export default defineConfig({
  plugins: [
    previewScript(),
    {
      name: "no-maps-of-missing-sources",
      enforce: "pre",
      load: (id) =>
        parser.test(id)
          ? readFileSync(id, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "")
          : null,
    },
  ],
  test: {
    setupFiles: ["test/support/setup.ts"],
    // These end only what hangs: a machine may be busy.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Most tests outside `unit` and `cli` wait for servers and other processes.
    maxWorkers: availableParallelism() * (part === "short" ? 1 : 2),
    reporters: [
      "default",
      "./test/support/skipped.ts",
      ["json", { outputFile: `test-results/${part}.json` }],
    ],
    // It imports JSON in a way that only bundlers understand.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
    projects: ["unit", ...folders].filter(runs).map((name) => ({
      extends: true as const,
      test: {
        name,
        ...filesOf(name),
        env: { IVRCTL_RUNS: name === "search" ? "all" : "few" },
        // Loading the product for each file would take longer than most of these files.
        isolate: !whole.has(name),
      },
    })),
  },
});

function runs(name: string): boolean {
  if (part === "short") return name !== "search";
  return part !== "rest" || !whole.has(name);
}

function filesOf(name: string): { include: string[]; exclude: string[] } {
  if (name === "unit") {
    return {
      include: ["test/**/*.test.ts"],
      exclude: folders.map((folder) => `test/${folder}/**`),
    };
  }
  const ending = part === "short" && !whole.has(name) ? "short.test.ts" : "test.ts";
  const random = name === "search" ? randomFiles() : [];
  return {
    include: [`test/${name}/**/*.${ending}`, ...random],
    exclude: part === "rest" ? ["**/*.short.test.ts"] : [],
  };
}

/** Tests with random examples. In `unit` they try few of them, see test/support/runs.ts. */
function randomFiles(): string[] {
  return readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .filter((file) => readFileSync(file, "utf8").includes("support/runs.ts"));
}
