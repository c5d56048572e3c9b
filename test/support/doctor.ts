import { expect } from "vitest";
import { ivrctl } from "./commands.ts";
import { token } from "./project.ts";

type Env = Record<string, string>;

/** Runs `ivrctl doctor` in both formats, and checks that neither prints the token. */
export async function doctor(cwd: string, env: Env = {}, run: typeof ivrctl = ivrctl) {
  const text = await run(["doctor"], { cwd, env });
  const { exit, stdout, stderr } = await run(["doctor", "--format", "json"], { cwd, env });
  expect(text.exit).toBe(exit);
  const said = text.stdout + text.stderr + stdout + stderr;
  expect(said).not.toContain(token);
  expect(said).not.toContain("\u001b");
  const value = JSON.parse(stdout);
  const checks: readonly { readonly name: string; readonly status: string }[] = value.checks;
  return {
    exit,
    said,
    value,
    /** The results of a check. */
    is: (name: string) => checks.filter((check) => check.name === name).map(({ status }) => status),
  };
}
