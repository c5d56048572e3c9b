import { createServer } from "node:https";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { S3Store } from "../../../src/deploy/state/s3/store.ts";
import { StateProblem } from "../../../src/deploy/state/store.ts";
import { certificate } from "../../support/certificate.ts";
import { folder } from "../../support/cli.ts";
import { bucket, freshPrefix, radosgw } from "../../support/radosgw.ts";
import { credentialsOf, settingsOf } from "../../support/s3.ts";
import { type StubAnswer, nothing, stubBucket } from "../../support/stub-bucket.ts";
import { claim, sessionOf } from "../../deploy/state/conformance.ts";
import { begun } from "../../deploy/state/events.ts";

const server = radosgw();

const secret = "hunter2-session";
beforeEach(() => {
  const { accessKey, secretKey } = server();
  as({ accessKey, secretKey });
});

function as(keys: Parameters<typeof credentialsOf>[0]) {
  for (const [name, value] of Object.entries(credentialsOf(keys))) vi.stubEnv(name, value);
}

const storeWith = (texts: Parameters<typeof settingsOf>[0]) =>
  new S3Store(
    {
      root: import.meta.dirname,
      settings: settingsOf({
        bucket,
        prefix: freshPrefix(),
        endpoint: server().endpoint,
        ...texts,
      }),
    },
    "production",
  );

/** What is said, which never holds a secret, nor what a store says in its own words. */
async function problemOf(act: Promise<unknown>): Promise<StateProblem> {
  const problem = await act.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof StateProblem)) throw new Error("no problem", { cause: problem });
  expect(problem.message + (problem.hint ?? "")).not.toMatch(/hunter2|in its own words/);
  return problem;
}

describe("a store that cannot be used is told as what it is:", () => {
  test("no such bucket", async () => {
    const problem = await problemOf(storeWith({ bucket: "nowhere" }).read());
    expect(problem).toMatchObject({ code: "IVR672", hint: expect.stringContaining("`bucket:`") });
    expect(problem.message).toMatch(/^s3:\/\/nowhere\/.* refuses: there is no such bucket\.$/);
  });

  test("keys that it does not know, or that are wrong", async () => {
    for (const keys of [
      { accessKey: "nobody", secretKey: "hunter2" },
      { accessKey: server().accessKey, secretKey: "hunter2" },
    ]) {
      as(keys);
      const problem = await problemOf(storeWith({}).read());
      expect(problem).toMatchObject({ code: "IVR672" });
      expect(problem.message).toContain("does not accept the credentials");
    }
  });

  test("somebody who may not, with the right that is lacking", async () => {
    as(server().user("stranger"));
    expect((await problemOf(storeWith({}).read())).message).toContain("may not do s3:ListBucket");
  });

  test("nobody listens, and no such host", async () => {
    const refused = await problemOf(storeWith({ endpoint: "http://127.0.0.1:1" }).read());
    expect(refused).toMatchObject({ code: "IVR671", hint: expect.stringContaining("`endpoint:`") });
    expect(refused.message).toContain("cannot connect: connection refused");
    const unknown = await problemOf(storeWith({ endpoint: "https://nowhere.invalid" }).read());
    expect(unknown.message).toMatch(/cannot connect: (unknown host name|DNS lookup failed)/);
  });

  test("a certificate that nobody vouches for, and no TLS at all", async () => {
    const { port } = await stubBucket(
      () => nothing,
      (listener) => createServer(certificate(), listener),
    );
    const endpoint = `https://localhost:${port}`;
    const insecure = await problemOf(storeWith({ endpoint }).read());
    expect(insecure).toMatchObject({ code: "IVR671" });
    expect(insecure.message).toContain("no secure connection: the certificate is self-signed");
    expect(insecure.hint).toContain("NODE_EXTRA_CA_CERTS");
    const plain = await stubBucket(() => nothing);
    const spoken = await problemOf(
      storeWith({ endpoint: `https://localhost:${plain.port}` }).read(),
    );
    expect(spoken.message).toContain("does not use TLS");
    expect(plain.asked).toEqual([]);
  });

  const answers: readonly (readonly [string, StubAnswer, StubAnswer["code"], RegExp])[] = [
    [
      "another region, whose address is not followed",
      { status: 301, code: "PermanentRedirect", headers: { location: "http://127.0.0.1:1/" } },
      "IVR672",
      /in another region/,
    ],
    ["a redirect of some proxy", { status: 307, code: "x" }, "IVR672", /in another region/],
    [
      "a signature for another region",
      { status: 400, code: "AuthorizationHeaderMalformed" },
      "IVR672",
      /in another region/,
    ],
    [
      "a clock that is wrong",
      { status: 403, code: "RequestTimeTooSkewed" },
      "IVR672",
      /clock and the store's are too far apart/,
    ],
    [
      "credentials of yesterday, which the store repeats",
      { status: 400, code: "ExpiredToken", message: `in its own words: ${secret}` },
      "IVR672",
      /does not accept the credentials/,
    ],
    [
      "a key that may not be used",
      { status: 403, code: "AccessDenied", message: "not authorized to perform: kms:Decrypt on x" },
      "IVR672",
      /the key of the encryption cannot be used \(kms:Decrypt\)/,
    ],
    [
      "a key that is switched off",
      { status: 400, code: "KMS.DisabledException" },
      "IVR672",
      /cannot be used \(KMS.DisabledException/,
    ],
    [
      "too much to do, all the time",
      { status: 503, code: "SlowDown" },
      "IVR671",
      /of no use for now: it answers SlowDown \(HTTP 503\)/,
    ],
    ["something new", { status: 418, code: "Teapot" }, "IVR672", /it answers Teapot \(HTTP 418\)/],
    [
      "a code that would paint the terminal",
      { status: 418, code: "&#27;[31m" },
      "IVR672",
      /answers an error \(HTTP 418\)/,
    ],
    ["a page of some web server", { status: 404, body: "<html>" }, "IVR672", /HTTP 404/],
    ["a page instead of a list", { status: 200, body: "<html>hello" }, "IVR672", /no object store/],
    ["text instead of a list", { status: 200, body: "hello" }, "IVR672", /no object store/],
    ["nothing instead of a list", { status: 200, body: "" }, "IVR672", /no object store/],
  ];
  test.for(answers)("%s", async ([, answer, code, message]) => {
    vi.stubEnv("AWS_SESSION_TOKEN", secret);
    const { endpoint, asked } = await stubBucket(() => answer);
    const problem = await problemOf(storeWith({ endpoint }).read());
    expect(problem).toMatchObject({ code, message: expect.stringMatching(message) });
    if (code === "IVR672") expect(asked).toHaveLength(1);
  });

  test("nobody to ask as", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("HOME", folder({}));
    const problem = await problemOf(storeWith({}).read());
    expect(problem).toMatchObject({ code: "IVR672" });
    expect(problem.message).toContain("there are no credentials to ask with");
    for (const word of ["AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"])
      expect(problem.hint).toContain(word);
  });

  test("nobody says which region", async () => {
    vi.stubEnv("AWS_REGION", undefined);
    vi.stubEnv("HOME", folder({}));
    const settings = settingsOf({ bucket });
    const store = new S3Store({ root: import.meta.dirname, settings }, "production");
    const problem = await problemOf(store.read());
    expect(problem).toMatchObject({ code: "IVR672", hint: expect.stringContaining("AWS_REGION") });
    expect(problem.message).toContain("in which region");
  });
});

