import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "../support/cli.ts";
import { olderCommand } from "../support/older-build.ts";
import { menu, project, service, token } from "../support/project.ts";

const spelledAs = (older: boolean) => {
  const invalid = 'invalid: { retries: 2, recording: "11", destination: Front Desk';
  const now = menu("Front desk").replace(invalid, `${invalid}, final_recording: "14"`);
  return older ? menu("Front desk", "Asha Rao", 'extra: { recording_invalid: "14" }\n') : now;
};

test.each([[[]], [["list", "update"]]] as const)(
  "a field that an older build recorded under its former name is the same field, with operations %s",
  async (operations) => {
    const { url, requests } = await service({ operations });
    const { path, run } = project(url, { "front-desk": spelledAs(true) }, { operations });
    const env = { BASE_URL: url, TOKEN: token };
    const older = (...args: string[]) =>
      start(process.execPath, [olderCommand(), ...args], { cwd: path, env }).finished;
    expect(await older("state", "init")).toMatchObject({ exit: 0 });
    expect(await older("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    const pulled = await older("state", "pull");

    writeFileSync(join(path, "ivrs/front-desk.yaml"), spelledAs(false));
    expect(JSON.parse((await run("plan", "--format", "json")).stdout).changes).toEqual([]);
    expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(requests.filter(({ method }) => method !== "GET")).toHaveLength(1);
    const shown = await run("state", "show", "front-desk", "--format", "json");
    expect(shown.stdout).toContain(`"final_recording"`);
    // The entries are as the older build wrote them, so it still reads them.
    expect((await run("state", "pull")).stdout).toContain(pulled.stdout.trimEnd());
    expect((await older("state", "list")).exit).toBe(0);

    writeFileSync(join(path, "ivrs/front-desk.yaml"), spelledAs(false).replace('"14"', '"15"'));
    expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(await older("state", "list")).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("IVR602"),
    });
  },
);
