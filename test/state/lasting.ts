import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { Postgres } from "../../scripts/postgres.mjs";
import { chainHash } from "../../src/deploy/state/entries.ts";
import { FileLog } from "../../src/deploy/state/files/file-log.ts";
import { BranchLog } from "../../src/deploy/state/git/branch-log.ts";
import { blockSum } from "../../src/deploy/state/log/block.ts";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import { Database } from "../../src/deploy/state/postgres/database.ts";
import { TableLog } from "../../src/deploy/state/postgres/table-log.ts";
import { definition } from "../../src/deploy/state/postgres/tables.ts";
import { Bucket } from "../../src/deploy/state/s3/bucket.ts";
import { ObjectLog } from "../../src/deploy/state/s3/object-log.ts";
import { firstReaders } from "../../src/schema/formats.ts";
import { later } from "../../src/schema/since.ts";
import { EntrySchema } from "../../src/schema/state.ts";
import { readArchive, writeArchive } from "../support/archive.ts";
import { folder, start } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { gitRemote } from "../support/git-remote.ts";
import { clock, testHost } from "../support/host.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { olderCommand } from "../support/older-build.ts";
import { settingsOf as databaseSettings } from "../support/postgres.ts";
import { service, stateIdIn, token } from "../support/project.ts";
import { settingsOf as bucketSettings } from "../support/s3.ts";

/*
 * For each released format, states that its build wrote: every kind of event, in every backend, for
 * a service that only creates menus (`basic`) and for one with more operations (`more`). Also a pulled
 * file, a plan file, a rescue file and an agent list. `fields` has a menu with a value for every field.
 * They are never written again. `npm run keep-format` writes those of a new format.
 */
export const kept = join(import.meta.dirname, "lasting");

export function sumOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

type Backend = "file" | "git" | "postgres" | "s3";
type Kind = "basic" | "more" | "fields";
const kinds = ["basic", "more"] as const;

/** A state in its backend. */
interface Stored {
  readonly log: CommitLog;
  readonly env?: Readonly<Record<string, string>>;
  /** Everything that the backend has. */
  dump(): unknown;
  removeSnapshots(): void;
  /** The same as files. */
  files(): Iterable<readonly [name: string, content: Buffer]>;
}

