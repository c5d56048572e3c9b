import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const parser = /\/@actions\/workflow-parser\/dist\/.*\.js$/;

export default defineConfig({
  plugins: [
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
    include: ["test/**/*.test.ts"],
    // They only end what hangs: nothing is proven by being fast, and a machine may be busy.
    testTimeout: 300_000,
    // The first of them may have to install a server or a browser.
    hookTimeout: 600_000,
    // Most of the time is other processes', and half of a small machine would stand idle.
    maxWorkers: "100%",
    reporters: ["default", ["json", { outputFile: "test-results/results.json" }]],
    // It imports JSON in a way that only bundlers understand.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
  },
});
