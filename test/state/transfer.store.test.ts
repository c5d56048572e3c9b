import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { databaseProject } from "../support/stored-project.ts";
import { freshSchema, postgres, storeAt } from "../support/postgres.ts";
import { fileStore } from "../support/file-log.ts";
import { sessionOf } from "./conformance.ts";
import { menu, namesOf, service } from "../support/project.ts";
import { radosgw } from "../support/radosgw.ts";
import { credentialsOf } from "../support/s3.ts";
import { environment } from "../support/environment.ts";

const server = postgres();
const bucketServer = radosgw();

const inFiles = (config: string) => config.replace(/ {4}state: .*/, "    state: { backend: file }");

/** A project with a state in files: front-desk is created, night is unknown. */
async function applied() {
  const { url, records } = await service({ faults: ["cut name=Night times=1 created=yes"] });
  const project = databaseProject(url, server().url(), {
    "front-desk": menu("Front desk"),
    night: menu("Night"),
  });
  const inDatabase = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
  const toFiles = () => project.write("ivrctl.yaml", inFiles(inDatabase));
  const toDatabase = () => project.write("ivrctl.yaml", inDatabase);
  /** Names both stores, and moves the state to the database. */
  const migrate = (schema = project.schema) => {
    const database = `backend: postgres, url: "\${STATE_URL}", schema: ${schema}`;
    const state = `    state: { ${database}, from: { backend: file } }`;
    project.write(
      "ivrctl.yaml",
      inDatabase.replace(/ {4}state: .*/, () => state),
    );
    return project.run("state", "migrate");
  };
  toFiles();
  expect((await project.run("apply", "--auto-approve")).exit).toBe(3);
  return { ...project, records, toFiles, toDatabase, migrate };
}

describe("state migrate", () => {
  test("moves nothing while the target is locked, and exits with 4", async () => {
    const project = await applied();
    const { id } = fileStore(project.path);
    const there = storeAt(server().url(), project.schema, "test", {}, 0, id);
    const session = await sessionOf(there, "job-17");
    const { exit, stderr } = await project.migrate();
    expect(exit).toBe(4);
    expect(stderr).toContain("ivrctl unlock job-17 --env test");
    const released = await project.run("unlock", "job-17");
    expect(released.stdout).toContain("Released the lock of job-17@example");
    await session.close();
    project.toFiles();
    expect((await project.run("plan")).exit).toBe(0);
    expect((await project.migrate()).exit).toBe(0);
  });

  test("killed after it marked its source: neither store can be used, and the same command finishes", async () => {
    const project = await applied();
    const store = storeAt(server().url(), project.schema, "test");
    const leaving = await sessionOf(fileStore(project.path));
    await leaving.moveTo(store.place);
    await leaving.close();
    expect((await project.run("plan")).stderr).toContain("IVR674");
    project.toDatabase();
    expect((await project.run("plan")).stderr).toContain("IVR629");
    const other = await project.migrate(freshSchema());
    expect([other.exit, other.stderr.includes(store.place)]).toEqual([1, true]);
    // Once more changes nothing.
    for (let times = 0; times < 2; times += 1) {
      const { exit, stderr } = await project.migrate();
      expect(exit).toBe(0);
      expect(stderr).toContain("Moved the state of test (5 events)");
    }
    project.toFiles();
    expect((await project.run("plan")).stderr).toContain("IVR674");
    project.toDatabase();
    expect((await project.json("plan")).value.summary).toMatchObject({ unknown: 1, create: 0 });
    expect(namesOf(project.records)).toEqual(["Front desk", "Night"]);
  });
});