/** Puts a state into its backend, as it was written. */
async function stored(
  backend: Backend,
  kind: Kind,
  path: string,
  files: ReadonlyMap<string, Buffer>,
  server: () => Postgres,
): Promise<Stored> {
  const id = stateIdIn(path) ?? "";
  switch (backend) {
    case "file": {
      const state = join(path, ".ivrctl/state");
      const names = () =>
        readdirSync(join(state, "test", id)).filter((name) => !name.startsWith("."));
      return {
        log: new FileLog(join(state, "test"), clock, id),
        dump: () =>
          names().map((name) => [name, readFileSync(join(state, "test", id, name), "utf8")]),
        removeSnapshots() {
          for (const name of names())
            if (name.includes("snapshot")) rmSync(join(state, "test", id, name));
        },
        files: () =>
          names().map((name) => [
            `.ivrctl/state/test/${id}/${name}`,
            readFileSync(join(state, "test", id, name)),
          ]),
      };
    }
    case "git": {
      const remote = gitRemote();
      writeFileSync(join(path, ".git-bundle"), files.get("state.bundle") ?? "");
      remote.git("fetch", "--quiet", join(path, ".git-bundle"), "refs/*:refs/*");
      execFileSync("git", ["init", "--quiet"], { cwd: path });
      execFileSync("git", ["remote", "add", "origin", remote.path], { cwd: path });
      const host = testHost({ env: process.env });
      const place = { root: path, host, remote: "origin", branch: "ivrctl-state" };
      return {
        log: Object.assign(new BranchLog(place, "test", id), { pause: 0 }),
        dump: () => remote.git("for-each-ref"),
        // Every commit of the branch has one.
        removeSnapshots() {},
        files() {
          remote.git("bundle", "create", "--quiet", join(path, ".git-bundle"), "--all");
          return [["state.bundle", readFileSync(join(path, ".git-bundle"))]];
        },
      };
    }
    case "postgres": {
      const schema = `s_${kind}`;
      const sql = (text: string) => server().sql(text);
      sql(
        `DROP SCHEMA IF EXISTS ${schema} CASCADE; ${definition(schema)}; DELETE FROM ${schema}.version`,
      );
      for (const table of ["version", "blocks", "snapshots"]) {
        const rows = files.get(`postgres/${table}.json`)?.toString() ?? "";
        const all = `json_populate_recordset(null::${schema}.${table}, $rows$${rows}$rows$)`;
        sql(`INSERT INTO ${schema}.${table} SELECT * FROM ${all}`);
      }
      const database = new Database(path, databaseSettings(server().url()));
      return {
        log: new TableLog(database, schema, "test", id),
        env: { STATE_URL: server().url() },
        dump: () =>
          ["version", "blocks", "snapshots"].map((table) =>
            sql(`SELECT * FROM ${schema}.${table}`),
          ),
        removeSnapshots: () => sql(`DELETE FROM ${schema}.snapshots`),
        files: () =>
          ["version", "blocks", "snapshots"].map((table) => {
            const rows = sql(`SELECT json_agg(one) FROM ${schema}.${table} AS one`);
            return [`postgres/${table}.json`, Buffer.from(rows)];
          }),
      };
    }
    case "s3": {
      const { endpoint, objects } = await memoryBucket({ objects: under("s3/", files) });
      const settings = bucketSettings({ bucket: "states", prefix: kind, endpoint });
      const env = { ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
      // The SDK reads the variables of the process.
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      return {
        log: new ObjectLog(new Bucket(path, settings, testHost()), "test", id),
        env,
        dump: () => [...objects].map(([key, bytes]) => `${key} ${sumOf(bytes)}`).sort(),
        removeSnapshots() {
          for (const key of objects.keys()) if (key.includes("/snapshots/")) objects.delete(key);
        },
        files: () => under("", objects).map(([key, bytes]) => [`s3/${key}`, bytes]),
      };
    }
  }
}

function under(prefix: string, files: ReadonlyMap<string, Buffer>): [string, Buffer][] {
  return [...files].flatMap(([name, bytes]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), bytes] as const] : [],
  ) as [string, Buffer][];
}

const noServer = () => expect.unreachable("The state is in no database.");

/** The project with a kept state, and its service with the menus that were created. */
export async function project(
  format: string,
  kind: Kind,
  backend: Backend,
  server: () => Postgres = noServer,
) {
  const file = join(kept, format, `${kind}-${backend}.txt.gz`);
  const text = gunzipSync(readFileSync(file)).toString();
  const files = new Map(
    Array.from(readArchive(text).files, ([name, content]) => [name, content as Buffer]),
  );
  const own = [...files].filter(([name]) => !/^(?:s3|postgres)\/|\.bundle$/.test(name));
  const path = folder(Object.fromEntries(own));
  const operations =
    kind === "more" ? (["list", "update", "delete", "numbers", "users", "record"] as const) : [];
  const { url } = await service({ operations, dataFile: join(path, "records.jsonl") });
  const state = await stored(backend, kind, path, files, server);
  const env = { BASE_URL: url, TOKEN: token, ...state.env };
  const run = (...args: string[]) => ivrctl(args, { cwd: path, env });
  return {
    path,
    url,
    state,
    files,
    run,
    json: async (...args: string[]) => JSON.parse((await run(...args, "--format", "json")).stdout),
    /** Runs the build that wrote the state. */
    older: (...args: string[]) =>
      start(process.execPath, [olderCommand(format), ...args], { cwd: path, env }).finished,
  };
}

/** The menus that a state has, with what is recorded about them. */
const recordsOf = ({
  menus,
  follow_ups,
}: Record<"menus" | "follow_ups", Record<string, unknown>[]>) => ({
  menus: menus.map(({ key, status }) => [key, status]),
  followUps: follow_ups.map(({ id }) => id),
});

