import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { service, token } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

/** A project with these environments. Those with a name in capital letters have a real service. */
function place(...names: string[]) {
  const environments = names.map((name) =>
    name === name.toLowerCase()
      ? `  ${name}: { service: sandbox }\n`
      : `  ${name}: { service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" } }\n`,
  );
  return folder({
    "ivrctl.yaml": `version: 1\nenvironments:\n${environments.join("")}`,
  });
}

async function pull(cwd: string, ...answers: string[]) {
  const { url } = await service();
  const env = { BASE_URL: url, TOKEN: token };
  return atTerminal({ cwd, env, args: ["agents", "pull"], answers });
}

const environmentIn = (cwd: string, file = "agents.lock.json") =>
  JSON.parse(readFileSync(join(cwd, file), "utf8")).environment;

describe("agents pull at a terminal, with several environments", () => {
  test("suggests the only environment with a real service", async () => {
    const cwd = place("sandbox", "PROD");
    const { exit, screen } = await pull(cwd, "\n");
    expect(screen).toContain("Pull the agents of which environment? sandbox, PROD [PROD]: ");
    expect(exit).toBe(0);
    expect(environmentIn(cwd)).toBe("PROD");
  });

  test("suggests none of several real services, and asks until it knows one", async () => {
    const cwd = place("sandbox", "STAGING", "PROD");
    const { exit, screen } = await pull(cwd, "\n", "prof\n", "prod\n");
    expect(screen).toContain("which environment? sandbox, STAGING, PROD: ");
    expect(screen.split("Type one of sandbox, STAGING, PROD: ")).toHaveLength(3);
    expect(exit).toBe(0);
    expect(environmentIn(cwd, "agents.PROD.lock.json")).toBe("PROD");
  });

  test("exits with 130 after Ctrl-C, and writes nothing", async () => {
    const cwd = place("sandbox", "PROD");
    const { exit, screen } = await pull(cwd, "\u0003");
    expect(exit).toBe(130);
    expect(screen).toContain("Nothing was written.");
    expect(existsSync(join(cwd, "agents.lock.json"))).toBe(false);
  });
});
