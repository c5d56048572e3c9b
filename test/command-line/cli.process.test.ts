import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command, exampleProject, folder, start } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { environment } from "../support/environment.ts";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

describe("ivrctl", () => {
  test("--version prints only the version", async () => {
    expect(await ivrctl(["--version"])).toEqual({
      exit: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });

  test("runs by its path after a build, as the link of npm does", () => {
    expect(String(execFileSync(command, ["--version"]))).toBe(`${manifest.version}\n`);
  });

  test("says that the current folder was deleted", () => {
    const gone = mkdtempSync(join(tmpdir(), "gone-"));
    const script = 'cd "$1" && rmdir "$1" && exec "$2" plan';
    const { status, stderr } = spawnSync("sh", ["-c", script, "sh", gone, command], {
      encoding: "utf8",
    });
    expect(stderr).toBe(
      "ivrctl: The current folder no longer exists. Change to a different folder.\n",
    );
    expect(status).toBe(1);
  });
});

describe("validate", () => {
  test("prints nothing but the machine format to stdout", async () => {
    const project = exampleProject({ "ivrs/broken.yaml": "name: Broken\n" });
    const json = await ivrctl(["validate", "--format", "json"], { cwd: project });
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.stdout).diagnostics).not.toEqual([]);
    expect(json.stderr).toBe("");
    const sarif = await ivrctl(["validate", "--format", "sarif"], { cwd: project });
    expect(JSON.parse(sarif.stdout).version).toBe("2.1.0");
    const annotated = async (start: string) => {
      const env = { GITHUB_WORKSPACE: join(project, "..") };
      const { stdout } = await ivrctl(["validate", "--format", "github"], { cwd: project, env });
      return stdout
        .trim()
        .split("\n")
        .every((line) => line.startsWith(start));
    };
    expect(await annotated(`::error file=${project.split("/").at(-1)}/ivrs/`)).toBe(true);
    // The repository is checked out into a subfolder of the workspace.
    execFileSync("git", ["init", "-q", project]);
    expect(await annotated("::error file=ivrs/")).toBe(true);
  });

  test("derives the same menu keys through a symbolic link", async () => {
    const project = exampleProject();
    const menu = readFileSync(join(project, "ivrs/example.yaml"), "utf8");
    mkdirSync(join(project, "ivrs/sales"));
    writeFileSync(join(project, "ivrs/sales/india.yaml"), menu.replace("Front desk", "India"));
    const link = join(folder({}), "link");
    symlinkSync(project, link);
    const { stdout } = await ivrctl(["compile", join(link, "ivrs/sales/india.yaml")], {
      cwd: project,
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual(["sales/india"]);
  });

  test("prefers --env to IVRCTL_ENV, and both to the configuration", async () => {
    const cwd = exampleProject();
    const said = async (args: string[], env = {}) =>
      (await ivrctl(["validate", ...args], { cwd, env })).stdout;
    expect(await said([])).toContain("sandbox");
    expect(await said([], { IVRCTL_ENV: "production" })).toContain("production");
    expect(await said(["--env", "sandbox"], { IVRCTL_ENV: "production" })).toContain("sandbox");
  });

  test("refuses pipes and links without hanging", async () => {
    const project = exampleProject();
    execFileSync("mkfifo", [join(project, "ivrs/pipe.yaml")]);
    symlinkSync("/etc/passwd", join(project, "ivrs/passwd.yaml"));
    symlinkSync("circle.yaml", join(project, "ivrs/circle.yaml"));
    symlinkSync("example.yaml", join(project, "ivrs/inside.yaml"));
    const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd: project });
    const found = JSON.parse(stdout).diagnostics.map(
      ({ code, file }: { code: string; file: string }) => `${code} ${file}`,
    );
    expect(found).toEqual([
      "IVR121 ivrs/circle.yaml",
      "IVR121 ivrs/inside.yaml",
      "IVR121 ivrs/passwd.yaml",
      "IVR121 ivrs/pipe.yaml",
    ]);
    expect(stdout).not.toContain("root:");
  });

  describe("never prints a token of the configuration", () => {
    const secret = "s3cr3t-t0k3n";
    const service = (lines: string) =>
      `version: 1\nenvironments:\n  a:\n    service:\n${lines.replace(/^/gm, "      ")}\n`;
    const inline = (text: string) => `version: 1\nenvironments:\n  a: { service: ${text} }\n`;
    test.each([
      ["in braces", inline(`{ base_url: "https://x", token: ${secret} }`)],
      ["an open quote", inline(`{ base_url: "https://x", token: "${secret}, nope: }`)],
      ["two colons", service(`token: ${secret}: x`)],
      ["a misspelled key", service(`toekn: ${secret}\nbase_url: https://x`)],
      ["a list", service(`base_url: https://x\ntoken:\n  - ${secret}`)],
      ["no space", service(`token:${secret}`)],
      ["no space, twice", service(`base_url:https://x\ntoken:${secret}`)],
      ["the $ forgotten", service(`base_url: https://x\ntoken: {${secret}}`)],
      [
        "a command that is not a list",
        service(`base_url: https://x\ntoken: { command: ${secret} }`),
      ],
      ["no colon", service(`token ${secret}`)],
      ["an equals sign", service(`token = ${secret}`)],
      ["half a variable", service(`token: \${A}${secret}: x`)],
      ["on a line of its own", service(`token:\n${secret}: [ x`)],
      ["a block", service(`token: |\n${secret}\nbase_url: x: y`)],
      ["a question mark", service(`? token\n: ${secret}: [x`)],
      [
        "a # before it",
        inline(`{ base_url: "https://x/#a", token: "\${A}", token: ${secret}, bogus: 1 }`),
      ],
      ["a list of services", inline(`[ { base_url: "https://x/#a", token: ${secret} } ]`)],
      ["a document of its own", `--- { a: "#", token: ${secret} }\n`],
      [
        "a second document",
        `${service("token: ${A}\nbase_url: https://x")}---\nb: { x: ${secret} }\n`,
      ],
      ["an anchor", service(`base_url: https://x\ntoken: &t ${secret}`) + "max_creates: *t\n"],
      ["an anchor elsewhere", `x: &t ${secret}\n${inline('{ base_url: "https://x", token: *t }')}`],
      [
        "an anchor in defaults",
        service(`base_url: https://x\ntoken: &t ${secret}`) + "defaults: { recording: *t }\n",
      ],
      [
        "a byte that is not UTF-8",
        Buffer.concat([Buffer.from(service(`token: ${secret}`)), Buffer.from([0xff])]),
      ],
      ["one level too high", `version: 1\nenvironments:\n  a:\n    tokn: ${secret}\n`],
      ["at the top", `version: 1\nauth: ${secret}\nenvironments: { a: }\n`],
      ["in place of the service", `version: 1\nenvironments:\n  a: { service: ${secret} }\n`],
      ["a tag", service(`base_url: https://x\ntoken: !${secret} foo`)],
      ["an alias", service(`base_url: https://x\ntoken: *${secret}`)],
      ["a tab", service(`base_url: https://x\n\ttoken: ${secret}`)],
      ["a control character", service(`token: ${secret}\u0007`)],
      ["given twice", service(`base_url: https://x\ntoken: \${A}\ntoken: ${secret}`)],
    ])("%s", async (_, config) => {
      const cwd = folder({ "ivrctl.yaml": config, "ivrs/a.yaml": "name: x\n" });
      for (const args of [
        ["validate"],
        ["validate", "--format", "json"],
        ["fmt", "--check"],
        ["agents"],
      ]) {
        const { exit, stdout, stderr } = await ivrctl([...args, "--env", "a"], {
          cwd,
          env: { A: "x" },
        });
        if (args[0] !== "fmt") expect(exit).toBe(1);
        expect(stdout + stderr).not.toContain(secret);
      }
    });
  });
});