/** Tests that this build uses the states that older builds wrote in a backend, and they those of this one. */
export function lastingIn(backend: Backend, server?: () => Postgres): void {
  const states = readdirSync(kept).flatMap((format) =>
    kinds.map((kind) => [kind, format] as const),
  );
  test.each(states)("a state of a %s service, with format %s, is used", async (kind, format) => {
    const found = await project(format, kind, backend, server);
    const { path, url, state, files, run, json, older } = found;

    // Reading changes nothing, with and without a snapshot.
    const before = state.dump();
    const list = recordsOf(await json("state", "list"));
    expect(list).toMatchSnapshot();
    expect((await run("state", "pull")).stdout).toBe(files.get("pulled.jsonl")?.toString());
    expect(state.dump()).toEqual(before);
    state.removeSnapshots();
    rmSync(join(path, ".ivrctl/seen"), { recursive: true, force: true });
    expect(recordsOf(await json("state", "list"))).toEqual(list);

    // The service of a test has another address each time.
    expect((await run("state", "rebind", "--to", url, "--evidence", "a test")).exit).toBe(0);
    const rebound = state.dump();
    const { changes } = await json("plan");
    expect(changes).toContainEqual(expect.objectContaining({ key: "new", action: "create" }));
    expect(state.dump()).toEqual(rebound);

    // Its rescue file is recorded. Its plan is read: it is for the other address.
    const pushed = await run("state", "push", "later.rescue.json");
    expect(pushed).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/later created|recorded: later/),
    });
    const planned = await run("apply", "plan.json");
    expect(planned).toMatchObject({ exit: 1, stderr: expect.stringContaining("IVR623") });
    await run("apply", "--auto-approve");
    const { menus } = recordsOf(await json("state", "list"));
    expect(menus).toEqual(
      expect.arrayContaining([
        ["new", "live"],
        ["later", "live"],
      ]),
    );

    // Nothing in it is new, so the older build goes on.
    const again = await older("state", "list", "--format", "json");
    // The build with format 8 calls the list of menus differently, and each one live that is not unknown.
    const { keys, menus: listed = keys } = JSON.parse(again.stdout);
    const asListed = menus.map(([key, status]) => [key, status === "recorded" ? "live" : status]);
    expect(recordsOf({ menus: listed, follow_ups: [] }).menus).toEqual(asListed);
    const after = await older("apply", "--auto-approve");
    expect(`${after.stdout}${after.stderr}`).not.toContain("error[");
  });

  test("a pulled file is pushed to a backend that has lost the state", async () => {
    const { path, run, json } = await project("8", "basic", "file", server);
    const list = recordsOf(await json("state", "list"));
    rmSync(join(path, ".ivrctl"), { recursive: true });
    expect((await run("state", "push", "pulled.jsonl")).exit).toBe(0);
    expect(recordsOf(await json("state", "list"))).toEqual(list);
  });

  test("a block of a newer format is refused by both builds, and nothing changes", async () => {
    const { state, run, older } = await project("8", "basic", backend, server);
    const numbers = await state.log.numbers();
    const number = (numbers.at(-1) ?? 0) + 1;
    const [last] = await state.log.read(number - 2, 1);
    const about = { environment: "test", number, session: "x", at: "2026-01-01T00:00:00.000Z" };
    const header = { version: 99, needs: "9.8.7", ...about, kind: "later" };
    const body = `${JSON.stringify(header)}\n`;
    const sum = chainHash((last && blockSum(last)) ?? "", body);
    await state.log.append(number, Buffer.from(`${body}{"sum":"${sum}"}\n`), "newer");
    await state.log.close();
    const before = state.dump();
    for (const args of [
      ["plan"],
      ["apply", "--auto-approve"],
      ["state", "list"],
      ["state", "pull"],
    ]) {
      expect(await run(...args)).toMatchObject({
        exit: 1,
        stderr: expect.stringMatching(
          /IVR602.*format 99.*Nothing was changed[^]*Use ivrctl 9\.8\.7/,
        ),
      });
      expect(await older(...args)).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining("IVR602"),
      });
    }
    expect(state.dump()).toEqual(before);
  });
}

