import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { StateBranch } from "../../../ci/lib/state-branch.mjs";
import { folder } from "../../support/cli.ts";
import { serveGit } from "../../support/ci/git-server.ts";
import { Repository } from "../../support/ci/repository.ts";

const secret = `basic ${Buffer.from("x-access-token:t0ken").toString("base64")}`;

async function place(header: string) {
  const top = folder({});
  const repository = new Repository(top, "acme/phone");
  const server = await serveGit(top, secret);
  const project = folder({});
  const url = `${server.url}/acme/phone.git`;
  const about = { branch: "ivrctl-state", environment: "production", directory: ".", project };
  return { repository, server, branch: new StateBranch({ ...about, url, header }) };
}

test("sends one authorization header, even if a checkout left another", async () => {
  const { repository, server, branch } = await place(`AUTHORIZATION: ${secret}`);
  const left = `[http "${server.url}/"]\n\textraheader = AUTHORIZATION: basic b2xk\n`;
  writeFileSync(process.env["GIT_CONFIG_GLOBAL"] ?? "", left);
  branch.restore(await branch.lock("mine", {}));
  await branch.store({ lock: "mine", words: "State" });
  expect(server.refused).toEqual([]);
  expect(repository.kept("locks/production.json")).toBeUndefined();
  expect(repository.kept(".gitattributes")).toContain("-text");
});

test("does not show a refused token, and does not ask for another", async () => {
  const { branch } = await place("AUTHORIZATION: basic d3Jvbmc6dDBrZW4=");
  const refusal = await branch.look().catch((error: unknown) => String(error));
  expect(refusal).toContain("git ls-remote failed");
  expect(refusal).not.toContain("d3Jvbmc6dDBrZW4");
});
