import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requestLink } from "../../src/editing/branch.ts";
import { EditSession } from "../../src/editing/session.ts";
import type { EditRequest } from "../../src/schema/edit-request.ts";
import { loadProject } from "../../src/workspace/load-project.ts";
import { exampleProject } from "../support/cli.ts";
import { testHost } from "../support/host.ts";

/** A project with a git history, and a session that edits it. */
function open() {
  const root = exampleProject();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@b");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  let changes = 0;
  const place = { root, globals: { env: undefined }, host: testHost() };
  const session = new EditSession(place, async () => {
    changes += 1;
    return undefined;
  });
  const file = join(root, "ivrs/example.yaml");
  const read = () => readFileSync(file, "utf8");
  return { root, place, git, session, file, read, changes: () => changes };
}

const toDesk: EditRequest = {
  do: "option",
  menu: "example",
  where: "here",
  from: "1",
  to: { key: "1", for: "Sales", destination: { kind: "agent", eid: "500104" } },
};

describe("a session", () => {
  test("writes, and takes back what it wrote", async () => {
    const { session, read, changes } = open();
    const before = read();
    expect(await session.act({ do: "undo" })).toMatchObject({
      refused: "There is nothing to undo.",
    });
    expect(await session.act(toDesk)).toEqual({ menus: ["example"] });
    expect(read()).toBe(before.replace("agent: Asha Rao", "agent: Front Desk"));
    const look = await session.act({ do: "look" });
    expect(look).toMatchObject({ canUndo: true, drafts: [{ file: "ivrs/example.yaml" }] });
    expect(look.drafts?.[0]?.lines).toHaveLength(2);
    expect(await session.act({ do: "undo" })).toEqual({});
    expect(read()).toBe(before);
    expect(changes()).toBe(2);
  });

  test("takes back a new file", async () => {
    const { session, git } = open();
    const option = { key: "1", destination: { kind: "agent", eid: "500101" } } as const;
    const menu = { do: "menu", key: "night/new", like: "example", name: "Night", option } as const;
    expect(await session.act(menu)).toEqual({ menus: ["night/new"] });
    expect(git("status", "--porcelain")).toBe("?? ivrs/night/");
    await session.act({ do: "undo" });
    expect(git("status", "--porcelain")).toBe("");
  });

  test("never overwrites what somebody else wrote", async () => {
    const { session, file, read } = open();
    await session.act(toDesk);
    writeFileSync(file, `${read()}# mine\n`);
    const text = read();
    expect(await session.act({ do: "undo" })).toMatchObject({
      refused: "ivrs/example.yaml cannot be written: another program has just changed it.",
    });
    expect(read()).toBe(text);
  });

  test("does not write a file that changed since the page showed it", async () => {
    const { session, file, read, place } = open();
    session.know(await loadProject(place, { paths: [], agentsRequired: true, tests: true }));
    writeFileSync(file, `${read()}numbers: ["+912026001001"]\n`);
    const text = read();
    expect(await session.act(toDesk)).toMatchObject({
      refused: "ivrs/example.yaml cannot be written: another program has just changed it.",
      conflicts: [
        {
          file: "ivrs/example.yaml",
          theirs: ['+numbers: ["+912026001001"]'],
          yours: [expect.stringContaining("-"), expect.stringContaining("Front Desk")],
        },
      ],
    });
    expect(read()).toBe(text);
  });

  test("does not write through a link", async () => {
    const { session, root, file } = open();
    renameSync(file, join(root, "elsewhere.yaml"));
    symlinkSync(join(root, "elsewhere.yaml"), file);
    expect(await session.act(toDesk)).toHaveProperty("refused");
    expect(readFileSync(join(root, "elsewhere.yaml"), "utf8")).toContain("agent: Asha Rao");
  });

  test("saves exactly the files of the project on a new branch", async () => {
    const { session, git, root } = open();
    writeFileSync(join(root, "notes.txt"), "mine\n");
    git("add", "notes.txt");
    await session.act(toDesk);
    const save = { do: "save", branch: "new-desk", message: "Desk\n\nWhy", push: false } as const;
    expect(await session.act(save)).toEqual({
      branch: "new-desk",
      isPushed: false,
      link: undefined,
    });
    expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("new-desk");
    expect(git("show", "--name-only", "--format=%s")).toBe("Desk\n\nivrs/example.yaml");
    // What was staged before is still staged, and not committed.
    expect(git("status", "--porcelain")).toBe("A  notes.txt");
    expect(await session.act({ do: "look" })).toMatchObject({ drafts: [], canUndo: false });
    expect(await session.act(save)).toMatchObject({ refused: "There is nothing to save." });
  });

  test("says how to introduce oneself if git does not know who commits", async () => {
    const { session, git } = open();
    git("config", "user.name", "");
    await session.act(toDesk);
    const save = { do: "save", branch: "a", message: "A", push: false } as const;
    expect((await session.act(save)).refused).toMatch(/^git does not know who you are\. Run /);
    expect(git("branch", "--format=%(refname:short)")).toBe("main");
  });

  test("goes back to the branch if git refuses the commit", async () => {
    const { session, git, root } = open();
    writeFileSync(join(root, ".git/hooks/pre-commit"), "#!/bin/sh\necho no >&2\nexit 1\n", {
      mode: 0o755,
    });
    await session.act(toDesk);
    const save = { do: "save", branch: "new-desk", message: "Desk", push: false } as const;
    expect(await session.act(save)).toMatchObject({ refused: "git commit: no" });
    expect(git("branch", "--format=%(refname:short)")).toBe("main");
    expect(git("status", "--porcelain")).toBe("M ivrs/example.yaml");
  });

  test("goes back to a commit without a branch, and forgets a new file", async () => {
    const { session, git, root } = open();
    writeFileSync(join(root, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    git("switch", "--quiet", "--detach");
    const commit = git("rev-parse", "HEAD");
    const option = { key: "1", destination: { kind: "agent", eid: "500101" } } as const;
    await session.act({ do: "menu", key: "new", like: "example", name: "New", option });
    expect(await session.act({ do: "save", branch: "a", message: "A", push: false })).toMatchObject(
      {
        refused: "git commit: it failed",
      },
    );
    expect(git("rev-parse", "HEAD")).toBe(commit);
    expect(git("status", "--porcelain", "--branch")).toBe("## HEAD (no branch)\n?? ivrs/new.yaml");
    git("config", "core.hooksPath", "/dev/null");
    expect(await session.act({ do: "save", branch: "a", message: "A", push: false })).toMatchObject(
      {
        branch: "a",
      },
    );
  });

  test("saves nothing in the middle of a merge, or over a text that is only staged", async () => {
    const { session, git, root, read, file } = open();
    const save = { do: "save", branch: "a", message: "A", push: false } as const;
    await session.act(toDesk);
    const edited = read();
    writeFileSync(file, `${edited}# staged\n`);
    git("add", "ivrs/example.yaml");
    writeFileSync(file, edited);
    expect(await session.act(save)).toMatchObject({
      refused: "ivrs/example.yaml: a different text is staged. Commit or unstage it first.",
    });
    git("reset", "--quiet");
    writeFileSync(join(root, ".git/MERGE_HEAD"), `${git("rev-parse", "HEAD")}\n`);
    expect(await session.act(save)).toMatchObject({
      refused: "git is in the middle of a merge. Finish it first.",
    });
    expect(git("branch", "--format=%(refname:short)")).toBe("main");
    expect(read()).toBe(edited);
  });

  test("pushes if it is asked to, and says why that failed", async () => {
    const { session, git, root } = open();
    git("init", "--quiet", "--bare", join(root, "remote.git"));
    git("remote", "add", "origin", join(root, "remote.git"));
    await session.act(toDesk);
    const save = { do: "save", branch: "a", message: "A", push: true } as const;
    expect(await session.act(save)).toMatchObject({ branch: "a", isPushed: true });
    expect(git("rev-parse", "origin/a")).toBe(git("rev-parse", "HEAD"));
    git("remote", "set-url", "origin", join(root, "nothing.git"));
    await session.act({ ...toDesk, to: null });
    const again = await session.act({ ...save, branch: "b" });
    expect(again).toMatchObject({ branch: "b", isPushed: false });
    expect(again.notPushed).toContain("git push: ");
  });

  test("without git has drafts since its start", async () => {
    const root = exampleProject();
    const place = { root, globals: { env: undefined }, host: testHost() };
    const session = new EditSession(place, async () => undefined);
    const asked = { paths: [], agentsRequired: true, tests: true } as const;
    session.compareWithStart(await loadProject(place, asked));
    expect(await session.act({ do: "look" })).toMatchObject({ drafts: [], hasGit: false });
    await session.act(toDesk);
    expect((await session.act({ do: "look" })).drafts).toMatchObject([
      { file: "ivrs/example.yaml", isNew: false },
    ]);
    const save = { do: "save", branch: "a", message: "A", push: false } as const;
    expect((await session.act(save)).refused).toContain("not a git repository");
  });
});

test("files that a killed process has changed in part have their old texts again", () => {
  const { root, file, read, place } = open();
  const [before, config] = [read(), join(root, "ivrctl.yaml")];
  const after = before.replace("Asha Rao", "Front Desk");
  const other = readFileSync(config, "utf8");
  const created = "ivrs/new.yaml";
  writeFileSync(file, after);
  writeFileSync(join(root, created), "name: New\n");
  const changes = [
    ["ivrs/example.yaml", { before, after }],
    [created, { after: "name: New\n" }],
    ["ivrctl.yaml", { before: other, after: `${other}# never written\n` }],
    ["../outside.yaml", { before: "x", after: "y" }],
  ];
  const journal = join(root, ".ivrctl-edit.json");
  // A name out of the project makes the whole journal invalid.
  writeFileSync(journal, JSON.stringify(changes));
  void new EditSession(place, async () => undefined);
  expect(read()).toBe(after);
  writeFileSync(journal, JSON.stringify(changes.slice(0, -1)));
  void new EditSession(place, async () => undefined);
  expect([read(), readFileSync(config, "utf8")]).toEqual([before, other]);
  expect([existsSync(join(root, created)), existsSync(journal)]).toEqual([false, false]);
});

test("links to the page where people open a pull request", () => {
  expect(requestLink("git@github.com:acme/ivr.git", "a/b", "gitlab")).toBe(
    "https://github.com/acme/ivr/compare/a%2Fb?expand=1",
  );
  expect(requestLink("https://user:secret@gitlab.acme.com/x/ivr.git", "a", "github")).toBe(
    "https://gitlab.acme.com/x/ivr/-/merge_requests/new?merge_request%5Bsource_branch%5D=a",
  );
  expect(requestLink("ssh://me@git.acme.com:2222/x/y/ivr", "a", "gitlab")).toBe(
    "https://git.acme.com/x/y/ivr/-/merge_requests/new?merge_request%5Bsource_branch%5D=a",
  );
  expect(requestLink("https://git.acme.com:8443/x/ivr/", "a", "github")).toBe(
    "https://git.acme.com:8443/x/ivr/compare/a?expand=1",
  );
  for (const remote of ["/srv/git/ivr.git", "../ivr", "C:\\git\\ivr", "file:///srv/ivr.git"]) {
    expect(requestLink(remote, "a", "github")).toBeUndefined();
  }
});
