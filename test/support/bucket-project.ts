import type { Radosgw } from "../../scripts/radosgw.mjs";
import { startIvrctl } from "./cli.ts";
import { ivrctl } from "./commands.ts";
import { beginning, isUnbegun, project } from "./project.ts";
import { bucket, freshPrefix } from "./radosgw.ts";
import { credentialsOf } from "./s3.ts";

/** Creates a project whose state is in the test bucket. `endpoint` can be a proxy of the store, and `env` is for processes. */
export function bucketProject(
  service: string,
  server: Radosgw,
  menus: Readonly<Record<string, string>>,
  { prefix = freshPrefix(), concurrency = 4, endpoint = server.endpoint, env = {} } = {},
) {
  const own = project(service, menus);
  own.write(
    "ivrctl.yaml",
    `version: 1
default_environment: test
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300, concurrency: ${concurrency} }
    state: { backend: s3, bucket: ${bucket}, prefix: ${prefix}, endpoint: "\${ENDPOINT}" }
`,
  );
  const envAt = (ENDPOINT: string) => ({ ...own.env, ...credentialsOf(server), ENDPOINT });
  const runAt =
    (at: string) =>
    (...args: string[]) =>
      beginning(args, (all) => ivrctl(all, { cwd: own.path, env: envAt(at) }));
  const jsonAt =
    (at: string) =>
    async (...args: string[]) => {
      const { exit, stdout, stderr } = await runAt(at)(...args, "--format", "json");
      return { exit, stderr, value: JSON.parse(stdout) };
    };
  return {
    ...own,
    prefix,
    run: runAt(endpoint),
    json: jsonAt(endpoint),
    /** Connects directly to the store, not through `endpoint`. */
    runPast: runAt(server.endpoint),
    jsonPast: jsonAt(server.endpoint),
    start: (...args: string[]) =>
      startIvrctl(args, {
        begins: isUnbegun(own.path),
        cwd: own.path,
        env: { ...envAt(endpoint), ...env },
      }),
  };
}
