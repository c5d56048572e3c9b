import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
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
  recording: "777" # this id has no alias under \`recordings:\`
  destination: Front Desk
`;

const menusOf = (cwd: string) =>
  readdirSync(join(cwd, "ivrs"), { recursive: true, encoding: "utf8" }).sort();

/** Runs an import that must fail, checks that it wrote nothing, and returns what it reports. */
async function refused(cwd: string, ...args: string[]) {
  const before = menusOf(cwd);
  const { exit, stdout, stderr } = await ivrctl(["import", ...args], { cwd });
  expect([exit, stdout]).toEqual([1, ""]);
  expect(menusOf(cwd)).toEqual(before);
  return stderr.match(/(?<=^error\[)IVR.*/gm)?.map((line) => line.replace("]", ""));
}

describe("ivrctl import writes only into the project", () => {
  test("refuses a link to a folder outside", async () => {
    const cwd = exampleProject({
      "map.json": JSON.stringify({ "away/x": night, "example.yaml/x": night }),
    });
    const away = folder({});
    symlinkSync(away, join(cwd, "ivrs/away"));
    symlinkSync(join(away, "new.yaml"), join(cwd, "ivrs/night-desk.yaml"));
    mkdirSync(join(cwd, "ivrs/folder.yaml"));
    expect(await refused(cwd, "map.json")).toEqual([
      "IVR655: ivrs/away is not a folder.",
      "IVR655: ivrs/example.yaml is not a folder.",
      "IVR655: Another payload of this import already has the name `Night: desk`.",
    ]);
    writeFileSync(join(cwd, "p.json"), json);
    await refused(cwd, "p.json");
    await refused(cwd, "p.json", "--out", "ivrs/folder.yaml");
    expect(readdirSync(away)).toEqual([]);
  });

  test("reports a folder that cannot be written to", async () => {
    const cwd = exampleProject({ "p.json": json });
    const { exit, stderr } = await ivrctl(["import", "p.json", "--out", "/proc/none/x.yaml"], {
      cwd,
    });
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR121]");
  });
});

describe("files that a pasted command names", () => {
  const secret = "TOKEN=s3cret-t0ken";

  test("are read only from its folder or the project", async () => {
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
      expect(stderr).toContain("error[IVR651]");
      expect(stderr).not.toMatch(/s3cret|root:/);
    }
  });

  test("are not shown if they are not payloads", async () => {
    const cwd = exampleProject({
      ".env": secret,
      "latin.env": Buffer.from(`${secret}\xFF`, "latin1"),
    });
    for (const name of [".env", "latin.env"]) {
      const { exit, stderr } = await ivrctl(["import", "-"], { cwd, input: `curl -d @${name} x` });
      expect(exit).toBe(1);
      expect(stderr).toMatch(/error\[IVR(?:651|104)\]/);
      expect(stderr).not.toContain("s3cret");
    }
  });
});

test("refuses a text that is too large", async () => {
  const cwd = exampleProject({ "large.json": "" });
  truncateSync(join(cwd, "large.json"), 9_000_000);
  expect(await refused(cwd, "large.json")).toEqual([expect.stringContaining("IVR651")]);
  const piped = await ivrctl(["import", "-"], { cwd, input: " ".repeat(9_000_000) });
  expect(piped.stderr).toContain("error[IVR651]");
});
