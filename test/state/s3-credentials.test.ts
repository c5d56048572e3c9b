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

describe("credentials come from the usual chain:", () => {
  test("the environment", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "of-the-environment");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret);
    expect(await askedAs()).toEqual({ key: "of-the-environment", token: undefined });
    vi.stubEnv("AWS_SESSION_TOKEN", "session");
    expect(await askedAs()).toEqual({ key: "of-the-environment", token: "session" });
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
});
