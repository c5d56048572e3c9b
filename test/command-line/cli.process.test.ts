import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command, exampleProject, folder } from "../support/cli.ts";
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

  test.each([
    [["vaildate"], "Did you mean `validate`?"],
    [["plna"], "Did you mean `plan`?"],
    [["validate", "--fromat", "json"], "Did you mean `--format`?"],
    [["agents", "lst"], "Did you mean `list`?"],
    [["list"], "ivrctl --help"],
    [["state"], "ivrctl state --help"],
    [["state", "bogus"], "ivrctl state --help"],
    [["state", "mv", "a"], "ivrctl state mv --help"],
    [["validate", "--format", "xml"], "ivrctl validate --help"],
    [["validate", "--live", "--agents", "x"], "ivrctl validate --help"],
    [["explain", "IVR301", "IVR302"], "ivrctl explain --help"],
    [["explain", "IVR999"], "ivrctl explain"],
    [["import", "--lock-timeout", "9"], "ivrctl import --help"],
    [["call", ""], "Check the shell variables"],
  ])("%j: says how to go on", async (args, hint) => {
    const { exit, stdout, stderr } = await ivrctl(args);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(hint);
  });
});

describe("a command to copy", () => {
  test("is for the project of -C", async () => {
    const project = exampleProject({ "agents.lock.json": "[}" });
    const cwd = join(project, "..");
    const name = project.slice(cwd.length + 1);
    const text = await ivrctl(["validate", "-C", name], { cwd });
    expect(text.stdout).toContain(`\n      ivrctl -C ${name} agents pull --env sandbox\n`);
    const json = await ivrctl(["validate", "-C", name, "--format", "json"], { cwd });
    expect(JSON.parse(json.stdout).diagnostics[0].hint).toMatch(
      /: ivrctl agents pull --env sandbox$/,
    );
    const usage = await ivrctl(["apply", "plan.json", "--allow=delete", "-C", name], { cwd });
    expect(usage.stderr).toContain(`\n  ivrctl -C ${name} plan --allow delete --out FILE\n`);
  });
});

describe("a usage error", () => {
  test("prints no control characters", async () => {
    const { stderr } = await ivrctl(["\u001b[31mvalidate"]);
    expect(stderr).not.toContain("\u001b");
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

  test("checks only the given files and folders", async () => {
    const menu = (name: string) => `name: ${name}\ninvalid: { destination: Front Desk }\n`;
    const project = exampleProject({
      "ivrs/a/one.yaml": menu("One"),
      "ivrs/b/two.yaml": menu("Two"),
    });
    const at = async (...paths: string[]) => {
      const { stdout } = await ivrctl(["validate", "--format", "json", ...paths], { cwd: project });
      const files = JSON.parse(stdout).diagnostics.map(({ file }: { file: string }) => file);
      return [...new Set(files)];
    };
    expect(await at("ivrs/a/one.yaml")).toEqual(["ivrs/a/one.yaml"]);
    expect(await at("ivrs/b")).toEqual(["ivrs/b/two.yaml"]);
    expect(await at(".")).toEqual(["ivrs/a/one.yaml", "ivrs/b/two.yaml"]);
    expect(await at("ivrs/example.yaml")).toEqual([]);
    expect(await at("ivrctl.yaml")).toEqual([]);
    expect(await at("ivrs/gone.yaml")).toEqual(["ivrs/gone.yaml"]);
  });

  test("refuses paths that do not exist or have no menu", async () => {
    const cwd = exampleProject();
    mkdirSync(join(cwd, "ivrs/empty"));
    for (const [path, code] of [
      ["ivrs/missing.yml", "IVR121"],
      ["ivrs/missing.test.yaml", "IVR121"],
      ["ivrs/empty", "IVR124"],
      [folder({ "a.yaml": "name: x" }), "IVR124"],
      [join(folder({ "a.yaml": "name: x" }), "a.yaml"), "IVR124"],
      ["agents.lock.json", "IVR124"],
    ] as const) {
      const { exit, stdout } = await ivrctl(["validate", path], { cwd });
      expect(exit).toBe(1);
      expect(stdout).toContain(code);
    }
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

  test("does not treat an unreadable agent list as missing", async () => {
    const cwd = exampleProject({ "agents.lock.json": "[" });
    for (const args of [[], ["--agents", "missing.json"], ["--agents", "/dev/zero"]]) {
      const { exit, stderr } = await ivrctl(["validate", ...args], { cwd });
      expect(exit).toBe(1);
      expect(stderr).not.toContain("Agents were not checked");
    }
  });

  test("prefers --env to IVRCTL_ENV, and both to the configuration", async () => {
    const cwd = exampleProject();
    const said = async (args: string[], env = {}) =>
      (await ivrctl(["validate", ...args], { cwd, env })).stdout;
    expect(await said([])).toContain("sandbox");
    expect(await said([], { IVRCTL_ENV: "production" })).toContain("production");
    expect(await said(["--env", "sandbox"], { IVRCTL_ENV: "production" })).toContain("sandbox");
  });

  test("refuses pipes, links to the outside and circular links without hanging", async () => {
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
      // A link inside the project is read like a file, so the menu exists twice.
      "IVR213 ivrs/inside.yaml",
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
  test("--agents accepts the agent array of the service", async () => {
    const project = exampleProject({
      "agents.json": JSON.stringify([
        { id: 1, name: "Asha Rao", eid: "9", team_name: "Sales" },
        { id: 2, name: "Ravi Kumar", eid: "8", team_name: "Billing" },
        { id: 3, name: "Front Desk", eid: "7", intercom: "1004" },
      ]),
    });
    const { stdout } = await ivrctl(["compile", "--agents", "agents.json"], { cwd: project });
    expect(JSON.parse(stdout).example.destination).toEqual([
      "extension||9",
      "extension||8",
      "extension||7",
    ]);
  });

  test("prints diagnostics as JSON and as text, and no payload, if a menu is invalid", async () => {
    const project = exampleProject({ "ivrs/broken.yaml": "name: Broken\n" });
    const { exit, stdout, stderr } = await ivrctl(["compile", "--format", "json"], {
      cwd: project,
    });
    expect(exit).toBe(1);
    const shown = JSON.parse(stdout);
    expect(Object.keys(shown)).toEqual(["format_version", "diagnostics"]);
    expect(stderr).toContain("error[IVR202]");
    // Given menus are compiled even if others are invalid.
    expect((await ivrctl(["compile", "ivrs/example.yaml"], { cwd: project })).exit).toBe(0);
  });

  test("exits without an error if the reader closes the pipe", async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 300; i += 1) {
      files[`ivrs/m${i}.yaml`] =
        `name: M${i}\ndescription: d\nrecording: 1\noptions: { 1: Asha Rao, 0: Front Desk }\ninvalid: { destination: Front Desk }\ntimeout: { destination: Front Desk }\n`;
    }
    const project = exampleProject(files);
    const child = spawn("sh", ["-c", `"${process.execPath}" "${command}" compile | head -n 1`], {
      cwd: project,
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe("");
  });
});

describe("explain", () => {
  test("accepts a code in any spelling", async () => {
    for (const spelling of ["IVR302", "ivr302", "302"]) {
      const { exit, stdout } = await ivrctl(["explain", spelling]);
      expect(exit).toBe(0);
      expect(stdout).toContain("Several agents match");
    }
    const { stdout } = await ivrctl(["explain", "IVR302", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ code: "IVR302", severity: "error" });
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
