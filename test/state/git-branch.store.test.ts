import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { StateProblem } from "../../src/deploy/state/lock.ts";
import { separateHints } from "../../src/util/suggest.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { root } from "../support/cli.ts";
import { GitHttpServer } from "../support/git-http.ts";
import { type GitRemote, gitRemote, storeIn } from "../support/git-remote.ts";

const branch = "ivrctl-state-production";
const ref = `refs/heads/${branch}`;

const newest = `refs/ivrctl/newest/${branch}`;
const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];

/** The command of the documentation that restores the branch in every clone, or that adds a commit to it. */
function restore(lost: string, tip = "", how: "push" | "restored" = "push"): string {
  const page = readFileSync(join(root, "docs/state-git.md"), "utf8");
  const [documented = ""] = new RegExp(`^git fetch .* && (?:git )?${how}.*`, "m").exec(page) ?? [];
  return documented.replaceAll("TIP", tip).replaceAll("NEWEST", lost);
}

/** Makes the remote a server that refuses forced pushes and deleted branches, as the docs advise. */
function protect(remote: GitRemote): void {
  remote.git("config", "receive.denyNonFastForwards", "true");
  remote.git("config", "receive.denyDeletes", "true");
}

/** Makes the remote a server without `newest`, also for an ivrctl that knows this ref. */
function hide(remote: GitRemote, how = "refs/ivrctl"): void {
  remote.git("config", "transfer.hideRefs", how);
}

/** Changes the state in a clone: a run locks it, appends these events and releases it. */
async function change(clone: string, run: string, ...events: readonly StateEvent[]) {
  const session = await sessionOf(storeIn(clone), run);
  if (events.length > 0) await session.append(...events);
  await session.close();
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A remote whose state has one menu, and a clone that has seen it. */
async function remoteWithMenu() {
  const remote = gitRemote();
  const clone = remote.clone();
  const session = await sessionOf(storeIn(clone));
  await session.append(begun("production"), intent("a"));
  await session.append(created("a"));
  await session.close();
  return { remote, clone };
}

/** Runs a command that a person copied. */
function copied(command: string, cwd: string): void {
  const names = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
  ];
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, "a"])) };
  execFileSync("bash", ["-c", command], { cwd, env, stdio: "ignore" });
}

async function problemOf(act: Promise<unknown>): Promise<StateProblem> {
  return act.then(
    () => expect.unreachable("it should have been refused"),
    (error: StateProblem) => error,
  );
}

/** The command that a problem shows. */
function commandIn({ hint }: StateProblem): string {
  return (hint ? separateHints(hint) : [])
    .map((one) => (typeof one === "object" && "command" in one ? one.command : ""))
    .join("");
}

