import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, project } from "../support/project.ts";

/** Nobody is there. */
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

function faulty() {
  const own = project(nowhere, { a: menu("A", "Asha Rao", "nonsense: 1\n"), b: menu("") });
  const said = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { exit, stdout, stderr } = await ivrctl([...args, "--format", "json"], {
      cwd: own.path,
      env,
    });
    expect(exit).toBe(1);
    for (const problem of problems(stdout)) expect(stderr).toContain(problem.split(" ")[0]);
    return problems(stdout);
  };
  return { ...own, said };
}

const menus = ["ivrs/a.yaml IVR201", "ivrs/b.yaml IVR202"];

describe("plan and apply tell of all files, whatever keeps the plan from being made", () => {
  test.for([["plan"], applying])("%j: variables that are not set", async (words) => {
    const { said } = faulty();
    expect(await said(words)).toEqual(["ivrctl.yaml BASE_URL", "ivrctl.yaml TOKEN", ...menus]);
    expect(await said(words, { BASE_URL: nowhere })).toEqual(["ivrctl.yaml TOKEN", ...menus]);
  });

  test.for([["plan"], applying])("%j: a configuration at fault", async (words) => {
    const { said, write, env } = faulty();
    write("ivrctl.yaml", "version: 1\nfoo: 1\nenvironments: { test: { service: sandbox } }\n");
    expect(await said([...words, "--env", "test"], env)).toEqual(["ivrctl.yaml IVR201", ...menus]);
  });

  test.for([["plan"], applying])("%j: a service that does not answer", async (words) => {
    const { said, env } = faulty();
    expect(await said(words, env)).toEqual(["ivrctl.yaml IVR503", ...menus]);
  });

  test("a list that is given needs no token", async () => {
    const { said, write } = faulty();
    write("agents.json", "[]");
    expect(await said(["plan", "--agents", "agents.json"])).toEqual([
      "ivrctl.yaml BASE_URL",
      ...menus,
    ]);
  });
});

test.for([["check"], ["agents"]])("%j tells of every variable that it needs", async (words) => {
  const { said, write } = faulty();
  write(
    "ivrctl.yaml",
    `version: 1
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: { command: [cat, "\${TOKEN_FILE}"] } }
    state: { backend: postgres, url: "\${STATE_URL}" }
`,
  );
  const state = words[0] === "check" ? ["ivrctl.yaml STATE_URL"] : [];
  const all = ["ivrctl.yaml BASE_URL", "ivrctl.yaml TOKEN_FILE", ...state];
  expect(await said([...words, "--env", "test"])).toEqual(all);
  const rest = all.slice(1);
  expect(await said([...words, "--env", "test"], { BASE_URL: nowhere })).toEqual(rest);
});
