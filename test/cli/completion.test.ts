import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { allCommands } from "../support/all-commands.ts";
import { command, exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";
import { applied } from "../support/state.ts";
import { environment } from "../support/environment.ts";
import { needs } from "../support/needs.ts";

/** Names that would run commands if they were not quoted. */
const nasty = [
  "$(touch harm)",
  "`touch harm`",
  "a; touch harm",
  'O\'Brien "the" \\ one',
  "* ?[x] {a,b} ~ #!x",
  "-rf",
  "अनिल देशपांडे",
];
const unsafe = ["tab\there", "line\nbreak", "\u001b[31mred", "\u202Eturned"];

function withNasty(): string {
  const agents = [...nasty, ...unsafe].map((name, at) => ({ name, eid: `${at}`, team: name }));
  return exampleProject({ "agents.lock.json": JSON.stringify(agents) });
}

/** A folder for PATH in which `ivrctl` is the built command. */
function withCommand() {
  const bin = folder({ ivrctl: `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n` });
  chmodSync(join(bin, "ivrctl"), 0o755);
  return { ...environment(), PATH: `${bin}:${process.env["PATH"]}`, LC_ALL: "C.UTF-8" };
}

function shell(name: string, script: string, cwd: string, env = withCommand()): string[] {
  const { stdout, stderr, status } = spawnSync(name, ["-c", script], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

const single = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Returns what bash suggests after these words, in the way bash splits them. */
async function bash(words: readonly string[], cwd = exampleProject()): Promise<string[]> {
  const typed = ["ivrctl", ...words].map(single).join(" ");
  const { stdout } = await ivrctl(["completion", "bash"]);
  return shell(
    "bash",
    `${stdout}
compopt() { echo "compopt $*"; }
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}
_ivrctl ivrctl; printf '%s\\n' "\${COMPREPLY[@]}"`,
    cwd,
  );
}

describe("completion in bash", () => {
  test("completes commands, and registers the completion function", async () => {
    expect(await bash([""])).toEqual(Object.keys(commands));
    expect(await bash(["va"])).toEqual(["validate"]);
    expect(await bash(["help", "va"])).toEqual(["validate"]);
    const { stdout } = await ivrctl(["completion"], { env: { SHELL: "/usr/local/bin/bash" } });
    expect(stdout).toContain("complete -F _ivrctl ivrctl");
    expect(shell("bash", "source <(ivrctl completion bash); complete -p ivrctl", "/")).toEqual([
      "complete -F _ivrctl ivrctl",
    ]);
  });

  test("completes exactly the options in the help of every command", async () => {
    for (const [name, { flags }] of await allCommands()) {
      const shown = Object.keys(flags);
      const { stdout } = await ivrctl([
        "completion",
        "bash",
        "--words",
        "--",
        ...name.split(" "),
        "--",
      ]);
      const offered = stdout.split("\n");
      expect(offered).toEqual(expect.arrayContaining(shown.map((flag) => `--${flag}`)));
      expect(offered).toContain("--env");
      expect(offered).not.toContain("--words");
    }
  });

  test.each([
    [
      ["apply", "--format", ""],
      ["text", "json"],
    ],
    [["apply", "--format", "=", "j"], ["json"]],
    [
      ["apply", "--format", "="],
      ["text", "json"],
    ],
    [["validate", "--format", "s"], ["sarif"]],
    [
      ["plan", "--env", ""],
      ["sandbox", "production"],
    ],
    [["--env", "p"], ["production"]],
    [["plan", "--target", ""], ["example"]],
    [
      ["agents", ""],
      ["list", "pull"],
    ],
    [["agents", "--name", "As"], [String.raw`Asha\ Rao`]],
    [["agents", "--name", '"As'], ["Asha Rao"]],
    [["agents", "--team", "B"], ["Billing"]],
    [["agents", "pull", "--t"], []],
    [["explain", "IVR30"], expect.arrayContaining(["IVR301", "IVR302"])],
    [["explain", "IVR301", ""], []],
    [
      ["schema", ""],
      ["menu", "config", "test", "defaults"],
    ],
    [["completion", "f"], ["fish"]],
    [
      ["init", "--ci", ""],
      ["github", "gitlab", "none"],
    ],
    [["init", ""], []],
    [
      ["state", "re"],
      ["resolve", "rebind"],
    ],
    [["state", "resolve", "--cre"], ["--created"]],
    [["state", "list", "--cre"], []],
    // bash completes files only if no key fits.
    [
      ["validate", ""],
      ["compopt -o default", "example"],
    ],
    [["validate", "ivrs/"], ["compopt -o default"]],
    [["plan", "--agents", "ag"], ["compopt -o default"]],
    [["-C", ""], ["compopt -o dirnames"]],
    [["no-such-command", ""], []],
    [["plan", "--", "--f"], []],
  ])("completes %j", async (words, expected) => {
    expect(await bash(words)).toEqual(expected);
  });

  test("completes agents of the environment", async () => {
    const cwd = exampleProject({
      "agents.production.lock.json": '[{ "name": "Zoe", "eid": "1" }]',
    });
    expect(await bash(["agents", "--name", "Zo"], cwd)).toEqual([]);
    expect(await bash(["agents", "--env", "production", "--name", "Zo"], cwd)).toEqual(["Zoe"]);
    expect(await bash(["agents", "--env", "../x", "--name", "Zo"], cwd)).toEqual([]);
  });

  test("completes menu keys from the files and from the state of the environment", async () => {
    const { path, write, run, json } = await applied();
    write("ivrs/new.yaml", menu("New"));
    write("ivrs/two.yaml", `id: two/a\n${menu("TA")}---\nid: two/b\n${menu("TB")}`);
    expect((await run("state", "mv", "sales", "sold", "--env", "test")).exit).toBe(0);
    const recorded = ["front-desk", "night", "sold"];
    for (const sub of ["show", "history", "rm"]) {
      expect(await bash(["state", sub, ""], path)).toEqual(recorded);
    }
    write("ivrs/front-desk.yaml", menu("Front desk", "Front Desk"));
    await run("apply", "--auto-approve", "--target", "front-desk");
    const { value } = await json("state", "list");
    const ids = value.follow_ups.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(1);
    expect(await bash(["state", "done", ""], path)).toEqual(ids);
    const all = ["front-desk", "new", "night", "sales", "sold", "two/a", "two/b"];
    expect(await bash(["state", "resolve", ""], path)).toEqual(all);
    expect(await bash(["plan", "--target", ""], path)).toEqual(all);
    expect(await bash(["state", "mv", "sold", "n"], path)).toEqual(["new", "night"]);
    expect(await bash(["-C", path, "state", "show", "n"], "/")).toEqual(["night"]);
    expect(await bash(["-C", `"${path}"`, "state", "show", "n"], "/")).toEqual(["night"]);
    expect(await bash(["state", "show", "--env", "none", ""], path)).toEqual([]);
  });

  test("quotes names, so that they stay one word and run nothing", async () => {
    const cwd = withNasty();
    for (const quote of ["", "'", '"']) {
      const offered = await bash(["agents", "--name", quote], cwd);
      // In double quotes, bash cannot quote a `!`.
      const expected = quote === '"' ? nasty.filter((name) => !name.includes("!")) : nasty;
      expect(offered).toHaveLength(expected.length);
      const lines = offered.map((word) => `printf '%s\\n' ${quote}${word}${quote}`).join("\n");
      expect(shell("bash", lines, cwd)).toEqual(expected);
    }
    expect(execFileSync("ls", { cwd, encoding: "utf8" })).not.toContain("harm");
  });

  test.each([
    ["no project", {}],
    ["broken files", { "ivrctl.yaml": "{[", "agents.lock.json": "}", "ivrs/a.yaml": "\0" }],
    ["a folder in the way", { "ivrctl.yaml/x": "", "agents.lock.json/x": "" }],
  ])("%s: suggests nothing and prints no error", async (_, files) => {
    const cwd = folder(files);
    for (const words of [
      ["--env", ""],
      ["state", "show", ""],
      ["agents", "--name", ""],
      ["-C", "/no/such/folder", "agents", "--team", ""],
    ]) {
      const args = ["completion", "bash", "--words", "--", ...words];
      expect(await ivrctl(args, { cwd })).toEqual({ exit: 0, stdout: "words\n", stderr: "" });
    }
  });
});

describe("completion in fish", () => {
  needs("fish");
  const fish = (line: string, cwd = exampleProject()) =>
    shell("fish", `ivrctl completion fish | source; complete -C ${single(line)}`, cwd).map(
      (offer) => offer.split("\t")[0],
    );

  test("completes commands, options, values, names and files", () => {
    expect(fish("ivrctl va")).toEqual(["validate"]);
    expect(fish("ivrctl plan --form")).toEqual(["--format"]);
    expect(fish("ivrctl apply --format j")).toEqual(["json"]);
    expect(fish("ivrctl apply --format=j")).toEqual(["--format=json"]);
    expect(new Set(fish("ivrctl --env "))).toEqual(new Set(["production", "sandbox"]));
    expect(fish("ivrctl agents --name As")).toEqual(["Asha Rao"]);
    expect(fish("ivrctl validate ivr")).toEqual(expect.arrayContaining(["ivrs/"]));
    expect(fish("ivrctl validate exa")).toEqual(["example"]);
  });

  test("keeps names unchanged", () => {
    const offered = fish("ivrctl agents --team ", withNasty());
    expect(new Set(offered)).toEqual(new Set(nasty));
  });
});

describe("completion in zsh", () => {
  needs("zsh");
  /** Calls the function, and returns the words it passes to zsh. zsh quotes them itself. */
  const zsh = (words: readonly string[], cwd = exampleProject()) => {
    const path = folder({});
    writeFileSync(
      join(path, "run.zsh"),
      `compdef() { :; }; compadd() { print -rl -- "\${(@)lines}"; }; _files() { print files $*; }
source <(ivrctl completion zsh)
words=(ivrctl ${words.map(single).join(" ")}); CURRENT=${words.length + 1}
_ivrctl
true`,
    );
    return shell("zsh", `source ${join(path, "run.zsh")}`, cwd);
  };

  test("completes commands, options, values, names and files", () => {
    expect(zsh([""])).toEqual(Object.keys(commands));
    expect(zsh(["apply", "--format", ""])).toEqual(["text", "json"]);
    expect(zsh(["apply", "--format=j"])).toEqual(["--format=text", "--format=json"]);
    expect(zsh(["--env", ""])).toEqual(["sandbox", "production"]);
    expect(zsh(["validate", ""])).toEqual(["example", "files"]);
    expect(zsh(["-C", ""])).toEqual(["files -/"]);
    expect(zsh(["unlock", ""])).toEqual([]);
  });

  test("keeps names unchanged", () => {
    expect(zsh(["agents", "--name", ""], withNasty())).toEqual(nasty);
  });
});

test.each([
  [["completion", "tcsh"], "There is no completion for `tcsh`. Use bash, zsh or fish."],
  [["completion"], "$SHELL names no supported shell. Write `ivrctl completion bash|zsh|fish`."],
  [
    ["completion", "bash", "x"],
    "Unexpected argument `x`. For details, run:\n  ivrctl completion --help",
  ],
])("%j prints one line, and the next command below it", async (args, message) => {
  const { exit, stderr } = await ivrctl(args);
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: `ivrctl: ${message}\n` });
});