/** The newest format. Before it is released, nothing is kept of it. */
export const newest = Object.keys(firstReaders).at(-1) ?? "";

/**
 * Keeps states of the newest format: those of the oldest one, and after them everything that came since.
 * Only `npm run keep-format` runs this.
 */
export function keepIn(backend: Backend, server?: () => Postgres): void {
  if (process.env["IVRCTL_KEEP_FORMAT"] === undefined) return;
  test(`keeps states of the newest format in ${backend}`, async () => {
    const missing = new Set(addedWith(newest));
    for (const kind of kinds) {
      const { path, url, state, files, run } = await project("8", kind, backend, server);
      await run("state", "rebind", "--to", url, "--evidence", "a test");
      await useWhatIsNew(path, kind, run);
      await run("plan", "--out", "plan.json");
      await run("state", "pull", "--out", "pulled.jsonl");
      const pulled = readFileSync(join(path, "pulled.jsonl"), "utf8");
      for (const text of missing) if (pulled.includes(text)) missing.delete(text);
      const own = [...files.keys()].filter(
        (name) => !/^(?:s3|postgres|\.ivrctl)\/|\.bundle$/.test(name),
      );
      const now = own.map((name) => [name, readFileSync(join(path, name))] as const);
      const all = new Map([...now, ...state.files()]);
      mkdirSync(join(kept, newest), { recursive: true });
      const archive = gzipSync(writeArchive({ intro: "", files: all }), { level: 9 });
      writeFileSync(join(kept, newest, `${kind}-${backend}.txt.gz`), archive, { flag: "wx" });
    }
    // If something is left, add a step to `useWhatIsNew`.
    expect([...missing]).toEqual([]);
  });
}

type Run = Awaited<ReturnType<typeof project>>["run"];

/** Uses everything that came with the newest format. */
async function useWhatIsNew(path: string, kind: Kind, run: Run): Promise<void> {
  const file = join(path, "ivrs/a.yaml");
  const text = readFileSync(file, "utf8")
    .replace(/^numbers:.*/m, "")
    .trimEnd();
  const renamed = text.replace('recording: "11"', 'recording: "11", final_recording: "14"');
  writeFileSync(file, `${renamed}\nnumbers: ["+912241234567"]\n`);
  await run("apply", "--auto-approve", "--target", "a");
  if (kind === "basic") {
    await run("state", "done", "+912241234567");
    return;
  }
  await makeRecording(path, run);
  await run("trial", "--auto-approve", "--agent", "Asha Rao");
}

/** A menu whose recording apply makes. */
async function makeRecording(path: string, run: Run): Promise<void> {
  const config = join(path, "ivrctl.yaml");
  const settings = readFileSync(config, "utf8")
    .replace("users]", "users, record]")
    .replace(
      /^recordings:$/m,
      "speech: { type: text, voice: female }\n$&\n  made: { says: Hello. }",
    );
  writeFileSync(config, settings);
  const file = join(path, "ivrs/a.yaml");
  const menu = readFileSync(file, "utf8").replace("recording: greeting", "recording: made");
  writeFileSync(file, menu);
  await run("apply", "--auto-approve", "--target", "a");
}

/** The fields and events that came with a format, as entries show them. */
function addedWith(format: string): string[] {
  const found: string[] = [];
  const search = (schema: unknown): void => {
    for (const [name, one] of Object.entries(Object(schema))) {
      if (typeof one !== "object" || one === null) continue;
      search(one);
      if (String(Object(one).since) !== format) continue;
      const kind = z.string().safeParse(Object(one).properties?.kind?.const).data;
      const value = z.string().safeParse(Object(one).const).data;
      const ownText = value === undefined ? `"${name}":` : `"${value}"`;
      found.push(kind === undefined ? ownText : `"kind":"${kind}"`);
    }
  };
  search(z.toJSONSchema(EntrySchema, { metadata: later }));
  return found;
}
