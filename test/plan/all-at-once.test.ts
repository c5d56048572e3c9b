import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, project } from "../support/project.ts";

/** An address without a server. */
const nowhere = "http://127.0.0.1:9";

const applying = ["apply", "--auto-approve"];

/** The file and the code of each problem, in the order shown. */
function problems(stdout: string): string[] {
  const { diagnostics }: { diagnostics: { code: string; file: string; message: string }[] } =
    JSON.parse(stdout);
  return diagnostics.map(({ code, file, message }) =>
    code === "IVR403" ? `${file} ${/\b[A-Z_]{2,}\b/.exec(message)?.[0]}` : `${file} ${code}`,
  );
}

async function invalidProject() {
  const own = project(nowhere, { a: menu("A", "Asha Rao", "nonsense: 1\n"), b: menu("") });
  await own.run("state", "init");
  const reported = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { exit, stdout, stderr } = await ivrctl([...args, "--format", "json"], {
      cwd: own.path,
      env,
    });
    expect(exit).toBe(1);
    for (const problem of problems(stdout)) expect(stderr).toContain(problem.split(" ")[0]);
    return problems(stdout);
  };
  return { ...own, reported };
}

const menus = ["ivrs/a.yaml IVR201", "ivrs/b.yaml IVR202"];

describe("plan and apply report the errors in all files", () => {
  test.for([["plan"], applying])("%j without variables", async (words) => {
    const { reported } = await invalidProject();
    expect(await reported(words)).toEqual(["ivrctl.yaml BASE_URL", "ivrctl.yaml TOKEN", ...menus]);
    expect(await reported(words, { BASE_URL: nowhere })).toEqual(["ivrctl.yaml TOKEN", ...menus]);
  });

  test.for([["plan"], applying])("%j with an invalid configuration", async (words) => {
    const { reported, write, env } = await invalidProject();
    write("ivrctl.yaml", "version: 1\nfoo: 1\nenvironments: { test: { service: sandbox } }\n");
    expect(await reported([...words, "--env", "test"], env)).toEqual([
      "ivrctl.yaml IVR201",
      ...menus,
    ]);
  });

  test.for([["plan"], applying])("%j with a service that does not answer", async (words) => {
    const { reported, env } = await invalidProject();
    expect(await reported(words, env)).toEqual(["ivrctl.yaml IVR503", ...menus]);
  });

  test("plan with --agents needs no token", async () => {
    const { reported, write } = await invalidProject();
    write("agents.json", "[]");
    expect(await reported(["plan", "--agents", "agents.json"])).toEqual([
      "ivrctl.yaml BASE_URL",
      ...menus,
    ]);
  });
});

test("agents reports every variable that it needs", async () => {
  const { reported, write } = await invalidProject();
  write(
    "ivrctl.yaml",
    `version: 1
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: { command: [cat, "\${TOKEN_FILE}"] } }
    state: { backend: postgres, url: "\${STATE_URL}" }
`,
  );
  const all = ["ivrctl.yaml BASE_URL", "ivrctl.yaml TOKEN_FILE", "ivrctl.yaml STATE_URL"];
  expect(await reported(["agents", "--env", "test"])).toEqual(all);
  const rest = ["ivrctl.yaml IVR606", ...all.slice(1)];
  expect(await reported(["agents", "--env", "test"], { BASE_URL: nowhere })).toEqual(rest);
});
