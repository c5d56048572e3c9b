import { existsSync, readFileSync, readdirSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { previewScript } from "./build/preview-script.ts";

const parser = /\/@actions\/workflow-parser\/dist\/.*\.js$/;

/**
 * Which tests run. `npm test` sets `short`: projects that need servers, a browser or npm run only their
 * *.short.*.test.ts files. `rest` runs what `short` leaves out, and `unit` only that project. Default: all tests.
 */
const part = process.env["IVRCTL_TESTS"] ?? "all";

/** The suffixes of test files. Those without one are `unit`. */
const suffixes = ["process", "store", "browser", "package", "search"];
/** The kinds of which `npm test` runs all files. */
const whole = new Set(["unit", "process"]);

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);

/** The least free space of a folder in memory for tests that start servers: 4 GB. */
const enough = 4e9;

/** A folder in memory where programs can run. Undefined if there is none, or if the user chose a folder. */
const memory =
  process.env["TMPDIR"] === undefined &&
  existsSync("/proc/mounts") &&
  /^\S+ \/dev\/shm tmpfs (?!\S*\bnoexec\b)/m.test(readFileSync("/proc/mounts", "utf8"))
    ? "/dev/shm"
    : undefined;
const hasSpace = memory !== undefined && freeBytes(memory) > enough;

/** Starts long runs of short files first. Otherwise a first run ends with them on one core. */
class LongRunsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId, project }: TestSpecification) =>
      project.name === "search" ||
      /\/(test\/cases|transcripts|commands\.process|node-versions\.package|newest-node\.package|bench\.package)\.test/.test(
        moduleId,
      ) ||
      /\/pull-request\/.*\.store\.test/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  plugins: [
    previewScript([]),
    {
      name: "pages-as-text",
      transform: (code, id) =>
        id.endsWith(".md") ? `export default ${JSON.stringify(code)};` : null,
    },
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
    // Long timeouts, because the machine may be busy. They only end tests that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    sequence: { sequencer: LongRunsFirst },
    // Every core has a worker. Threads that help one with garbage collection only slow down the others.
    // In a mutation run the workers are threads, which do not take this option.
    execArgv: part === "unit" ? [] : ["--single-threaded-gc"],
    // In `rest`, most tests wait for servers and other processes. Elsewhere, each worker more than there are
    // cores only loads the modules once more.
    maxWorkers: availableParallelism() * (part === "rest" ? 3 : 1),
    reporters: [
      "default",
      "./test/support/skipped.ts",
      ["json", { outputFile: `test-results/${part}.json` }],
    ],
    // Node finds the exports of all our dependencies. Without this, each use of one is slower.
    deps: { interopDefault: false },
    // It imports JSON in a form that Node does not support.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
    projects: Object.entries(projects()).map(([name, include]) => ({
      extends: true as const,
      test: {
        name,
        include,
        env: {
          // Property tests try one of so many examples, and all of them in all tests, which takes five minutes.
          IVRCTL_RUNS: name === "search" ? "1" : "30",
          // Tests write many small files, and stores sync each one, which takes long on a disk.
          ...(memory !== undefined && (name === "unit" || hasSpace) ? { TMPDIR: memory } : {}),
        },
        // Most files run faster than the modules load, so the files of a worker share them.
        isolate: false,
      },
    })),
  },
});

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The files of each project. Each project transforms and loads all modules again, so `short` is only one. */
function projects(): Record<string, string[]> {
  if (part === "short" && hasSpace) return { short: files.filter(isShort) };
  const found: Record<string, string[]> = {};
  for (const file of files.filter(isInPart)) (found[kindOf(file)] ??= []).push(file);
  if (part === "all") found["search"]?.push(...randomFiles());
  return found;
}

function kindOf(file: string): string {
  return suffixes.find((suffix) => file.endsWith(`.${suffix}.test.ts`)) ?? "unit";
}

function isShort(file: string): boolean {
  return whole.has(kindOf(file)) || file.includes(".short.");
}

function isInPart(file: string): boolean {
  if (part === "unit") return kindOf(file) === "unit";
  if (part === "short") return isShort(file);
  return part === "all" || !isShort(file);
}

/** Returns the test files with many examples. In `unit` they try only a few, see test/support/runs.ts. */
function randomFiles(): string[] {
  return files.filter((file) => readFileSync(file, "utf8").includes("support/runs.ts"));
}
