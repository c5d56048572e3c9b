import { describe, expect, test } from "vitest";
import { call } from "../sandbox/client.ts";
import { allCommands } from "../support/all-commands.ts";
import { exampleProject, folder, ivrctl, startIvrctl } from "../support/cli.ts";
import { ivrctl as inProcess } from "../support/commands.ts";
import { git, repository } from "../support/init.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { until } from "../support/project.ts";
import { applied, lockElsewhere, replaced } from "../support/state.ts";

/*
 * Runs the built program in its own process. Each command succeeds, fails and prints a machine format
 * here. All other tests of commands are in test/commands.
 */

interface Place {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** Arguments that depend on the place: the id of a follow-up. */
  readonly words?: readonly string[];
}

interface Row {
  /** Called for each run, because many commands change the project. */
  readonly place: () => Place | Promise<Place>;
  readonly args?: readonly string[];
  /** A part of the output on success. */
  readonly prints: string;
  /** Arguments with which the command fails, and a part of the error. */
  readonly wrong: readonly [args: readonly string[], message: string];
  /** The machine format, if it is not JSON with a version. */
  readonly machine?: { readonly format: string; readonly begins: string };
}

const example = (): Place => ({ cwd: exampleProject() });

/** The example project, applied to the embedded sandbox. */
const recorded = async (): Promise<Place> => {
  const cwd = exampleProject();
  expect(await inProcess(["apply", "--auto-approve"], { cwd })).toMatchObject({ exit: 0 });
  return { cwd };
};

/** A project with a menu whose outcome is unknown. */
const unknown = async (): Promise<Place> => {
  const { path, env } = await applied();
  return { cwd: path, env };
};

const noEnvironment = [["--env", "nowhere"], "There is no environment `nowhere`"] as const;

const rows: Readonly<Record<string, Row>> = {
  init: {
    place: () => ({ cwd: folder({}) }),
    prints: "ivrctl.yaml",
    wrong: [["--ci", "jenkins"], '"github", "gitlab", "none"'],
  },
  validate: {
    place: example,
    prints: "1 menu is valid",
    wrong: [["nowhere.yaml"], "There is no file and no menu nowhere.yaml."],
  },
  compile: {
    place: example,
    prints: '"name": "Front desk"',
    wrong: [["nowhere.yaml"], "There is no file and no menu nowhere.yaml."],
    machine: { format: "json", begins: "{" },
  },
  show: {
    place: example,
    args: ["example"],
    prints: "name: Front desk",
    wrong: [["nowhere"], "There is no menu with the key `nowhere`."],
  },
  call: {
    place: example,
    args: ["example", "--press", "2"],
    prints: "at Ravi Kumar (extension 500102)",
    wrong: [["nowhere", "--press", "2"], "nowhere"],
  },
  test: {
    place: example,
    prints: "3 passed, 0 failed",
    wrong: [["nowhere"], "There is no file and no menu nowhere."],
  },
  graph: {
    place: example,
    prints: "flowchart",
    wrong: [["nowhere"], "There is no menu with the key `nowhere`"],
    machine: { format: "svg", begins: "<svg" },
  },
  preview: {
    place: example,
    args: ["--out", "site"],
    prints: "Wrote site/index.html",
    wrong: [["--port", "x"], "`--port` must be a whole number"],
  },
  diff: {
    place: () => {
      const cwd = exampleProject();
      repository(cwd);
      git(cwd, "add", "-A");
      git(cwd, "-c", "user.name=T", "-c", "user.email=t@t.example", "commit", "-qm", "x");
      return { cwd };
    },
    prints: "1 unchanged",
    wrong: [["nowhere"], "There is no commit `nowhere`"],
  },
  plan: {
    place: example,
    prints: "Plan: 1 to create",
    wrong: [["--target", "nowhere"], "matches no menu"],
  },
  apply: {
    place: example,
    args: ["--auto-approve"],
    prints: "sandbox: 1 created.",
    wrong: [["nowhere.json"], "nowhere.json cannot be read"],
  },
  "state list": { place: recorded, prints: "example", wrong: noEnvironment },
  "state show": {
    place: recorded,
    args: ["example"],
    prints: "example  “Front desk”, live",
    wrong: [["nowhere"], "nowhere has no record"],
  },
  "state history": {
    place: recorded,
    prints: "example: created",
    wrong: [["nowhere"], "nowhere is not in the history"],
  },
  "state resolve": {
    place: unknown,
    args: ["night", "--created"],
    prints: "night",
    wrong: [["sales", "--created"], "The outcome of sales is already known"],
  },
  "state done": {
    place: async () => {
      const { path, env, id } = await replaced();
      return { cwd: path, env, words: [id] };
    },
    prints: "done",
    wrong: [["F99"], "has no open follow-up F99"],
  },
  "state rm": {
    place: recorded,
    args: ["example", "--auto-approve"],
    prints: "example: record deleted",
    wrong: [["nowhere"], "there is no terminal"],
  },
  "state mv": {
    place: recorded,
    args: ["example", "reception"],
    prints: "example: record moved to reception",
    wrong: [["nowhere", "reception"], "nowhere has no record"],
  },
  "state rebind": {
    place: unknown,
    args: ["--to", "https://new.example", "--evidence", "the same login"],
    prints: "https://new.example",
    wrong: [[], "to, evidence"],
  },
  "state pull": {
    place: recorded,
    args: ["--out", "state.jsonl"],
    prints: "to state.jsonl",
    wrong: noEnvironment,
  },
  "state push": {
    place: async () => {
      const place = await recorded();
      await inProcess(["state", "pull", "--out", "state.jsonl"], place);
      return place;
    },
    args: ["state.jsonl"],
    prints: "Nothing was added",
    wrong: [["nowhere"], "nowhere does not exist"],
  },
  "state migrate": {
    place: async () => {
      const { endpoint } = await memoryBucket();
      const place = await recorded();
      return {
        ...place,
        env: {
          AWS_ENDPOINT_URL_S3: endpoint,
          AWS_REGION: "eu-west-1",
          AWS_ACCESS_KEY_ID: "key",
          AWS_SECRET_ACCESS_KEY: "secret-of-the-test",
        },
      };
    },
    args: ["--to", "s3://states/ivr"],
    prints: "s3://states/ivr",
    wrong: [[], "ivrctl state migrate --help"],
  },
  unlock: {
    place: async () => {
      const place = await unknown();
      lockElsewhere(place.cwd);
      return place;
    },
    args: ["abc123"],
    prints: "abc123",
    wrong: [[], "ivrctl unlock --help"],
  },
  "agents list": {
    place: example,
    prints: "Asha Rao",
    wrong: noEnvironment,
  },
  "agents pull": {
    place: () => ({
      cwd: folder({
        "ivrctl.yaml": `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox } }
`,
      }),
    }),
    prints: "Wrote 6 agents for sandbox to agents.lock.json",
    wrong: noEnvironment,
  },
  numbers: {
    place: () => ({
      cwd: folder({
        "ivrctl.yaml": `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox, operations: [list, numbers] } }
`,
      }),
    }),
    prints: "+91 22 4123 4567",
    wrong: noEnvironment,
  },
  fmt: {
    place: example,
    prints: "Already formatted: 2 files",
    wrong: [["nowhere"], "There is no file and no menu nowhere."],
  },
  import: {
    place: async () => {
      const cwd = exampleProject();
      const { stdout } = await inProcess(["compile"], { cwd });
      const [payload] = Object.values(JSON.parse(stdout) as object);
      return { cwd, input: JSON.stringify({ ...payload, name: "Another" }) };
    },
    args: ["-"],
    prints: "ivrs/another.yaml",
    wrong: [["nowhere"], "nowhere"],
  },
  schema: {
    place: example,
    prints: '"$schema"',
    wrong: [["menus"], "There is no schema `menus`."],
    machine: { format: "json", begins: "{" },
  },
  doctor: {
    place: example,
    prints: "node",
    wrong: [["--env", "nowhere"], "nowhere"],
  },
  explain: {
    place: example,
    args: ["IVR301"],
    prints: "IVR301",
    wrong: [["IVR000"], "IVR000"],
    machine: { format: "json", begins: "{" },
  },
};

