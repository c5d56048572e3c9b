import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, renameSync, writeFileSync } from "node:fs";
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
    writeFileSync(file, `${read()}# mine\n`);
    const text = read();
    expect(await session.act(toDesk)).toMatchObject({
      refused: "ivrs/example.yaml cannot be written: another program has just changed it.",
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
});

test("links to the page where people open a pull request", () => {
  expect(requestLink("git@github.com:acme/ivr.git", "a/b")).toBe(
    "https://github.com/acme/ivr/compare/a%2Fb?expand=1",
  );
  expect(requestLink("https://user:secret@gitlab.acme.com/x/ivr.git", "a")).toBe(
    "https://gitlab.acme.com/x/ivr/-/merge_requests/new?merge_request%5Bsource_branch%5D=a",
  );
  expect(requestLink("/srv/git/ivr.git", "a")).toBeUndefined();
});
