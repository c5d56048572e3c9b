import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { payload } from "../support/import.ts";

const night = {
  ...payload,
  name: "Night: desk",
  recording: "recording||19549",
  invalid_recording: "recording||19550",
  timeout_retry_recording: "recording||19551",
  timeout_recording: "recording||777",
};
const json = JSON.stringify(night, null, 2);
const menu = `name: "Night: desk"
description: First menu
recording: welcome

options:
  1: Asha Rao
  2: { agent: Ravi Kumar, team: Billing }

invalid:
  destination: Front Desk
timeout:
  recording: "777" # no alias in recordings: has this id
  destination: Front Desk
`;

const read = (...path: string[]) => readFileSync(join(...path), "utf8");
const menusOf = (cwd: string) =>
  readdirSync(join(cwd, "ivrs"), { recursive: true, encoding: "utf8" }).sort();

/** The codes that a failing import names, and that it wrote nothing. */
async function refused(cwd: string, ...args: string[]) {
  const before = menusOf(cwd);
  const { exit, stdout } = await ivrctl(["import", ...args, "--format", "json"], { cwd });
  expect(exit).toBe(1);
  expect(menusOf(cwd)).toEqual(before);
  const { files, diagnostics } = JSON.parse(stdout);
  expect(files).toEqual([]);
  return diagnostics;
}

