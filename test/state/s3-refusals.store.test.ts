import { createServer } from "node:https";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { StateProblem } from "../../src/deploy/state/lock.ts";
import { certificate } from "../support/certificate.ts";
import { folder } from "../support/cli.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { bucket, freshPrefix, radosgw } from "../support/radosgw.ts";
import { credentialsOf, settingsOf, storeWith } from "../support/s3.ts";
import { type StubAnswer, type StubRequest, nothing, stubBucket } from "../support/stub-bucket.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun } from "./events.ts";
import { hintText } from "../../src/util/suggest.ts";

const server = radosgw();

const secret = "hunter2-session";
beforeEach(() => {
  const { accessKey, secretKey } = server();
  as({ accessKey, secretKey });
});

function as(keys: Parameters<typeof credentialsOf>[0]) {
  for (const [name, value] of Object.entries(credentialsOf(keys))) vi.stubEnv(name, value);
}

const storeFor = (texts: Parameters<typeof settingsOf>[0]) =>
  storeWith(settingsOf({ bucket, prefix: freshPrefix(), endpoint: server().endpoint, ...texts }));

/** Returns the problem, and expects that it contains neither a secret nor the store's own message. */
async function problemOf(act: Promise<unknown>): Promise<StateProblem> {
  const problem = await act.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof StateProblem)) throw new Error("no problem", { cause: problem });
  expect(problem.message + hintText(problem.hint ?? "")).not.toMatch(/hunter2|in its own words/);
  return problem;
}

describe("the problem of a store that cannot be used:", () => {
  test("a missing bucket", async () => {
    const problem = await problemOf(storeFor({ bucket: "nowhere" }).read());
    expect([problem.code, hintText(problem.hint ?? "")]).toEqual([
      "IVR604",
      expect.stringContaining("`bucket:`"),
    ]);
    expect(problem.message).toMatch(
      /^s3:\/\/nowhere\/.* refused the request: it answers NoSuchBucket \(HTTP 404\) to s3:ListBucket\.$/,
    );
  });

  test("unknown or wrong access keys", async () => {
    for (const keys of [
      { accessKey: "nobody", secretKey: "hunter2" },
      { accessKey: server().accessKey, secretKey: "hunter2" },
    ]) {
      as(keys);
      const problem = await problemOf(storeFor({}).read());
      expect(problem).toMatchObject({ code: "IVR604" });
      expect(problem.hint).toContain("AWS_ACCESS_KEY_ID");
    }
  });

  test("a missing permission, with its name", async () => {
    as(server().user("stranger"));
    expect((await problemOf(storeFor({}).read())).message).toContain(
      "answers AccessDenied (HTTP 403) to s3:ListBucket",
    );
  });

  test("no server at that port, and an unknown host", async () => {
    const refused = await problemOf(
      storeFor({ endpoint: `http://127.0.0.1:${await quietPort()}` }).read(),
    );
    expect(refused).toMatchObject({ code: "IVR671", hint: expect.stringContaining("`endpoint:`") });
    expect(refused.message).toContain("cannot connect: connection refused");
    const unknown = await problemOf(storeFor({ endpoint: "https://nowhere.invalid" }).read());
    expect(unknown.message).toMatch(/cannot connect: (unknown host name|DNS lookup failed)/);
  });

  test("an untrusted certificate, and a server without TLS", async () => {
    const { port } = await stubBucket(
      () => nothing,
      (listener) => createServer(certificate(), listener),
    );
    const endpoint = `https://localhost:${port}`;
    const insecure = await problemOf(storeFor({ endpoint }).read());
    expect(insecure).toMatchObject({ code: "IVR671" });
    expect(insecure.message).toContain("no secure connection: the certificate is self-signed");
    expect(insecure.hint).toContain("NODE_EXTRA_CA_CERTS");
    const plain = await stubBucket(() => nothing);
    const spoken = await problemOf(
      storeFor({ endpoint: `https://localhost:${plain.port}` }).read(),
    );
    expect(spoken.message).toContain("does not use TLS");
    expect(plain.asked).toEqual([]);
  });

  const headers = { location: "http://127.0.0.1:1/" };
  test.for<readonly [StubAnswer, words: string, StubAnswer["code"]?]>([
    // A redirect is not followed.
    [{ status: 301, code: "PermanentRedirect", headers }, "in a different region"],
    [{ status: 307, code: "x" }, "in a different region"],
    [{ status: 400, code: "AuthorizationHeaderMalformed" }, "in a different region"],
    [{ status: 403, code: "RequestTimeTooSkewed" }, "Set the clock of this machine"],
    [{ status: 400, code: "ExpiredToken", message: secret }, "must not have expired"],
    [
      { status: 403, code: "AccessDenied", message: "not authorized to perform: kms:Decrypt on x" },
      "Check `kms_key:`",
    ],
    [{ status: 400, code: "KMS.DisabledException" }, "answers KMS.DisabledException"],
    [{ status: 503, code: "SlowDown" }, "not available: it answers SlowDown (HTTP 503)", "IVR671"],
    [{ status: 418, code: "Teapot" }, "it answers Teapot (HTTP 418)"],
    [{ status: 418, code: "&#27;[31m" }, "answers an error (HTTP 418)"],
    [{ status: 404, body: "<html>" }, "HTTP 404"],
    [{ status: 200, body: "<html>hello" }, "not that of an object store"],
    [{ status: 200, body: "hello" }, "not that of an object store"],
    [{ status: 200, body: "" }, "not that of an object store"],
  ])("%j", async ([answer, words, code = "IVR604"]) => {
    vi.stubEnv("AWS_SESSION_TOKEN", secret);
    const { endpoint, asked } = await stubBucket(() => answer);
    const problem = await problemOf(storeFor({ endpoint }).read());
    expect(problem.code).toBe(code);
    expect(`${problem.message} ${hintText(problem.hint ?? "")}`).toContain(words);
    if (code === "IVR604") expect(asked).toHaveLength(1);
  });

  test("no credentials", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("HOME", folder({}));
    const problem = await problemOf(storeFor({}).read());
    expect(problem).toMatchObject({ code: "IVR604" });
    expect(problem.message).toContain("There are no credentials for s3://");
    for (const word of ["AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"])
      expect(problem.hint).toContain(word);
  });

  test("no region", async () => {
    vi.stubEnv("AWS_REGION", undefined);
    vi.stubEnv("HOME", folder({}));
    const settings = settingsOf({ bucket });
    const store = storeWith(settings);
    const problem = await problemOf(store.read());
    expect(problem).toMatchObject({ code: "IVR604", hint: expect.stringContaining("AWS_REGION") });
    expect(problem.message).toContain("The region of the bucket is not set");
  });
});

