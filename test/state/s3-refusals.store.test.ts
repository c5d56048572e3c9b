import { createServer } from "node:https";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { StateProblem } from "../../src/deploy/state/store.ts";
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
      /^s3:\/\/nowhere\/.* refused the request: the bucket does not exist\.$/,
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
      expect(problem.message).toContain("does not accept the credentials");
    }
  });

  test("a missing permission, with its name", async () => {
    as(server().user("stranger"));
    expect((await problemOf(storeFor({}).read())).message).toContain("do not allow s3:ListBucket");
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

  const answers: readonly (readonly [string, StubAnswer, StubAnswer["code"], RegExp])[] = [
    [
      "a redirect to a different region, which is not followed",
      { status: 301, code: "PermanentRedirect", headers: { location: "http://127.0.0.1:1/" } },
      "IVR604",
      /in a different region/,
    ],
    ["a redirect of some proxy", { status: 307, code: "x" }, "IVR604", /in a different region/],
    [
      "a signature for a different region",
      { status: 400, code: "AuthorizationHeaderMalformed" },
      "IVR604",
      /in a different region/,
    ],
    [
      "a wrong clock",
      { status: 403, code: "RequestTimeTooSkewed" },
      "IVR604",
      /clock of this machine differs too much/,
    ],
    [
      "expired credentials, which the store repeats",
      { status: 400, code: "ExpiredToken", message: `in its own words: ${secret}` },
      "IVR604",
      /does not accept the credentials/,
    ],
    [
      "an encryption key without permission",
      { status: 403, code: "AccessDenied", message: "not authorized to perform: kms:Decrypt on x" },
      "IVR604",
      /the encryption key cannot be used \(kms:Decrypt\)/,
    ],
    [
      "a disabled encryption key",
      { status: 400, code: "KMS.DisabledException" },
      "IVR604",
      /cannot be used \(KMS.DisabledException/,
    ],
    [
      "always busy",
      { status: 503, code: "SlowDown" },
      "IVR671",
      /is not available: it answers SlowDown \(HTTP 503\)/,
    ],
    [
      "an unknown error",
      { status: 418, code: "Teapot" },
      "IVR604",
      /it answers Teapot \(HTTP 418\)/,
    ],
    [
      "a code with control characters",
      { status: 418, code: "&#27;[31m" },
      "IVR604",
      /answers an error \(HTTP 418\)/,
    ],
    ["a page of some web server", { status: 404, body: "<html>" }, "IVR604", /HTTP 404/],
    [
      "a page instead of a list",
      { status: 200, body: "<html>hello" },
      "IVR604",
      /not that of an object store/,
    ],
    [
      "text instead of a list",
      { status: 200, body: "hello" },
      "IVR604",
      /not that of an object store/,
    ],
    [
      "nothing instead of a list",
      { status: 200, body: "" },
      "IVR604",
      /not that of an object store/,
    ],
  ];
  test.for(answers)("%s", async ([, answer, code, message]) => {
    vi.stubEnv("AWS_SESSION_TOKEN", secret);
    const { endpoint, asked } = await stubBucket(() => answer);
    const problem = await problemOf(storeFor({ endpoint }).read());
    expect(problem).toMatchObject({ code, message: expect.stringMatching(message) });
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
  const stores: readonly (readonly [string, StubAnswer, RegExp])[] = [
    [
      "it ignores the condition",
      { status: 200 },
      /ignores If-None-Match: 8 of 8 simultaneous requests created the same object/,
    ],
    [
      "it says that it cannot",
      { status: 501, code: "NotImplemented" },
      /does not support conditional writes: it answers NotImplemented \(HTTP 501\)/,
    ],
    [
      "it does not take the header",
      { status: 400, code: "InvalidArgument", message: "If-None-Match is not supported" },
      /does not support conditional writes: it answers InvalidArgument \(HTTP 400\)/,
    ],
  ];
  test.for(stores)("%s", async ([, put, message]) => {
    const { endpoint, asked } = await stubBucket(({ method }) =>
      method === "PUT" ? put : nothing,
    );
    const problem = await problemOf(storeFor({ endpoint }).lock(claim("run-1")));
    expect(problem).toMatchObject({ code: "IVR676", message: expect.stringMatching(message) });
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