describe("ivrctl import", () => {
  test("writes a menu with names, and says what has none and what comes next", async () => {
    const cwd = exampleProject({ "payload.json": json });
    expect(await ivrctl(["import", "payload.json"], { cwd })).toEqual({
      exit: 0,
      stdout: "ivrs/night-desk.yaml\n",
      stderr: `Not everything in ivrs/night-desk.yaml has a name:
  timeout.recording: no alias in recordings: has this id
Next:
  ivrctl validate ivrs/night-desk.yaml
  ivrctl state adopt night-desk   where the menu exists on the service already
`,
    });
    expect(read(cwd, "ivrs/night-desk.yaml")).toBe(menu);
    expect((await ivrctl(["fmt", "--check"], { cwd })).exit).toBe(0);
    expect(JSON.parse((await ivrctl(["compile", "ivrs/night-desk.yaml"], { cwd })).stdout)).toEqual(
      {
        "night-desk": night,
      },
    );
    expect(
      (await ivrctl(["state", "adopt", "night-desk", "--from", "payload.json"], { cwd })).exit,
    ).toBe(0);
    expect((await ivrctl(["plan"], { cwd })).stdout).not.toContain("Night: desk");
  });

  test("--quiet says nothing but problems", async () => {
    const cwd = exampleProject({ "payload.json": json });
    const quiet = await ivrctl(["import", "payload.json", "--quiet"], { cwd });
    expect(quiet).toEqual({ exit: 0, stdout: "ivrs/night-desk.yaml\n", stderr: "" });
  });

  test("--format json has everything on stdout", async () => {
    const cwd = exampleProject({ "payload.json": json.replace("500102", "500999") });
    const { exit, stdout, stderr } = await ivrctl(["import", "payload.json", "--format", "json"], {
      cwd,
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      format_version: "1.0",
      files: [
        {
          file: "ivrs/night-desk.yaml",
          key: "night-desk",
          name: "Night: desk",
          unnamed: [
            {
              field: "options.2",
              value: "extension||500999",
              reason: "extension 500999 is nobody on the agent list",
            },
            {
              field: "timeout.recording",
              value: "recording||777",
              reason: "no alias in recordings: has this id",
            },
          ],
        },
      ],
      diagnostics: [
        expect.objectContaining({
          code: "IVR659",
          severity: "warning",
          file: "payload.json",
          line: 12,
        }),
      ],
    });
  });

  test("a pasted curl leaves its token behind", async () => {
    const secret = "s3cret-t0ken";
    const cwd = exampleProject({
      "request.sh": `$ curl -X POST 'https://asha:${secret}@example.com/v1/ivr?token=${secret}' \\
  -H 'authorization: Bearer ${secret}' \\
  -d @body.json\n`,
      "body.json": json.replace("500102", "500999"),
    });
    const { exit, stdout, stderr } = await ivrctl(["import", "request.sh"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "ivrs/night-desk.yaml\n" });
    expect(stderr).toContain("warning[IVR659]");
    expect(stderr + read(cwd, "ivrs/night-desk.yaml")).not.toContain(secret);
  });

  test("--out - prints, and what compile prints comes back", async () => {
    const cwd = exampleProject({
      "ivrs/other.yaml": read("ivrs/example.yaml").replace("Front desk", "Other"),
    });
    const { stdout: compiled } = await ivrctl(["compile"], { cwd });
    const { exit, stdout, stderr } = await ivrctl(["import", "-", "--out", "-"], {
      cwd,
      input: compiled,
    });
    expect(exit).toBe(0);
    expect(stderr).toContain(
      "warning[IVR658]: The name `Front desk` belongs to ivrs/example.yaml already.",
    );
    const fresh = exampleProject({ "ivrs/example.yaml": stdout });
    expect((await ivrctl(["fmt", "--check"], { cwd: fresh })).exit).toBe(0);
    expect((await ivrctl(["compile"], { cwd: fresh })).stdout).toBe(compiled);
    const one = await ivrctl(["import", "-", "--out", "-"], { cwd, input: json });
    expect(one.stdout).toBe(menu);
    const text = await ivrctl(["import", "-", "--out", "-", "--format", "json"], {
      cwd,
      input: json,
    });
    expect(JSON.parse(text.stdout).files).toMatchObject([
      { file: null, key: "night-desk", text: menu },
    ]);
  });

  test("a map gives the keys, and each menu the way to the project's schema", async () => {
    const cwd = exampleProject({ "schema/menu.schema.json": "{}" });
    const input = JSON.stringify({ "sales/night": night, Day_2: { ...night, name: "मुख्य मेनू" } });
    const { exit, stdout, stderr } = await ivrctl(["import", "-"], { cwd, input });
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: "ivrs/sales/night.yaml\nivrs/Day_2.yaml\n",
    });
    expect(stderr).toContain("ivrctl validate\n  ivrctl state adopt KEY ");
    expect(read(cwd, "ivrs/sales/night.yaml")).toBe(
      `# yaml-language-server: $schema=../../schema/menu.schema.json\n${menu}`,
    );
    expect(read(cwd, "ivrs/Day_2.yaml")).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schema\//,
    );
  });

  test("--out FILE, in the project and outside it", async () => {
    const cwd = exampleProject({ "payload.json": json });
    const away = join(folder({}), "x.yaml");
    expect((await ivrctl(["import", "payload.json", "--out", away], { cwd })).stdout).toBe(
      `${away}\n`,
    );
    expect(read(away)).toBe(menu);
    const out = ["--out", "ivrs/a/b.yaml"];
    expect((await ivrctl(["import", "payload.json", ...out], { cwd })).stdout).toBe(
      "ivrs/a/b.yaml\n",
    );
    expect(read(cwd, "ivrs/a/b.yaml")).toBe(menu);
  });

  test("another agent list, another environment", async () => {
    const cwd = exampleProject({
      "payload.json": json,
      "list.json": JSON.stringify([{ id: 1, name: "Someone", eid: "500101" }]),
    });
    const args = [
      "import",
      "payload.json",
      "--out",
      "-",
      "--env",
      "production",
      "--agents",
      "list.json",
    ];
    const { stdout } = await ivrctl(args, { cwd });
    expect(stdout).toContain('recording: "19549" # no alias');
    expect(stdout).toContain('  1: Someone\n  2: { eid: "500102" } # extension 500102 is nobody');
  });
});