describe("refuses a store without conditional writes before it stores anything:", () => {
  test.for<readonly [StubAnswer, message: string]>([
    [{ status: 200 }, "If-None-Match: 8 of 8 simultaneous requests created the same object"],
    [{ status: 501, code: "NotImplemented" }, "it answers NotImplemented (HTTP 501)"],
    [
      { status: 400, code: "InvalidArgument", message: "If-None-Match is not supported" },
      "does not support conditional writes: it answers InvalidArgument (HTTP 400)",
    ],
  ])("%j", async ([put, message]) => {
    const { endpoint, asked } = await stubBucket(({ method }) =>
      method === "PUT" ? put : nothing,
    );
    const problem = await problemOf(storeFor({ endpoint }).lock(claim("run-1")));
    expect(problem).toMatchObject({ code: "IVR676", message: expect.stringContaining(message) });
    expect(problem.message).toContain("overwrite each other's records");
    const written = asked.filter(({ method }) => method === "PUT");
    for (const { path, headers } of written) {
      expect(path).toMatch(/\/production\/probe/);
      expect(headers["if-none-match"]).toBe("*");
    }
  });
});

test("does not refuse a store with conditional writes that is busy during the first check", async () => {
  let count = 0;
  // Every second of the simultaneous requests is refused.
  const isBusy = ({ path }: StubRequest) => path.includes("/probes/") && (count += 1) % 2 === 0;
  const { endpoint, asked } = await memoryBucket({ isBusy });
  await (await sessionOf(storeFor({ endpoint }))).close();
  const probes = asked.filter(({ path }) => path.includes("/probe"));
  expect(probes).toHaveLength(9);
});

test("sends the encryption settings with every object", async () => {
  const texts = { encryption: "aws:kms", kms_key: "alias/ivr" } as const;
  const { endpoint, asked } = await memoryBucket();
  const session = await sessionOf(storeFor({ endpoint, ...texts }));
  await session.append(begun("production"));
  await session.close();
  const puts = asked.filter(({ method }) => method === "PUT");
  expect(puts.length).toBeGreaterThan(3);
  for (const { headers } of puts) {
    expect(headers).toMatchObject({
      "x-amz-server-side-encryption": "aws:kms",
      "x-amz-server-side-encryption-aws-kms-key-id": "alias/ivr",
      "content-md5": expect.any(String),
    });
  }
  expect(JSON.stringify(puts)).not.toContain("x-amz-checksum");
});