const formats = Object.fromEntries(
  (await allCommands()).map(([name, command]) => [name, command.formats]),
);

describe.each(Object.entries(rows))("ivrctl %s", (name, row) => {
  const { place, args = [], prints, wrong, machine } = row;
  const words = name.split(" ");

  test("succeeds", async () => {
    const where = await place();
    const all = [...words, ...(where.words ?? []), ...args];
    const { exit, stdout, stderr } = await ivrctl(all, where);
    expect({ exit, printed: stdout + stderr }).toEqual({
      exit: 0,
      printed: expect.stringContaining(prints),
    });
  });

  test("fails and says why", async () => {
    const [bad, message] = wrong;
    const where = await place();
    const failed = await ivrctl([...words, ...bad], where);
    expect(failed.exit).toBe(1);
    expect(failed.stdout + failed.stderr).toContain(message);
    // The in-process runner of other tests must give the same result.
    expect(await inProcess([...words, ...bad], where)).toEqual(failed);
  });

  if (machine === undefined && !formats[name]?.includes("json")) return;
  test("prints a format for machines", async () => {
    const format = machine?.format ?? "json";
    const where = await place();
    const all = [...words, ...(where.words ?? []), ...args, "--format", format];
    const printed = await ivrctl(all, where);
    expect(printed.exit).toBe(0);
    if (machine !== undefined) expect(printed.stdout.startsWith(machine.begins)).toBe(true);
    else expect(JSON.parse(printed.stdout)).toHaveProperty("format_version");
  });
});

describe("ivrctl sandbox", () => {
  const args = ["sandbox", "--memory", "--port"];

  test("serves until it receives a signal", async () => {
    const { child, finished, said, printed } = startIvrctl([...args, "0"]);
    await until(() => said().includes("Press Ctrl-C to stop it."));
    const { text } = await call(printed().trim(), { method: "GET", path: "/v1/agents" });
    expect(JSON.parse(text)).toHaveLength(6);
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ exit: 0 });
  });

  test("fails and says why", async () => {
    const failed = await ivrctl([...args, "x"]);
    expect(failed).toMatchObject({ exit: 1, stderr: expect.stringContaining("not `x`.") });
    expect(await inProcess([...args, "x"])).toEqual(failed);
  });
});

// test/stores/ci has their success. They print no format for machines.
const jobs = ["ci apply", "ci check", "ci pull-request"];

test.each(jobs)("ivrctl %s fails outside of a pipeline and says why", async (name) => {
  const args = [...name.split(" "), "--env", "production"];
  const failed = await ivrctl(args);
  expect(failed.exit).toBe(1);
  expect(failed.stderr).toContain("IVR680");
  expect(await inProcess(args)).toEqual(failed);
});

test("has a row for every command", async () => {
  const all = (await allCommands()).map(([name]) => name);
  // lsp.test.ts has the language server, which prints only messages of its protocol.
  expect([...Object.keys(rows), ...jobs, "sandbox", "lsp"].sort()).toEqual([...all].sort());
});