describe("ivrctl import never overwrites", () => {
  test("a file, a key or a name", async () => {
    const cwd = exampleProject({ "payload.json": json, "ivrs/night-desk.yaml": "name: [broken\n" });
    expect(await refused(cwd, "payload.json")).toMatchObject([
      { code: "IVR658", message: "ivrs/night-desk.yaml is there already, and is not overwritten." },
    ]);
    expect(read(cwd, "ivrs/night-desk.yaml")).toBe("name: [broken\n");
    writeFileSync(join(cwd, "ivrs/x.yaml"), 'id: NIGHT-desk\nname: "Night:  desk"\n');
    expect(await refused(cwd, "payload.json", "--out", "ivrs/Night-Desk.yaml")).toMatchObject([
      { code: "IVR658", message: "The key `Night-Desk` belongs to ivrs/x.yaml already." },
      {
        code: "IVR658",
        line: 2,
        message: "The name `Night: desk` belongs to ivrs/x.yaml already.",
      },
    ]);
    const there = folder({ "x.yaml": "mine" });
    await refused(cwd, "payload.json", "--out", join(there, "x.yaml"));
    expect(read(there, "x.yaml")).toBe("mine");
  });

  test("nor leaves the project by a link", async () => {
    const cwd = exampleProject({
      "map.json": JSON.stringify({ "away/x": night, "example.yaml/x": night }),
    });
    const away = folder({});
    symlinkSync(away, join(cwd, "ivrs/away"));
    symlinkSync(join(away, "new.yaml"), join(cwd, "ivrs/night-desk.yaml"));
    mkdirSync(join(cwd, "ivrs/folder.yaml"));
    expect(
      (await refused(cwd, "map.json")).map(({ message }: { message: string }) => message),
    ).toEqual([
      "ivrs/away is not a folder, so no menu can be put there.",
      "ivrs/example.yaml is not a folder, so no menu can be put there.",
      "The name `Night: desk` belongs to another payload of this import already.",
    ]);
    writeFileSync(join(cwd, "p.json"), json);
    await refused(cwd, "p.json");
    await refused(cwd, "p.json", "--out", "ivrs/folder.yaml");
    expect(readdirSync(away)).toEqual([]);
  });

  test.each([
    ["two payloads of one key", [night, { ...night, name: "night desk!" }], "another payload"],
    ["a name without a key", [{ ...night, name: "मुख्य मेनू" }], "No key can be made"],
    ["a key that is none", { "a b": night }, "The key `a b` must be"],
    ["a key that leaves", { "../x": night }, "The key `../x` must be"],
    ["a key of a test", { "x.test": night }, "such files are tests"],
    ["a hidden key", { "a/.x": night }, "such files are overlooked"],
  ])("%s is told, and nothing is written", async (_, value, message) => {
    const cwd = exampleProject({ "p.json": JSON.stringify(value) });
    const [fault] = await refused(cwd, "p.json");
    expect(fault).toMatchObject({ code: "IVR658", message: expect.stringContaining(message) });
  });

  test("with one payload at fault among several nothing is written", async () => {
    const cwd = exampleProject({
      "p.json": JSON.stringify([night, { ...night, name: "B", option: [1] }]),
    });
    expect(await refused(cwd, "p.json")).toMatchObject([{ code: "IVR655" }]);
  });

  test("a folder that may not be written to", async () => {
    const cwd = exampleProject({ "p.json": json });
    const { exit, stderr } = await ivrctl(["import", "p.json", "--out", "/proc/none/x.yaml"], {
      cwd,
    });
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR127]");
  });
});

