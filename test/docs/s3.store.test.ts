import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RadosgwKeys } from "../../scripts/radosgw.mjs";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { radosgw } from "../support/radosgw.ts";
import { credentialsOf } from "../support/s3.ts";
import { needs } from "../support/needs.ts";
import { environment } from "../support/environment.ts";

const server = radosgw();
needs("aws");

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/state-s3.md"), "utf8");

/** The code blocks with this language under a heading. */
function fences(heading: string, kind: string): string[] {
  const [section = ""] = page.slice(page.indexOf(`## ${heading}\n`) + 3).split(/^##/m, 1);
  const found = section.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, "gms"));
  // Replace the environment, whose state has no id, and Amazon's roles by users of this store.
  return [...found].map(([, text = ""]) =>
    text
      .replaceAll("/production/ID/", "/sandbox/")
      .replaceAll("arn:aws:iam::111122223333:role/", "arn:aws:iam:::user/"),
  );
}

/** The example with its states in the bucket, and a shell with these files. */
function setting(bucket: string, files: Readonly<Record<string, string>> = {}) {
  const { endpoint } = server();
  const cwd = folder(files);
  const settings = /^ {4}(state: \{ backend: s3, .*\})$/m.exec(page)?.[1] ?? "";
  const inBucket = settings.replace("eu-west-1", "us-east-1").replace("my-ivr-state", bucket);
  const config = readFileSync(join(root, "ivrctl.yaml"), "utf8");
  const project = exampleProject({
    "ivrctl.yaml": config.replaceAll(
      /^ {4}(?:service: sandbox|max_creates: .*)\n/gm,
      `$&    ${inBucket}\n`,
    ),
  });
  return {
    run: (keys: RadosgwKeys, ...args: string[]) =>
      ivrctl(args, {
        cwd: project,
        env: {
          ...credentialsOf(keys),
          AWS_ENDPOINT_URL_S3: endpoint,
          TELEPHONY_BASE_URL: "https://api.example.com",
        },
      }),
    shell: (keys: RadosgwKeys, lines: string) =>
      execFileSync("sh", ["-ec", lines.replaceAll(/^aws /gm, `aws --endpoint-url ${endpoint} `)], {
        cwd,
        env: {
          ...environment(),
          ...credentialsOf(keys),
          AWS_DEFAULT_REGION: "us-east-1",
          // A newer version sends checksums that this store does not support.
          AWS_REQUEST_CHECKSUM_CALCULATION: "when_required",
          AWS_EC2_METADATA_DISABLED: "true",
        },
        stdio: "pipe",
        encoding: "utf8",
      }),
  };
}

test("the bucket setup in the docs works: one role can add and no more, another can only read", async () => {
  const [policy = ""] = fences("The bucket", "json");
  const { run, shell } = setting("my-ivr-state", { "policy.json": policy });
  const [applying, planning] = [server().user("ivr-apply"), server().user("ivr-plan")];
  shell(server(), fences("The bucket", "text")[0] ?? "");

  expect((await run(applying, "apply", "--auto-approve")).exit).toBe(0);
  expect((await run(planning, "plan", "--detailed-exitcode")).exit).toBe(0);
  expect((await run(planning, "state", "history")).exit).toBe(0);
  const refused = await run(planning, "state", "rm", "example", "--auto-approve");
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toMatch(/IVR604[^]*to s3:PutObject/);
  expect((await run(applying, "state", "mv", "example", "there")).exit).toBe(0);
  expect((await run(applying, "state", "mv", "there", "example")).exit).toBe(0);

  const init = ["state", "init", "--env", "production"] as const;
  expect((await run(planning, ...init)).stderr).toMatch(/IVR604[^]*to s3:PutObject/);
  expect(server().keys("my-ivr-state", "team-a/production/")).toEqual([]);
  expect((await run(applying, ...init)).exit).toBe(0);
  expect((await run(planning, "state", "list", "--env", "production")).exit).toBe(0);

  const log = "team-a/sandbox/log/000000000003";
  for (const keys of [applying, planning]) {
    expect(shell(keys, "aws s3 ls s3://my-ivr-state/team-a/")).toContain("sandbox/");
    expect(() => shell(keys, "aws s3 ls s3://my-ivr-state/team-b/")).toThrow("Command failed");
    expect(() => shell(keys, `aws s3 rm s3://my-ivr-state/${log}`)).toThrow("delete failed");
  }
  expect(server().keys("my-ivr-state", log)).toEqual([log]);
});

test("edited and lost objects can be restored as the docs say", async () => {
  const bucket = "my-ivr-state-2";
  const of = (lines: string) => lines.replaceAll("my-ivr-state", bucket);
  const { run, shell } = setting(bucket);
  const owner = server();
  shell(owner, `aws s3 mb s3://${bucket}`);
  expect((await run(owner, "apply", "--auto-approve")).exit).toBe(0);
  const before = (await run(owner, "state", "pull")).stdout;

  const versioning = "--versioning-configuration Status=Enabled";
  shell(owner, `aws s3api put-bucket-versioning --bucket ${bucket} ${versioning}`);
  const unsafe = await run(owner, "state", "mv", "example", "there");
  expect(unsafe.exit).toBe(1);
  expect(unsafe.stderr).toMatch(/IVR676[^]*versioning/);

  const log = "team-a/sandbox/log/000000000003";
  shell(owner, `echo edited > edited\naws s3 cp edited s3://${bucket}/${log}`);
  // The snapshot has the state, but the history needs every block.
  const pulled = await run(owner, "state", "pull");
  expect([pulled.exit, pulled.stdout]).toEqual([1, ""]);
  expect(pulled.stderr).toMatch(/IVR603[^]*sandbox\/log\/000000000003/);
  const [restore = ""] = fences("Backup and restore", "text").map(of);
  const copies = [...page.matchAll(/`(aws s3 sync [^`]+)`/g)].map(([, line = ""]) => of(line));
  const [list = "", ...rest] = restore.split("\n");
  const { Versions: versions } = JSON.parse(shell(owner, list));
  shell(owner, rest.join("\n").replace("FIRST", versions.at(-1).VersionId));
  expect((await run(owner, "state", "pull")).stdout).toBe(before);

  shell(owner, ["aws s3 mb s3://my-other-state", ...copies].join("\n"));
  expect((await setting("my-other-state").run(owner, "state", "pull")).stdout).toBe(before);
});