describe("compile", () => {
  test("exits without an error if the reader closes the pipe", async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 300; i += 1) {
      files[`ivrs/m${i}.yaml`] =
        `name: M${i}\ndescription: d\nrecording: 1\noptions: { 1: Asha Rao, 0: Front Desk }\ninvalid: { destination: Front Desk }\ntimeout: { destination: Front Desk }\n`;
    }
    const project = exampleProject(files);
    const line = `"${process.execPath}" "${command}" compile | head -n 1`;
    const { stderr } = await start("sh", ["-c", line], { cwd: project }).finished;
    expect(stderr).toBe("");
  });
});

describe("in a terminal", () => {
  test("prints colors unless they are turned off", async () => {
    const project = exampleProject({ "ivrs/broken.yaml": "name: Broken\n" });
    const inTerminal = (env: string, flags = "") => {
      const line = `cd ${project} && env ${env} ${process.execPath} ${command} validate ${flags}`;
      return execFileSync("script", ["-qec", line, "/dev/null"], {
        encoding: "utf8",
        env: { ...environment(), TERM: "xterm" },
        stdio: ["ignore", "pipe", "pipe"],
      });
    };
    const attempt = (env: string, flags?: string) => {
      try {
        return inTerminal(env, flags);
      } catch (error) {
        return String((error as { stdout: unknown }).stdout);
      }
    };
    expect(attempt("A=b")).toContain("\u001b[");
    expect(attempt("NO_COLOR=1")).not.toContain("\u001b[");
    const forced = await ivrctl(["validate"], { cwd: project, env: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain("\u001b[");
  });
});