describe("files that a pasted command names", () => {
  const secret = "TOKEN=s3cret-t0ken";

  test("are read beside it or in the project, and nowhere else", async () => {
    const cwd = exampleProject({ "bodies/body.json": json });
    const away = folder({ "deep/request.sh": "curl -d @../secret.env x", "secret.env": secret });
    writeFileSync(join(away, "deep/body.json"), json);
    writeFileSync(join(away, "deep/beside.sh"), "curl -d @body.json x");
    symlinkSync(join(away, "secret.env"), join(away, "deep/link.json"));
    writeFileSync(join(away, "deep/link.sh"), "curl -d @link.json x");
    mkdirSync(join(away, "deep/folder"));
    const print = (file: string, input = "") =>
      ivrctl(["import", file, "--out", "-"], { cwd, input });
    expect((await print(join(away, "deep/beside.sh"))).stdout).toBe(menu);
    expect((await print("-", "curl -d @bodies/body.json x")).stdout).toBe(menu);
    expect((await print("-", `curl -d @${cwd}/bodies/body.json x`)).stdout).toBe(menu);
    for (const [file, input] of [
      [join(away, "deep/request.sh"), ""],
      [join(away, "deep/link.sh"), ""],
      ["-", `curl -d @${away}/secret.env x`],
      ["-", "curl -d @/etc/passwd x"],
      ["-", "curl -d @/dev/zero x"],
      ["-", "curl -d @/dev/stdin x"],
      ["-", "curl -d @bodies x"],
      ["-", "curl -d @none.json x"],
      ["-", "curl -d @$'a\\0b' x"],
    ] as const) {
      const { exit, stdout, stderr } = await print(file, input);
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toContain("error[IVR654]");
      expect(stderr).not.toMatch(/s3cret|root:/);
    }
  });

  test("show nothing of themselves where they are no payload", async () => {
    const cwd = exampleProject({
      ".env": secret,
      "latin.env": Buffer.from(`${secret}\xFF`, "latin1"),
    });
    for (const name of [".env", "latin.env"]) {
      const { exit, stderr } = await ivrctl(["import", "-"], { cwd, input: `curl -d @${name} x` });
      expect(exit).toBe(1);
      expect(stderr).toMatch(/error\[IVR(?:652|104)\]/);
      expect(stderr).not.toContain("s3cret");
    }
  });
});

describe("what cannot be imported", () => {
  test("a text that is too large, not there, a folder or not UTF-8", async () => {
    const cwd = exampleProject({
      "large.json": "",
      "latin.sh": Buffer.from("curl -H 'authorization: Bearer s3cret' -d 'caf\xE9' x", "latin1"),
    });
    truncateSync(join(cwd, "large.json"), 9_000_000);
    const codes = async (...args: string[]) =>
      (await refused(cwd, ...args)).map(({ code }: { code: string }) => code);
    expect(await codes("large.json")).toEqual(["IVR651"]);
    expect(await codes("none.json")).toEqual(["IVR123"]);
    expect(await codes("ivrs")).toEqual(["IVR122"]);
    expect(await codes("latin.sh")).toEqual(["IVR104"]);
    const { stderr } = await ivrctl(["import", "latin.sh"], { cwd });
    expect(stderr).not.toContain("s3cret");
    const piped = await ivrctl(["import", "-"], { cwd, input: " ".repeat(9_000_000) });
    expect(piped.stderr).toContain("error[IVR651]");
  });

  test("without a project, or an environment", async () => {
    const empty = folder({ "p.json": json });
    expect((await ivrctl(["import", "p.json"], { cwd: empty })).stderr).toContain("error[IVR126]");
    expect(existsSync(join(empty, "ivrs"))).toBe(false);
    const cwd = exampleProject({ "p.json": json });
    expect(await refused(cwd, "p.json", "--env", "none")).toMatchObject([{ code: "IVR402" }]);
  });

  test("a wrong call", async () => {
    const cwd = exampleProject({ "two.json": JSON.stringify([night, { ...night, name: "B" }]) });
    expect((await ivrctl(["import"], { cwd })).stderr).toContain("import needs FILE|-");
    const two = await ivrctl(["import", "two.json", "--out", "ivrs/x.yaml"], { cwd });
    expect(two.stderr).toContain("--out FILE is for one menu, and here are 2");
    expect(existsSync(join(cwd, "ivrs/x.yaml"))).toBe(false);
  });

  test("other menus that are broken do not stand in the way", async () => {
    const cwd = exampleProject({ "p.json": json, "ivrs/broken.yaml": "name: [\n" });
    expect((await ivrctl(["import", "p.json"], { cwd })).exit).toBe(0);
  });
});
