import { expect, test } from "vitest";
import { loadProject } from "../../src/compile/load-project.ts";
import { exampleProject } from "../support/cli.ts";
import { testHost } from "../support/host.ts";

test("reports how many files are compiled after each file", async () => {
  const root = exampleProject({ "ivrs/b.yaml": "name: B\n", "ivrs/c.yaml": "name: [" });
  const compiled: unknown[] = [];
  await loadProject(
    { root, globals: { env: undefined }, host: testHost() },
    {
      paths: [],
      agentsRequired: false,
      onCompiled: (done, total) => compiled.push([done, total]),
    },
  );
  expect(compiled).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
});
