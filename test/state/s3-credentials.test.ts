import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { folder } from "../support/cli.ts";
import { settingsOf, storeWith } from "../support/s3.ts";
import { nothing, stubBucket } from "../support/stub-bucket.ts";

const secret = "hunter2";

/** An environment without credentials. */
beforeEach(() => {
  for (const name of Object.keys(process.env))
    if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", folder({}));
});

/** Returns the access key that the store received. */
async function askedAs(): Promise<{ key: string | undefined; token: unknown }> {
  const { endpoint, asked } = await stubBucket(() => nothing);
  const settings = settingsOf({ bucket: "states", endpoint });
  await storeWith(settings).read();
  expect(asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(asked)).not.toContain(secret);
  const headers = asked[0]?.headers;
  return {
    key: /Credential=([^/]+)\//.exec(String(headers?.["authorization"]))?.[1],
    token: headers?.["x-amz-security-token"],
  };
}

const later = new Date(Date.now() + 3_600_000).toISOString();

describe("credentials come from the usual chain:", () => {
  test("the environment", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "of-the-environment");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret);
    expect(await askedAs()).toEqual({ key: "of-the-environment", token: undefined });
    vi.stubEnv("AWS_SESSION_TOKEN", "session");
    expect(await askedAs()).toEqual({ key: "of-the-environment", token: "session" });
  });

  test("a profile", async () => {
    const files = folder({
      credentials: `[default]
aws_access_key_id = of-nobody
aws_secret_access_key = ${secret}
[ivr]
aws_access_key_id = of-the-profile
aws_secret_access_key = ${secret}
`,
    });
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(files, "credentials"));
    vi.stubEnv("AWS_PROFILE", "ivr");
    expect(await askedAs()).toEqual({ key: "of-the-profile", token: undefined });
  });

  test("a command in a profile", async () => {
    const answer = { Version: 1, AccessKeyId: "of-the-command", SecretAccessKey: secret };
    const files = folder({ "answer.json": JSON.stringify(answer) });
    const config = folder({
      config: `[profile ivr]\ncredential_process = cat ${join(files, "answer.json")}\n`,
    });
    vi.stubEnv("AWS_CONFIG_FILE", join(config, "config"));
    vi.stubEnv("AWS_PROFILE", "ivr");
    expect((await askedAs()).key).toBe("of-the-command");
  });

  test("a web identity token, as CI jobs have it", async () => {
    const sts = await stubBucket(() => ({
      status: 200,
      headers: { "content-type": "text/xml" },
      body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>of-the-role</AccessKeyId>
        <SecretAccessKey>${secret}</SecretAccessKey><SessionToken>session</SessionToken>
        <Expiration>${later}</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>`,
    }));
    const files = folder({ token: "a.web.identity" });
    vi.stubEnv("AWS_ENDPOINT_URL_STS", sts.endpoint);
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/ivr");
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", join(files, "token"));
    expect(await askedAs()).toEqual({ key: "of-the-role", token: "session" });
    expect(sts.asked).toHaveLength(1);
  });

  test("reports a web identity that the role does not trust", async () => {
    const sts = await stubBucket(() => ({
      status: 403,
      headers: { "content-type": "text/xml" },
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
        <Message>a.web.identity</Message></Error></ErrorResponse>`,
    }));
    const files = folder({ token: "a.web.identity" });
    vi.stubEnv("AWS_ENDPOINT_URL_STS", sts.endpoint);
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/ivr");
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", join(files, "token"));
    const refused = {
      code: "IVR604",
      message: expect.stringMatching(/credentials .* AccessDenied/),
    };
    await expect(askedAs()).rejects.toMatchObject(refused);
    await expect(askedAs()).rejects.not.toMatchObject({
      message: expect.stringContaining("a.web.identity"),
    });
  });

  test("the instance", async () => {
    const metadata = await stubBucket(({ path }) => {
      if (path === "/latest/api/token") return { status: 200, body: "metadata-token" };
      if (path.endsWith("/security-credentials/")) return { status: 200, body: "ivr" };
      return {
        status: 200,
        body: JSON.stringify({
          Code: "Success",
          AccessKeyId: "of-the-instance",
          SecretAccessKey: secret,
          Token: "session",
          Expiration: later,
        }),
      };
    });
    vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.endpoint);
    expect(await askedAs()).toEqual({ key: "of-the-instance", token: "session" });
    expect(metadata.asked.length).toBeGreaterThan(1);
  });

  test("the container", async () => {
    const container = await stubBucket(() => ({
      status: 200,
      body: JSON.stringify({
        AccessKeyId: "of-the-container",
        SecretAccessKey: secret,
        Token: "session",
        Expiration: later,
      }),
    }));
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${container.endpoint}/creds`);
    expect((await askedAs()).key).toBe("of-the-container");
  });
});
