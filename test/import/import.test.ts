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
      "IVR655: ivrs/away is a link.",
      "IVR655: ivrs/example.yaml is not a folder.",
    ]);
    writeFileSync(join(cwd, "p.json"), json);
    await refused(cwd, "p.json");
    await refused(cwd, "p.json", "--out", "ivrs/folder.yaml");
    expect(readdirSync(away)).toEqual([]);
  });
});

test("never reads a file that a pasted command names", async () => {
  const cwd = exampleProject({ "body.json": json });
  for (const name of ["body.json", "/etc/passwd", "/dev/zero", "-", "none.json"]) {
    const input = `curl -d @${name} x`;
    const { exit, stdout, stderr } = await ivrctl(["import", "-", "--out", "-"], { cwd, input });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR651]: ivrctl cannot read the body of this `curl` command.");
  }
});

test("refuses a text that is too large", async () => {
  const cwd = exampleProject({ "large.json": "" });
  truncateSync(join(cwd, "large.json"), 9_000_000);
  expect(await refused(cwd, "large.json")).toEqual([expect.stringContaining("IVR130")]);
  const piped = await ivrctl(["import", "-"], { cwd, input: " ".repeat(9_000_000) });
  expect(piped.stderr).toContain("error[IVR130]");
});
