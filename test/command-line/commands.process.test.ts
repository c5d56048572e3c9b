import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allCommands } from "../support/all-commands.ts";
import { exampleProject, folder, ivrctl } from "../support/cli.ts";
import { ivrctl as inProcess } from "../support/commands.ts";
import { git, repository } from "../support/init.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { menu, project } from "../support/project.ts";
import { applied, lockElsewhere, replaced } from "../support/state.ts";

// Runs each command of the built program in its own process. All other tests of commands run in process.

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

const rows: Readonly<Record<string, Row>> = {
  init: {
    place: () => ({ cwd: folder({}) }),
    prints: "ivrctl.yaml",
  },
  validate: {
    place: example,
    prints: "1 menu is valid",
  },
  compile: {
    place: example,
    prints: '"name": "Front desk"',
  },
  show: {
    place: example,
    args: ["example"],
    prints: "name: Front desk",
  },
  call: {
    place: example,
    args: ["example", "--press", "2"],
    prints: "at Ravi Kumar (extension 500102)",
  },
  test: {
    place: example,
    prints: "3 passed, 0 failed",
  },
  graph: {
    place: example,
    prints: "flowchart",
  },
  preview: {
    place: example,
    args: ["--out", "site"],
    prints: "Wrote site/index.html",
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
  },
  plan: {
    place: example,
    prints: "Plan: 1 to create",
  },
  apply: {
    place: example,
    args: ["--auto-approve"],
    prints: "sandbox: 1 created.",
  },
  "state init": {
    place: () => {
      const { path, env } = project("http://127.0.0.1:1", { a: menu("A") });
      return { cwd: path, env };
    },
    prints: "Began the state",
  },
  "state list": { place: recorded, prints: "example" },
  "state show": {
    place: recorded,
    args: ["example"],
    prints: "example  “Front desk”, live",
  },
  "state history": {
    place: recorded,
    prints: "example: created",
  },
  "state resolve": {
    place: unknown,
    args: ["night", "--created"],
    prints: "night",
  },
  "state done": {
    place: async () => {
      const { path, env, id } = await replaced();
      return { cwd: path, env, words: [id] };
    },
    prints: "done",
  },
  "state rm": {
    place: recorded,
    args: ["example", "--auto-approve"],
    prints: "example: record deleted",
  },
  "state mv": {
    place: recorded,
    args: ["example", "reception"],
    prints: "example: record moved to reception",
  },
  "state rebind": {
    place: unknown,
    args: ["--to", "https://new.example", "--evidence", "the same login"],
    prints: "https://new.example",
  },
  "state pull": {
    place: recorded,
    args: ["--out", "state.jsonl"],
    prints: "to state.jsonl",
  },
  "state push": {
    place: async () => {
      const place = await recorded();
      await inProcess(["state", "pull", "--out", "state.jsonl"], place);
      return place;
    },
    args: ["state.jsonl"],
    prints: "Nothing was added",
  },
  "state migrate": {
    place: async () => {
      const { endpoint } = await memoryBucket();
      const place = await unknown();
      const config = join(place.cwd, "ivrctl.yaml");
      const moved = "id: $1, backend: s3, bucket: states, prefix: ivr, from: { backend: file }";
      const text = readFileSync(config, "utf8").replace(/\bid: ([0-9a-f-]+)/, moved);
      writeFileSync(config, text.replace(/state:\n\s+(id: .*)/, "state: { $1 }"));
      return {
        ...place,
        env: {
          ...place.env,
          AWS_ENDPOINT_URL_S3: endpoint,
          AWS_REGION: "eu-west-1",
          AWS_ACCESS_KEY_ID: "key",
          AWS_SECRET_ACCESS_KEY: "secret-of-the-test",
        },
      };
    },
    prints: "s3://states/ivr",
  },
  unlock: {
    place: async () => {
      const place = await unknown();
      lockElsewhere(place.cwd);
      return place;
    },
    args: ["abc123"],
    prints: "abc123",
  },
  "agents list": {
    place: example,
    prints: "Asha Rao",
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
  },
  fmt: {
    place: example,
    prints: "Already formatted: 2 files",
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
  },
  schema: {
    place: example,
    prints: '"$schema"',
  },
  doctor: {
    place: example,
    prints: "node",
  },
  explain: {
    place: example,
    args: ["IVR301"],
    prints: "IVR301",
  },
};

test.each(Object.entries(rows))("ivrctl %s succeeds", async (name, row) => {
  const { place, args = [], prints } = row;
  const where = await place();
  const all = [...name.split(" "), ...(where.words ?? []), ...args];
  const { exit, stdout, stderr } = await ivrctl(all, where);
  expect({ exit, printed: stdout + stderr }).toEqual({
    exit: 0,
    printed: expect.stringContaining(prints),
  });
});

// The commands in process, which other tests run, must print the same as a process.
test.each([
  [["plan", "--target", "nowhere"]],
  [["validate", "--format", "sarif"]],
  [["graph", "--format", "svg"]],
  [["doctor", "--env", "nowhere", "--format", "json"]],
  [["sandbox", "--memory", "--port", "x"]],
  [["ci", "check", "--env", "production"]],
])("%j prints the same in a process", async (args) => {
  const where = example();
  expect(await inProcess(args, where)).toEqual(await ivrctl(args, where));
});

test("has a row for every command", async () => {
  const all = (await allCommands()).map(([name]) => name);
  // Other files have the commands that run until a signal (editor, sandbox) and the jobs (pull-request).
  const elsewhere = ["lsp", "sandbox", "ci apply", "ci check", "ci pull-request"];
  expect([...Object.keys(rows), ...elsewhere].sort()).toEqual([...all].sort());
});
