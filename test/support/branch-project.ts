import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { startIvrctl } from "./cli.ts";
import { ivrctl } from "./commands.ts";
import { gitRemote } from "./git-remote.ts";
import { beginning, isUnbegun, project } from "./project.ts";

/** Creates a project whose state is on a branch of a new repository. */
export function branchProject(
  service: string,
  menus: Readonly<Record<string, string>>,
  { concurrency = 4 } = {},
) {
  const remote = gitRemote();
  const own = project(service, menus);
  const useBackend = (backend: string) =>
    own.write(
      "ivrctl.yaml",
      `version: 1
default_environment: test
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300, concurrency: ${concurrency} }
    state: { backend: ${backend} }
`,
    );
  useBackend("git");
  execFileSync("git", ["init", "--quiet"], { cwd: own.path });
  execFileSync("git", ["remote", "add", "origin", remote.path], { cwd: own.path });
  const runIn =
    (cwd: string) =>
    (...args: string[]) =>
      beginning(args, (all) => ivrctl(all, { cwd, env: own.env }));
  /** Makes a new clone with the same files, as another machine has. */
  const elsewhere = () => {
    const clone = remote.clone();
    const isOwn = (path: string) => /\/\.git|\/\.ivrctl\/seen/.test(path);
    cpSync(own.path, clone, { recursive: true, filter: (path) => !isOwn(path) });
    return { path: clone, run: runIn(clone) };
  };
  return {
    ...own,
    remote,
    useBackend,
    run: runIn(own.path),
    start: (...args: string[]) =>
      startIvrctl(args, { begins: isUnbegun(own.path), cwd: own.path, env: own.env }),
    elsewhere,
    /** Runs a command in a new clone. */
    runElsewhere: (...args: string[]) => elsewhere().run(...args),
  };
}
