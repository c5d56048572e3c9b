import { freshSchema } from "./postgres.ts";
import { beginning, isUnbegun, project } from "./project.ts";
import { startIvrctl } from "./cli.ts";
import { ivrctl } from "./commands.ts";

/** Creates a project whose state is in a database. STATE_URL has its address. `env` is for processes. */
export function databaseProject(
  service: string,
  stateUrl: string,
  menus: Readonly<Record<string, string>>,
  { schema = freshSchema(), concurrency = 4, env = {} } = {},
) {
  const own = project(service, menus);
  own.write(
    "ivrctl.yaml",
    `version: 1
default_environment: test
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300, concurrency: ${concurrency} }
    state: { backend: postgres, url: "\${STATE_URL}", schema: ${schema} }
`,
  );
  const envOf = (url: string) => ({ ...own.env, STATE_URL: url });
  const runAt = (url: string, ...args: string[]) =>
    beginning(args, (all) => ivrctl(all, { cwd: own.path, env: envOf(url) }));
  const run = (...args: string[]) => runAt(stateUrl, ...args);
  return {
    ...own,
    schema,
    run,
    /** Runs a command with another address of the database. */
    runAt,
    start: (...args: string[]) =>
      startIvrctl(args, {
        begins: isUnbegun(own.path),
        cwd: own.path,
        env: { ...envOf(stateUrl), ...env },
      }),
    json: async (...args: string[]) => {
      const { exit, stdout, stderr } = await run(...args, "--format", "json");
      return { exit, stderr, value: JSON.parse(stdout) };
    },
  };
}
