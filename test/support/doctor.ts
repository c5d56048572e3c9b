import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { expect, onTestFinished } from "vitest";
import { ivrctl } from "./commands.ts";
import { token } from "./project.ts";
import { listen } from "./rude-server.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

type Env = Record<string, string>;

/** Runs `ivrctl doctor`, and checks that it does not print the token. */
export async function doctor(
  cwd: string,
  env: Env = {},
  args: readonly string[] = [],
  run: typeof ivrctl = ivrctl,
) {
  const { exit, stdout, stderr } = await run(["doctor", "--format", "json", ...args], {
    cwd,
    env,
  });
  const value = JSON.parse(stdout);
  const checks: readonly Check[] = value.checks;
  const said = stdout + stderr;
  expectNoToken(said);
  return {
    exit,
    said,
    value,
    checks,
    is: (name: string) => checks.filter((check) => check.name === name).map(({ status }) => status),
    of: (name: string) => checks.find((check) => check.name === name),
  };
}

/** Runs `ivrctl doctor` in both formats, and checks that neither prints the token. */
export async function doctorInBothFormats(cwd: string, env: Env = {}) {
  const { exit, stdout, stderr } = await ivrctl(["doctor"], { cwd, env });
  const found = await doctor(cwd, env);
  expect(exit).toBe(found.exit);
  expectNoToken(stdout + stderr);
  return { ...found, text: stdout, said: stdout + stderr + found.said };
}

function expectNoToken(said: string): void {
  expect(said).not.toContain(token);
  expect(said).not.toContain("\u001b");
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

export async function serve(reply: Reply) {
  const server = createServer(reply);
  await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}