describe("state pull and push", () => {
  test("a pulled file is the whole state: an empty store accepts and continues it", async () => {
    const project = await applied();
    const pulled = await project.run("state", "pull", "--out", "state.jsonl");
    expect(pulled.stderr).toBe("Wrote the state of test (5 events) to state.jsonl.\n");
    const printed = await project.run("state", "pull");
    expect(printed.stdout).toBe(readFileSync(join(project.path, "state.jsonl"), "utf8"));
    project.toDatabase();
    const pushed = await project.run("state", "push", "state.jsonl");
    expect(pushed.stderr).toBe("Added 5 events. The state of test is now at event 5.\n");
    expect((await project.json("plan")).value.summary).toMatchObject({ unknown: 1, create: 0 });
    expect((await project.run("state", "push", "state.jsonl")).stderr).toContain(
      "Nothing was added",
    );
    expect((await project.run("state", "pull")).stdout).toBe(printed.stdout);
  });

  test("push refuses a history that is older, damaged, diverged, or of another state", async () => {
    const project = await applied();
    await project.run("state", "pull", "--out", "old.jsonl");
    expect((await project.run("state", "resolve", "night", "--created")).exit).toBe(0);
    await project.run("state", "pull", "--out", "new.jsonl");
    project.toDatabase();
    const old = readFileSync(join(project.path, "old.jsonl"), "utf8");
    expect((await project.run("state", "push", "old.jsonl")).exit).toBe(0);
    expect((await project.run("state", "resolve", "night", "--absent")).exit).toBe(0);
    project.write("half.jsonl", old.slice(0, -20));
    project.write("edited.jsonl", old.replace("Front desk", "Front disk"));
    project.write("empty.jsonl", "");
    project.write("other.txt", "hello\n");
    for (const [file, why] of [
      ["old.jsonl", "This history is older: it ends at event 5, but the state is at event 6"],
      ["new.jsonl", "This history and the state differ from event 6 on"],
      ["half.jsonl", "Line 5 of half.jsonl is cut off"],
      ["edited.jsonl", "Line 2 of edited.jsonl was changed after ivrctl wrote it"],
      ["empty.jsonl", "does not contain the history"],
      ["other.txt", "Line 1 of other.txt has content that is not an event of a state"],
      ["nowhere.jsonl", "nowhere.jsonl cannot be read: there is no such file"],
    ] as const) {
      const { exit, stderr } = await project.run("state", "push", file);
      expect(exit).toBe(1);
      expect(stderr).toContain(why);
    }
    const another = await applied();
    await another.run("state", "pull", "--out", join(project.path, "another.jsonl"));
    expect((await project.run("state", "push", "another.jsonl")).stderr).toContain(
      "but ivrctl.yaml has",
    );
    project.write(
      "ivrctl.yaml",
      readFileSync(join(project.path, "ivrctl.yaml"), "utf8").replaceAll("test", "live"),
    );
    expect((await project.run("state", "push", "old.jsonl")).stderr).toContain(
      "of the environment test, not of live",
    );
  });

  test("pull reports an empty state", async () => {
    const project = await applied();
    project.toDatabase();
    const none = await project.run("state", "pull");
    expect([none.exit, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toContain("There is no state");
  });
});

describe("the driver of a store is found", () => {
  const root = join(import.meta.dirname, "../..");
  const drivers = [
    ["pg", "backend: postgres, url", () => ({ S: server().url() })],
    [
      "@aws-sdk/client-s3",
      "backend: s3, bucket: states, prefix: nobody, endpoint",
      () => ({ S: bucketServer().endpoint, ...credentialsOf(bucketServer()) }),
    ],
  ] as const;

  test.for(drivers)("%s", async ([name, settings, variables]) => {
    const config = `version: 1\ndefault_environment: e\nenvironments:\n  e: { service: sandbox, state: { ${settings}: "\${S}" } }\n`;
    const top = folder({ "project/ivrctl.yaml": config, "project/ivrs/.keep": "" });
    // Like an installed package, without a driver in a folder above it.
    const installed = join(top, "lib/node_modules/ivrctl");
    mkdirSync(installed, { recursive: true });
    cpSync(join(root, "dist"), join(installed, "dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(installed, "package.json"));
    const list = () =>
      promisify(execFile)(process.execPath, [join(installed, "dist/ivrctl.cjs"), "state", "list"], {
        cwd: join(top, "project"),
        env: { ...variables(), ...environment() },
      }).then(
        ({ stderr }) => stderr,
        (error: { stderr: string }) => error.stderr,
      );
    const missing = await list();
    expect(missing).toContain("IVR671");
    expect(missing).toContain(`npm install ${name}`);
    for (const place of ["lib", "project"]) {
      const link = join(top, place, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, "node_modules", name), link);
      // The driver prints nothing itself.
      expect(await list()).not.toMatch(/IVR671|Warning|Node/);
      rmSync(link);
    }
  });
});
