import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import type { Radosgw } from "../../scripts/radosgw.mjs";
import { ivrctl } from "./commands.ts";
import { gitRemote } from "./git-remote.ts";
import { freshSchema } from "./postgres.ts";
import { beginning, project } from "./project.ts";
import { bucket, freshPrefix } from "./radosgw.ts";
import { credentialsOf } from "./s3.ts";

type Menus = Readonly<Record<string, string>>;

const service = (concurrency: number) => `concurrency: ${concurrency}`;

/** Creates a project whose state is in a database. STATE_URL has its address. `env` is for processes. */
export function databaseProject(
  url: string,
  stateUrl: string,
  menus: Menus,
  { schema = freshSchema(), concurrency = 4, env = {} } = {},
) {
  const state = `backend: postgres, url: "\${STATE_URL}", schema: ${schema}`;
  const variables = { env: { STATE_URL: stateUrl }, envOfProcesses: env };
  return {
    ...project(url, menus, { service: service(concurrency), state, ...variables }),
    schema,
  };
}

/** Creates a project whose state is in the test bucket. `endpoint` can be a proxy of the store. */
export function bucketProject(
  url: string,
  server: Radosgw,
  menus: Menus,
  { prefix = freshPrefix(), concurrency = 4, endpoint = server.endpoint } = {},
) {
  const state = `backend: s3, bucket: ${bucket}, prefix: ${prefix}, endpoint: "\${ENDPOINT}"`;
  const env = { ...credentialsOf(server), ENDPOINT: endpoint };
  return { ...project(url, menus, { service: service(concurrency), state, env }), prefix };
}

/** Creates a project whose state is on a branch of a new repository. */
export function branchProject(url: string, menus: Menus, { concurrency = 4 } = {}) {
  const remote = gitRemote();
  const newProject = project(url, menus, { service: service(concurrency), state: "backend: git" });
  execFileSync("git", ["init", "--quiet"], { cwd: newProject.path });
  execFileSync("git", ["remote", "add", "origin", remote.path], { cwd: newProject.path });
  /** Makes a new clone with the same files, as another machine has. */
  const elsewhere = () => {
    const cwd = remote.clone();
    const isOwn = (path: string) => /\/\.git|\/\.ivrctl\/seen/.test(path);
    cpSync(newProject.path, cwd, { recursive: true, filter: (path) => !isOwn(path) });
    const run = (...args: string[]) =>
      beginning(args, (all) => ivrctl(all, { cwd, env: newProject.env }));
    return { path: cwd, run };
  };
  return {
    ...newProject,
    remote,
    elsewhere,
    /** Runs a command in a new clone. */
    runElsewhere: (...args: string[]) => elsewhere().run(...args),
  };
}
