import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandNames } from "../support/all-commands.ts";
import { exampleProject, folder, pathWithIvrctl } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { environment } from "../support/environment.ts";
import { need } from "../support/needs.ts";
import { menu } from "../support/project.ts";

/** Returns what is suggested for the last word. */
async function suggested(words: readonly string[], cwd = exampleProject()): Promise<string[]> {
  const { exit, stdout, stderr } = await ivrctl(["--get-yargs-completions", "ivrctl", ...words], {
    cwd,
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

test.each([
  [[""], commandNames],
  [
    ["plan", "--env", ""],
    ["sandbox", "production"],
  ],
  [["plan", "--target", ""], ["example"]],
  [["show", ""], ["example"]],
  [["state", "show", ""], ["example"]],
])("%j: suggests these names", async (words, expected) => {
  expect(await suggested(words)).toEqual(expected);
});

test.each([
  [["state", "re"], "resolve"],
  [["plan", "--"], "--out"],
  [["plan", "--"], "--env"],
  [["state", "resolve", "--"], "--created"],
  [["apply", "--format", ""], "json"],
  [["explain", ""], "state-backends"],
])("%j: suggests %s", async (words, expected) => {
  expect(await suggested(words)).toContain(expected);
});

test("the keys of a file with several menus are suggested", async () => {
  const cwd = exampleProject({
    "ivrs/two.yaml": `id: two/a\n${menu("A")}---\nid: two/b\n${menu("B")}`,
  });
  expect(await suggested(["call", ""], cwd)).toEqual(["example", "two/a", "two/b"]);
});

test.each([
  ["no project", {}],
  ["broken files", { "ivrctl.yaml": "{[", "ivrs/a.yaml": "\0" }],
  ["a folder in the way", { "ivrctl.yaml/x": "" }],
])("%s: prints no error", async (_, files) => {
  expect(await suggested(["--env", ""], folder(files))).toEqual(expect.any(Array));
  expect(await suggested(["show", ""], folder(files))).toEqual(expect.any(Array));
});

/** Completes in zsh without a terminal: prints what it would offer. */
const inZsh = `
compdef() { :; }; _describe() { print -l -- "\${(@P)2}" }
source <(ivrctl completion zsh)
try() { words=("$@"); CURRENT=$#words; _ivrctl }
try ivrctl plan --env ''; try ivrctl state reb; try ivrctl plan --sum`;
const inFish = `
ivrctl completion fish | source
for line in 'ivrctl plan --env ' 'ivrctl state reb' 'ivrctl plan --sum'; complete -C $line; end`;

test.each([
  ["zsh", ["-fc", inZsh], ":"],
  ["fish", ["--no-config", "-c", inFish], "\t"],
] as const)(
  "%s completes names, subcommands and options with their meaning",
  (shell, args, tab) => {
    need(shell);
    // People start one shell from a different one, so SHELL may be wrong.
    const { stdout, status } = spawnSync(shell, args, {
      cwd: exampleProject(),
      env: { ...environment(), PATH: pathWithIvrctl(), SHELL: "/bin/bash" },
      encoding: "utf8",
    });
    const lines = stdout.split("\n");
    expect(status).toBe(0);
    expect(lines).toEqual(expect.arrayContaining(["sandbox", "production", "rebind"]));
    expect(stdout).toContain(`--summary${tab}Show one line`);
  },
);

test("bash completes, and a name from a file never runs", () => {
  const cwd = exampleProject({
    "ivrs/$(touch harm).yaml": menu("Harm"),
    "ivrctl.yaml":
      "environments:\n  $(touch harm): { service: sandbox }\n  good: { service: sandbox }\n",
  });
  const complete = (...words: string[]) => `
COMP_WORDS=(ivrctl ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_ivrctl; printf '%s\n' "\${COMPREPLY[@]}"`;
  const script = `source <(ivrctl completion bash)${complete("va")}${complete("show", "e")}${complete("plan", "--env", "g")}`;
  const { stdout, status } = spawnSync("bash", ["-c", script], {
    cwd,
    env: { ...environment(), PATH: pathWithIvrctl(), SHELL: "/bin/bash" },
    encoding: "utf8",
  });
  expect([status, stdout.split("\n").slice(0, 3)]).toEqual([0, ["validate", "example", "good"]]);
  expect(existsSync(join(cwd, "harm"))).toBe(false);
});
