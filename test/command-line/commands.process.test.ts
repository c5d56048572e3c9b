import { expect, test } from "vitest";
import { allCommands } from "../support/all-commands.ts";
import { command, exampleProject, folder, ivrctl, start } from "../support/cli.ts";
import { ivrctl as inProcess } from "../support/commands.ts";
import { menu } from "../support/project.ts";

// The built program, each command in its own process. All other tests of commands run in process.

const names = (await allCommands()).map(([name]) => name);

/** Runs the program again for each command, with `--help`. A process for each takes many times as long. */
const printHelps = `
const [program, ...names] = process.argv.slice(1);
require("node:events").defaultMaxListeners = 0;
void (async () => {
  for (const name of names) {
    process.argv = [process.execPath, program, ...name.split(" "), "--help"];
    process.exitCode = undefined;
    delete require.cache[program];
    require(program);
    while (process.exitCode === undefined) await new Promise(setImmediate);
  }
})();
`;

test("the built program has all parts of every command", async () => {
  const printed = await start(process.execPath, ["-e", printHelps, command, ...names]).finished;
  let helps = "";
  for (const name of names) helps += (await inProcess([...name.split(" "), "--help"])).stdout;
  expect(printed).toEqual({ exit: 0, stdout: helps, stderr: "" });
});

// The tests of the package run `validate`, `plan` and `apply`.
test.each([
  [["test"], "3 passed, 0 failed"],
  [["graph", "--format", "svg"], "<svg"],
  // The page is a file of its own in the build.
  [["preview", "--out", "site"], "Wrote site/index.html"],
  // Prettier is loaded only for this.
  [["fmt", "--check"], "2 files"],
  [["explain", "IVR301"], "IVR301"],
])("ivrctl %j succeeds", async (args, prints) => {
  const { exit, stdout, stderr } = await ivrctl(args, { cwd: exampleProject() });
  expect({ exit, printed: stdout + stderr }).toEqual({
    exit: 0,
    printed: expect.stringContaining(prints),
  });
});

test("init and import write files", async () => {
  const cwd = folder({});
  expect(await ivrctl(["init"], { cwd })).toMatchObject({ exit: 0 });
  const compiled = await inProcess(["compile"], {
    cwd: exampleProject({ "ivrs/example.yaml": menu("Another") }),
  });
  const [payload] = Object.values(JSON.parse(compiled.stdout) as object);
  const imported = await ivrctl(["import", "-"], { cwd, input: JSON.stringify(payload) });
  expect(imported).toMatchObject({ exit: 0 });
  expect(await ivrctl(["validate", "ivrs/another.yaml"], { cwd })).toMatchObject({ exit: 0 });
});

// The commands in process, which other tests run, must print the same as a process.
test.each([
  [["plan", "--target", "nowhere"]],
  [["validate", "--format", "sarif"]],
  [["doctor", "--env", "nowhere", "--format", "json"]],
  [["sandbox", "--memory", "--port", "x"]],
  [["ci", "check", "--env", "production"]],
])("%j prints the same in a process", async (args) => {
  const where = { cwd: exampleProject() };
  expect(await inProcess(args, where)).toEqual(await ivrctl(args, where));
});