describe("the user's clone", () => {
  test("keeps its files, index, branches, settings and hooks as they are", async () => {
    const remote = gitRemote();
    const clone = remote.clone();
    writeFileSync(join(clone, "menu.yaml"), "name: Shop\n");
    git(clone, "add", "menu.yaml");
    const hook = join(clone, ".git/hooks/pre-push");
    mkdirSync(join(clone, ".git/hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\ntouch hook-ran\n");
    chmodSync(hook, 0o755);
    const look = () => [
      git(clone, "status", "--short", "--branch"),
      git(clone, "for-each-ref", "refs/heads", "refs/tags"),
      git(clone, "config", "--list", "--local"),
    ];
    const before = look();
    const index = readFileSync(join(clone, ".git/index"));
    const session = await sessionOf(storeIn(clone));
    await session.append(begun("production"));
    await session.close();
    await storeIn(clone).read();
    expect(look()).toEqual(before);
    expect(readFileSync(join(clone, ".git/index")).equals(index)).toBe(true);
    for (const file of ["hook-ran", ".git/FETCH_HEAD", ".git/shallow"]) {
      expect({ file, exists: existsSync(join(clone, file)) }).toEqual({ file, exists: false });
    }
  });

  test("in a subfolder, a project has its own folder on the branch", async () => {
    const remote = gitRemote();
    const clone = remote.clone();
    const root = join(clone, "phones/north");
    mkdirSync(root, { recursive: true });
    const session = await sessionOf(storeIn(root));
    await session.append(begun("production"));
    await session.close();
    const names = remote.git("ls-tree", "-r", "--name-only", ref).trim().split("\n");
    expect(names).toEqual([
      "phones/north/production/log/00000/00000001.jsonl",
      "phones/north/production/log/00000/00000002.jsonl",
      "phones/north/production/log/00000/00000003.jsonl",
      "phones/north/production/snapshot-00000003.json",
    ]);
  });

  test.each(["--depth=1", "--filter=blob:none", "worktree"])("may be made with %s", async (how) => {
    const { remote, clone } = await remoteWithMenu();
    for (const name of ["one", "two"]) {
      writeFileSync(join(clone, name), name);
      git(clone, "add", name);
      git(clone, ...person, "commit", "-qm", name);
    }
    git(clone, "push", "--quiet", "origin", "HEAD:main");
    remote.git("config", "uploadpack.allowFilter", "true");
    const other = `${clone}-${how.replaceAll(/\W/g, "")}`;
    if (how === "worktree") git(clone, "worktree", "add", "--quiet", other);
    else git(clone, "clone", "--quiet", how, `file://${remote.path}`, other);
    const session = await sessionOf(storeIn(other), "run-2");
    await session.append(intent("b"));
    await session.close();
    // The server has everything, so every clone can restore the branch.
    remote.git("update-ref", "-d", ref);
    remote.git("gc", "--quiet", "--prune=now");
    const command = commandIn(await problemOf(storeIn(other).read()));
    copied(command, other);
    expect((await storeIn(clone).read()).state.serial).toBe(4);
  });
});

describe("the branch", () => {
  test("has commits that say what happened, and that start no pipeline", async () => {
    const { remote } = await remoteWithMenu();
    const log = remote.git("log", "--reverse", "--format=%s", ref).trim().split("\n");
    expect(log).toEqual([
      "production: locked by run-1@example (apply)",
      "production: 1 begun, 1 about to create (run run-1)",
      "production: 1 created (run run-1)",
      "production: lock released",
      "production: state after block 4",
    ]);
    const bodies = remote.git("log", "--format=%b", ref);
    expect(bodies.match(/\[skip ci\]/g)).toHaveLength(5);
  });

  test("has a fixed author if git has none", async () => {
    const remote = gitRemote();
    const clone = remote.clone();
    for (const name of [
      "GIT_AUTHOR_NAME",
      "GIT_AUTHOR_EMAIL",
      "GIT_COMMITTER_NAME",
      "GIT_COMMITTER_EMAIL",
    ]) {
      vi.stubEnv(name, undefined);
    }
    vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
    const session = await sessionOf(storeIn(clone));
    await session.close();
    expect(remote.git("log", "-1", "--format=%an <%ae>", ref).trim()).toBe(
      "ivrctl <ivrctl@localhost>",
    );
  });
});

describe("a push", () => {
  /** Runs the real git, and spoils its first pushes after `from` other ones. */
  function spoiled(how: "before" | "after", from = 0): { readonly pushes: () => number } {
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-git-"));
    const count = join(folder, "count");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const fail = 'echo "fatal: the remote end hung up unexpectedly" >&2; exit 128';
    writeFileSync(
      join(folder, "git"),
      `#!/bin/sh
case " $* " in *" push "*)
  echo push >> ${count}
  if [ $(wc -l < ${count}) -eq ${from + 1} ]; then
    ${how === "after" ? `${real} "$@" > /dev/null 2>&1; ` : ""}${fail}
  fi
esac
exec ${real} "$@"
`,
    );
    chmodSync(join(folder, "git"), 0o755);
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
    return { pushes: () => readFileSync(count, "utf8").split("\n").length - 1 };
  }

  test.each(["before", "after"] as const)(
    "that is lost %s it arrives is repeated, and counts once",
    async (how) => {
      const remote = gitRemote();
      const { pushes } = spoiled(how, 1);
      const session = await sessionOf(storeIn(remote.clone()));
      await session.append(begun("production"));
      expect(pushes()).toBe(how === "before" ? 3 : 2);
      await session.close();
      expect(await storeIn(remote.clone()).history()).toHaveLength(1);
    },
  );

  test("that a rule of the server refuses is reported in the server's words", async () => {
    const remote = gitRemote();
    const hook = join(remote.path, "hooks/pre-receive");
    mkdirSync(join(remote.path, "hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho 'Branches are protected here.'\nexit 1\n");
    chmodSync(hook, 0o755);
    const problem = await problemOf(storeIn(remote.clone()).lock(claim("run-1")));
    expect(problem.code).toBe("IVR604");
    expect(problem.message).toContain("refuses the push: pre-receive hook declined");
    expect(problem.message).toContain("Branches are protected here.");
  });
});

describe("a branch that is deleted or set back", () => {
  test.each([
    [
      "deleted",
      (remote: { git(...args: string[]): string }) => remote.git("update-ref", "-d", ref),
    ],
    [
      "set back",
      (remote: { git(...args: string[]): string }) => remote.git("update-ref", ref, `${ref}~1`),
    ],
  ])("is %s during a run: the run records nothing more", async (_, spoil) => {
    const { remote, clone } = await remoteWithMenu();
    const session = await sessionOf(storeIn(clone), "run-2");
    await session.append(intent("b"));
    const lost = remote.git("rev-parse", ref).trim();
    spoil(remote);
    const left = remote.git("for-each-ref", ref);
    const problem = await problemOf(session.append(created("b", 4)));
    const command = restore(lost, left.split(" ")[0]);
    expect([problem.code, commandIn(problem)]).toEqual(["IVR629", command]);
    await session.close();
    expect(remote.git("for-each-ref", ref)).toBe(left);
    // A person restores the branch, and everything continues.
    remote.git("update-ref", ref, lost);
    const { state, notes } = await storeIn(clone).read();
    expect(notes).toEqual([]);
    expect(state.records.get("menu:b")?.pending).toMatchObject({ key: "b" });
  });

  test("is refused by every clone, until a person deletes the ref and what the clone remembers", async () => {
    const { remote, clone } = await remoteWithMenu();
    const old = remote.git("rev-parse", ref).trim();
    await change(clone, "run-2", intent("b"), created("b", 4));
    const lost = remote.git("rev-parse", ref).trim();
    remote.git("update-ref", ref, old);
    const fresh = remote.clone();
    for (const folder of [clone, fresh]) {
      const problem = await problemOf(storeIn(folder).read());
      expect([problem.code, commandIn(problem)]).toEqual(["IVR629", restore(lost, old)]);
      expect((await problemOf(storeIn(folder).lock(claim("run-3")))).code).toBe("IVR629");
    }
    remote.git("update-ref", "-d", newest);
    expect((await storeIn(fresh).read()).state.serial).toBe(3);
    expect((await problemOf(storeIn(clone).read())).code).toBe("IVR629");
    rmSync(join(clone, ".ivrctl/seen/production.json"));
    await (await sessionOf(storeIn(clone), "run-3")).close();
    expect((await storeIn(clone).read()).notes).toEqual([]);
    expect(remote.git("rev-parse", newest)).toBe(remote.git("rev-parse", ref));
  });

  describe.each(["with the second ref", "without the second ref"])("on a server %s", (server) => {
    test.each([
      ["on top of it", 0],
      ["after it was set back", 3],
    ])("is restored without a forced push if a person deleted blocks %s", async (_, back) => {
      const { remote, clone } = await remoteWithMenu();
      const hasRef = server === "with the second ref";
      if (!hasRef) hide(remote);
      await storeIn(clone).read();
      const lost = remote.git("rev-parse", ref).trim();
      const edit = `${clone}-edit`;
      git(clone, "clone", "--quiet", "--branch", branch, remote.path, edit);
      git(edit, "reset", "--quiet", "--hard", `HEAD~${back}`);
      const log = "production/log/00000";
      const end = readdirSync(join(edit, log)).at(-1) ?? "";
      git(edit, "rm", "--quiet", "--ignore-unmatch", `${log}/${end}`, "production/snapshot-*");
      git(edit, ...person, "commit", "--quiet", "-m", "Clean up");
      git(edit, "push", "--quiet", "--force", "origin", branch);
      protect(remote);
      const left = remote.git("rev-parse", ref).trim();
      // Without the ref, only a clone that knows the lost commit can restore it.
      const cwd = hasRef ? remote.clone() : clone;
      const problem = await problemOf(storeIn(cwd).read());
      expect(problem.code).toBe("IVR629");
      if (hasRef) expect(commandIn(problem)).toBe(restore(lost, left, "restored"));
      copied(commandIn(problem), cwd);
      expect(remote.git("rev-parse", `${ref}~1`).trim()).toBe(left);
      for (const folder of [clone, remote.clone()]) {
        const { state, notes } = await storeIn(folder).read();
        expect([state.serial, notes]).toEqual([3, []]);
      }
      await change(clone, "run-2", intent("b"));
      expect((await storeIn(remote.clone()).read()).state.serial).toBe(4);
    });

    test("prints no command if other runs have added fewer blocks since than were lost", async () => {
      const { remote, clone } = await remoteWithMenu();
      const old = remote.git("rev-parse", ref).trim();
      await change(clone, "run-2", intent("b"), created("b", 4));
      remote.git("update-ref", ref, old);
      // The other run does not know the ref.
      hide(remote);
      await change(remote.clone(), "run-3");
      if (server === "with the second ref") hide(remote, "refs/none");
      const problem = await problemOf(storeIn(clone).read());
      expect([problem.code, commandIn(problem)]).toEqual(["IVR629", ""]);
      expect(JSON.stringify(problem.hint)).toContain("Other runs have changed the branch since");
    });
  });

  test("is refused in a project that shares the branch and lost nothing itself", async () => {
    const { remote, clone } = await remoteWithMenu();
    const old = remote.git("rev-parse", ref).trim();
    const other = remote.clone();
    mkdirSync(join(other, "north"));
    await (await sessionOf(storeIn(join(other, "north")))).close();
    remote.git("update-ref", ref, old);
    expect((await problemOf(storeIn(clone).lock(claim("run-2")))).code).toBe("IVR629");
  });
});

describe("the ref that shows how far the branch reached", () => {
  test("moves with every push, also on a branch that did not have it", async () => {
    const { remote, clone } = await remoteWithMenu();
    expect(remote.git("rev-parse", newest)).toBe(remote.git("rev-parse", ref));
    remote.git("update-ref", "-d", newest);
    const session = await sessionOf(storeIn(clone), "run-2");
    expect(remote.git("rev-parse", newest)).toBe(remote.git("rev-parse", ref));
    await session.close();
  });

  test("may be behind the branch: an ivrctl or a person without it has pushed", async () => {
    const { remote, clone } = await remoteWithMenu();
    remote.git("update-ref", newest, `${ref}~2`);
    expect((await storeIn(remote.clone()).read()).state.serial).toBe(3);
    await (await sessionOf(storeIn(clone), "run-2")).close();
    expect(remote.git("rev-parse", newest)).toBe(remote.git("rev-parse", ref));
  });

  test.each<[string, { hook?: string; refused?: string; setting?: string }]>([
    ["a hook of the server refuses it", { hook: "update", refused: "$1" }],
    ["a rule of the server refuses the whole push", { hook: "pre-receive", refused: "$(cat)" }],
    ["its refusal ends the server", { hook: "reference-transaction", refused: "$(cat)" }],
    ["the server hides it", { setting: "receive.hideRefs=refs/ivrctl" }],
    ["the server has no atomic pushes", { setting: "receive.advertiseAtomic=false" }],
  ])("is left out if %s", async (_, { hook, refused, setting }) => {
    const remote = gitRemote();
    if (setting !== undefined) remote.git("config", ...setting.split("="));
    if (hook !== undefined) {
      const path = join(remote.path, "hooks", hook);
      const script = `#!/bin/sh\ncase "${refused}" in *refs/ivrctl/*) exit 1; esac\n`;
      writeFileSync(path, script, { mode: 0o755 });
    }
    const clone = remote.clone();
    const session = await sessionOf(storeIn(clone));
    await session.append(begun("production"), intent("a"));
    await session.append(created("a"));
    await session.close();
    expect(remote.git("for-each-ref", "refs/ivrctl")).toBe("");
    const store = storeIn(remote.clone());
    expect((await store.read()).state.serial).toBe(3);
    expect(store.advice).toContain(newest);
    // Only this clone has the lost commit, and it cannot know whether others have seen more.
    const lost = remote.git("rev-parse", ref).trim();
    remote.git("update-ref", "-d", ref);
    const { hint } = await problemOf(storeIn(clone).read());
    const push = `git push --no-verify --force-with-lease=${ref}: origin ${lost}:${ref}`;
    expect(hint && separateHints(hint)).toEqual([
      "Choose what fits:",
      {
        words: expect.stringContaining("A different machine may have seen more"),
        command: push,
      },
      expect.stringContaining("Only if you are sure that the log is right"),
    ]);
  });

  test("is left out over HTTP, where a refusal that ends the server has no words", async () => {
    const remote = gitRemote();
    const clone = remote.clone();
    const log = join(remote.path, "refused");
    const refuse = `echo $refs >> ${log}; exit 1`;
    const script = `#!/bin/sh\nrefs=$(cat)\ncase "$1 $refs" in prepared*refs/ivrctl/*) ${refuse}; esac\n`;
    writeFileSync(join(remote.path, "hooks/reference-transaction"), script, { mode: 0o755 });
    const server = new GitHttpServer(dirname(remote.path));
    await server.open();
    git(clone, "remote", "set-url", "origin", `http://127.0.0.1:${server.port}/remote.git`);
    await change(clone, "run-1", begun("production"), intent("a"), created("a"));
    await server.close();
    expect((await storeIn(remote.clone()).read()).state.serial).toBe(3);
    // Two pushes had to be repeated without it. The others did not try it.
    expect(new Set(readFileSync(log, "utf8").trim().split("\n")).size).toBe(2);
  });

  test("is missing, and a commit was given up: a clone that only reads restores what it read last", async () => {
    const { remote, clone } = await remoteWithMenu();
    hide(remote);
    const old = remote.git("rev-parse", ref).trim();
    const reader = remote.clone();
    await storeIn(reader).read();
    await change(clone, "run-2", intent("b"), created("b", 4));
    await storeIn(reader).read();
    remote.git("update-ref", ref, old);
    rmSync(join(reader, ".ivrctl/seen/production.json"));
    const givenUp = git(reader, "rev-parse", `refs/ivrctl/seen/${branch}`);
    await storeIn(reader).read();
    const commands = [];
    for (const run of ["run-3", "run-4"]) {
      const tip = remote.git("rev-parse", ref).trim();
      remote.git("update-ref", "-d", ref);
      const command = commandIn(await problemOf(storeIn(reader).read()));
      commands.push(command.replace(tip, "TIP"));
      copied(command, reader);
      expect((await storeIn(reader).read()).notes).toEqual([]);
      await change(remote.clone(), run);
      await storeIn(reader).read();
    }
    const push = `git push --no-verify --force-with-lease=${ref}: origin TIP:${ref}`;
    expect(commands).toEqual([push, push]);
    // git keeps the commit for a while.
    expect(git(reader, "reflog", "--no-abbrev", `refs/ivrctl/seen/${branch}`)).toContain(
      givenUp.trim(),
    );
  });

  test("is missing, and projects share the branch: a clone keeps the blocks of the other one", async () => {
    const { remote, clone } = await remoteWithMenu();
    hide(remote);
    const north = join(clone, "north");
    mkdirSync(north);
    await change(north, "run-2");
    const lost = remote.git("rev-parse", ref).trim();
    remote.git("update-ref", ref, `${ref}~3`);
    await storeIn(clone).read();
    const command = commandIn(await problemOf(storeIn(north).read()));
    expect(command).toContain(`${lost}:${ref}`);
    copied(command, clone);
    expect((await storeIn(north).read()).notes).toEqual([]);
  });

  test.each(["--depth=1", "--filter=blob:none"])(
    "is needed to restore the branch in a clone made with %s",
    async (how) => {
      const { remote, clone } = await remoteWithMenu();
      remote.git("config", "uploadpack.allowFilter", "true");
      git(clone, ...person, "commit", "--quiet", "--allow-empty", "-m", "one");
      git(clone, ...person, "commit", "--quiet", "--allow-empty", "-m", "two");
      git(clone, "push", "--quiet", "origin", "HEAD:main");
      const other = `${clone}-other`;
      git(clone, "clone", "--quiet", how, `file://${remote.path}`, other);
      await storeIn(other).read();
      remote.git("update-ref", "-d", ref);
      remote.git("update-ref", "-d", newest);
      const problem = await problemOf(storeIn(other).read());
      expect([problem.code, commandIn(problem)]).toEqual(["IVR629", ""]);
    },
  );

  test("is read by an account that cannot push", async () => {
    const { remote } = await remoteWithMenu();
    remote.git("update-ref", ref, `${ref}~2`);
    const hook = join(remote.path, "hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect((await problemOf(storeIn(remote.clone()).read())).code).toBe("IVR629");
  });
});

test("a lock file that a killed git left in the clone stops reads, and no block that is on its way", async () => {
  const { remote, clone } = await remoteWithMenu();
  const session = await sessionOf(storeIn(clone), "run-2");
  const lock = join(clone, `.git/refs/ivrctl/seen/${branch}.lock`);
  writeFileSync(lock, "");
  await session.append(intent("b"));
  await session.append(created("b", 4));
  await session.close();
  const problem = await problemOf(storeIn(clone).read());
  expect(problem.message).toContain(lock);
  expect(problem.hint).toBe("If no git command is running in this clone, delete this file.");
  expect((await storeIn(remote.clone()).read()).state.records.get("menu:b")?.pending).toBeNull();
  rmSync(lock);
  expect((await storeIn(clone).read()).notes).toEqual([]);
});

describe("a remote", () => {
  test("that does not exist is named", async () => {
    const clone = gitRemote().clone();
    const problem = await problemOf(storeIn(clone, "production", { remote: "upstream" }).read());
    expect(problem.code).toBe("IVR604");
    expect(problem.message).toContain("upstream");
  });

  test("without encryption is refused", async () => {
    const clone = gitRemote().clone();
    const remote = "http://git.example/phones.git";
    const problem = await problemOf(storeIn(clone, "production", { remote }).read());
    expect(problem.message).toBe("The remote uses http, which is not encrypted.");
  });

  test.each([
    "https://127.0.0.1:9/phones.git?token=hunter2",
    "https://me:12/hunter2@127.0.0.1:9/phones.git",
    "https://hunter2@127.0.0.1:9/phones.git",
    "https://127.0.0.1:9/phones.git#hunter2",
  ])("%s is shown without secrets", async (url) => {
    const clone = gitRemote().clone();
    git(clone, "remote", "set-url", "origin", url);
    const { message } = await problemOf(storeIn(clone).read());
    expect(message).toContain("/phones.git");
    expect(message).not.toContain("hunter2");
  });

  test("is not needed to say that the project is in no repository", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-no-git-"));
    const problem = await problemOf(storeIn(folder).read());
    expect(problem.message).toBe(
      `The state is on a branch, but ${folder} is not in a git repository.`,
    );
  });
});