describe("a store that does not make each object once is refused before anything is kept there:", () => {
  const stores: readonly (readonly [string, StubAnswer, RegExp])[] = [
    [
      "it ignores the condition",
      { status: 200 },
      /ignores If-None-Match: of 8 who asked for one object at once, 8 were told/,
    ],
    [
      "it says that it cannot",
      { status: 501, code: "NotImplemented" },
      /does not know conditional writes: it answers NotImplemented \(HTTP 501\)/,
    ],
    [
      "it does not take the header",
      { status: 400, code: "InvalidArgument", message: "If-None-Match is not supported" },
      /does not know conditional writes: it answers InvalidArgument \(HTTP 400\)/,
    ],
  ];
  test.for(stores)("%s", async ([, put, message]) => {
    const { endpoint, asked } = await stubBucket(({ method }) =>
      method === "PUT" ? put : nothing,
    );
    const problem = await problemOf(storeWith({ endpoint }).lock(claim("run-1")));
    expect(problem).toMatchObject({ code: "IVR676", message: expect.stringMatching(message) });
    expect(problem.message).toContain("overwrite one another's records");
    const written = asked.filter(({ method }) => method === "PUT");
    for (const { path, headers } of written) {
      expect(path).toMatch(/\/production\/probe/);
      expect(headers["if-none-match"]).toBe("*");
    }
  });

  test("the first time it takes a few requests to know, and then one", async () => {
    const taken = new Set<string>();
    const { endpoint, asked } = await stubBucket(({ method, path }) => {
      if (method !== "PUT")
        return path.includes("list-type") ? nothing : { status: 404, code: "NoSuchKey" };
      if (taken.has(path)) return { status: 412, code: "PreconditionFailed" };
      taken.add(path);
      return { status: 200 };
    });
    const prefix = freshPrefix();
    const probes = async () => {
      asked.length = 0;
      await sessionOf(storeWith({ endpoint, prefix })).catch(() => {});
      return asked.filter(({ path }) => path.includes("/probe")).length;
    };
    expect(await probes()).toBe(9);
    expect(await probes()).toBe(1);
  });
});

test("a store that honours conditions and has too much to do at the first look is not refused", async () => {
  const taken = new Set<string>();
  const { endpoint, asked } = await stubBucket(({ method, path }) => {
    if (method !== "PUT") return nothing;
    // The first of those who ask at once gets it, and every other one is turned away.
    const probes = asked.filter((one) => one.path.includes("/probes/")).length;
    if (path.includes("/probes/") && probes % 2 === 0) return { status: 503, code: "SlowDown" };
    if (taken.has(path)) return { status: 412, code: "PreconditionFailed" };
    taken.add(path);
    return { status: 200 };
  });
  await (await sessionOf(storeWith({ endpoint }))).close();
  const probes = asked.filter(({ path }) => path.includes("/probe"));
  expect(probes).toHaveLength(9);
});

test("the store is told how to encrypt, with every object", async () => {
  const texts = { encryption: "aws:kms", kms_key: "alias/ivr" };
  const { endpoint, asked } = await stubBucket(({ method, path }) =>
    method !== "PUT"
      ? nothing
      : path.includes("/probe")
        ? { status: 412, code: "PreconditionFailed" }
        : { status: 200 },
  );
  const session = await sessionOf(storeWith({ endpoint, ...texts }));
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
