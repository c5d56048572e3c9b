import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject, folder, ivrctl } from "../support/cli.ts";

test("other commands do not load the JSON Schema generator", async () => {
  const hook = folder({
    "loaded.cjs": `process.on("exit", () => {
  const { readFileSync } = require("node:fs");
  const makers = Object.keys(require.cache).filter((file) => /draft-2020-12/.test(readFileSync(file, "utf8")));
  process.stderr.write("makers: " + makers.length + "\\n");
});`,
  });
  const env = { NODE_OPTIONS: `--require ${join(hook, "loaded.cjs")}` };
  const cwd = exampleProject();
  const validate = await ivrctl(["validate"], { cwd, env });
  const schema = await ivrctl(["schema"], { cwd, env });
  // The hook itself contains the text.
  expect(validate.stderr).toContain("makers: 1\n");
  expect(schema.stderr).toContain("makers: 2\n");
});
