import { execFile, execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loginVariables } from "../../src/deploy/state/git/login.ts";
import { secrets } from "../../src/util/secrets.ts";
import { folder } from "../support/cli.ts";
import { environment } from "../support/environment.ts";
import { listen } from "../support/listen.ts";

/** Starts a server that answers nothing useful. Returns the Authorization headers that it got. */
async function server() {
  const seen: string[][] = [];
  const server = createServer((request, response) => {
    const { rawHeaders } = request;
    seen.push(rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === "authorization"));
    response.writeHead(404).end();
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, seen };
}

/** Runs git in a clone with these settings. */
async function listRemote(
  url: string,
  variables: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const cwd = folder({});
  const env = { ...environment(), ...variables, GIT_TERMINAL_PROMPT: "0" };
  execFileSync("git", ["init", "--quiet"], { cwd });
  for (const [name, value] of Object.entries(settings)) {
    execFileSync("git", ["config", name, value], { cwd });
  }
  await promisify(execFile)("git", ["ls-remote", url], { cwd, env }).catch(() => {});
}

const login = { user: "x-access-token", token: "ghs_t0ken" };
const sent = `basic ${Buffer.from("x-access-token:ghs_t0ken").toString("base64")}`;

test("git sends the login to the server", async () => {
  const { url, seen } = await server();
  await listRemote(`${url}/acme/phone.git`, loginVariables(url, login, {}));
  expect(seen).toEqual([[sent]]);
});

test.each(["the same server", "all servers"])(
  "git sends it once, even if the clone has a header for %s",
  async (which) => {
    const { url, seen } = await server();
    const name = which === "all servers" ? "http.extraheader" : `http.${url}/.extraheader`;
    const settings = { [name]: "AUTHORIZATION: basic b3RoZXI=" };
    await listRemote(`${url}/acme/phone.git`, loginVariables(url, login, {}), settings);
    expect(seen).toEqual([[sent]]);
  },
);

test("git sends it once, even if the address has a password", async () => {
  const { url, seen } = await server();
  const address = `${url.replace("//", "//ci:password@")}/acme/phone.git`;
  await listRemote(address, loginVariables(url, login, {}));
  expect(seen).toEqual([[sent]]);
});

test("git does not send it to another server, or to another folder of the server", async () => {
  const { url, seen } = await server();
  await listRemote(`${url}/acme/phone.git`, loginVariables("https://github.com", login, {}));
  await listRemote(`${url}/other/phone.git`, loginVariables(`${url}/gitlab/`, login, {}));
  expect(seen).toEqual([[], []]);
  await listRemote(`${url}/gitlab/acme/phone.git`, loginVariables(`${url}/gitlab/`, login, {}));
  expect(seen).toEqual([[], [], [sent]]);
});

test("settings that the job has already stay", async () => {
  const { url, seen } = await server();
  const settings = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${url}/.insteadOf`,
    GIT_CONFIG_VALUE_0: "short:",
  };
  await listRemote("short:acme/phone.git", {
    ...settings,
    ...loginVariables(url, login, settings),
  });
  expect(seen).toEqual([[sent]]);
});

test("the login is masked", () => {
  secrets.clear();
  loginVariables("https://github.com", login, {});
  expect(secrets.mask(`AUTHORIZATION: ${sent}`)).not.toContain(sent);
  expect(secrets.mask("bearer ghs_t0ken")).toBe("bearer ***");
});
