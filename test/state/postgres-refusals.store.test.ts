import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { StateProblem } from "../../src/deploy/state/lock.ts";
import { startPostgres } from "../../scripts/postgres.mjs";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { certificateFiles } from "../support/certificate.ts";
import { needs } from "../support/needs.ts";
import { freshSchema, postgres, storeAt } from "../support/postgres.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun, intent } from "./events.ts";
import { hintText } from "../../src/util/suggest.ts";
import { listen } from "../support/listen.ts";

needs("openssl");

let made: ReturnType<typeof certificateFiles>;
let other: ReturnType<typeof certificateFiles>;

const options = () => {
  [made, other] = [certificateFiles(), certificateFiles()];
  return {
    certificate: made,
    hba: `local all all trust
hostssl all secure 127.0.0.1/32 trust
hostnossl all secure 127.0.0.1/32 reject
hostnossl all plain 127.0.0.1/32 trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256`,
  };
};

const server = postgres(options, (started) =>
  started.sql(`
    CREATE ROLE secure LOGIN; CREATE ROLE plain LOGIN;
    CREATE ROLE careful LOGIN PASSWORD 'pa ss:w@rd';
    GRANT CREATE ON DATABASE postgres TO secure, plain, careful`),
);

const address = (rest: string) => rest.replace("PORT", String(server().port));

/** Returns the problem, and expects that it never contains the password. */
async function problemOf(url: string): Promise<StateProblem> {
  const problem = await storeAt(address(url), freshSchema())
    .lock(claim("run-1"))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(problem instanceof StateProblem)) throw new Error("no problem", { cause: problem });
  expect(problem.message + hintText(problem.hint ?? "")).not.toMatch(/pa ss|pa%20ss|hunter2/);
  return problem;
}

describe("the problem of a database that cannot be used", () => {
  // At the same time, because a connection is tried for some seconds.
  test.concurrent.each([
    ["no server at that port", "postgres:hunter2@127.0.0.1:QUIET/x", "IVR671", "ECONNREFUSED"],
    ["an unknown host", "postgres:hunter2@nowhere.invalid/x", "IVR671", "getaddrinfo"],
    ["no socket", "postgres:hunter2@%2Fnowhere/x", "IVR671", "ENOENT"],
    ["a wrong password", "careful:hunter2@127.0.0.1:PORT/postgres", "IVR604", "password"],
    ["no password", "careful@127.0.0.1:PORT/postgres", "IVR604", "password must be"],
    ["an unknown user", "nobody:hunter2@127.0.0.1:PORT/postgres", "IVR604", "password"],
    ["no database", "postgres:hunter2@127.0.0.1:PORT/x", "IVR604", "does not exist"],
  ])("%s", async (_, url, code, words) => {
    const at = url.replace("QUIET", String(await quietPort()));
    const problem = await problemOf(`postgresql://${at}`);
    expect(problem).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(problem.message).toContain("postgresql://");
    expect(problem.hint).toBeDefined();
  });

  test("reports a missing privilege", async () => {
    const schema = freshSchema();
    const session = await sessionOf(storeAt(server().url(), schema));
    await session.append(begun("production"));
    await session.close();
    const store = storeAt(
      address("postgresql://careful:pa%20ss%3Aw%40rd@127.0.0.1:PORT/postgres"),
      schema,
    );
    const lacking = { code: "IVR604", message: expect.stringContaining("permission denied") };
    await expect(store.read()).rejects.toMatchObject(lacking);
    server().sql(`GRANT USAGE ON SCHEMA ${schema} TO careful;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO careful`);
    expect((await store.read()).state.serial).toBe(1);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject(lacking);
  });

  test("reports a standby", async () => {
    const other = await startPostgres();
    onTestFinished(() => other.close());
    other.stop();
    writeFileSync(join(other.folder, "data/standby.signal"), "");
    other.start();
    expect(await problemOf(other.url())).toMatchObject({
      code: "IVR604",
      message: expect.stringContaining("read-only transaction"),
      hint: expect.stringContaining("primary"),
    });
  });

  test.each(["the tables do not exist yet", "the tables exist"])(
    "reports a role that may only read, if %s",
    async (which) => {
      const name = freshSchema();
      server().sql(`CREATE DATABASE ${name}`);
      const store = storeAt(server().url("postgres", name), "s");
      if (which === "the tables exist") await (await sessionOf(store)).close();
      server().sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await expect(store.lock(claim("run-1"))).rejects.toMatchObject({
        code: "IVR604",
        message: expect.stringContaining("read-only transaction"),
        hint: expect.stringContaining("a role that may write"),
      });
      server().sql(
        `ALTER ROLE postgres IN DATABASE ${name} SET default_transaction_read_only = off`,
      );
      await (await sessionOf(store)).close();
    },
  );

  test("reports a server that is starting or has too many clients", async () => {
    const url = "postgresql://postgres:hunter2@127.0.0.1:PORT/postgres";
    for (const [code, text] of [
      ["57P03", "the database system is starting up"],
      ["53300", "sorry, too many clients already"],
    ] as const) {
      const rude = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.end(errorMessage(code, text)));
      });
      const port = await listen(rude);
      const problem = await problemOf(url.replace("PORT", String(port)));
      expect(problem).toMatchObject({ code: "IVR671", message: expect.stringContaining(text) });
    }
  });

  test("reports a server that does not answer", async () => {
    const silent = createServer((socket) => void socket.on("error", () => {}));
    const port = await listen(silent);
    const url = `postgresql://postgres:hunter2@127.0.0.1:${port}/postgres`;
    expect(await problemOf(url)).toMatchObject({
      code: "IVR671",
      message: expect.stringContaining("connection timeout"),
    });
  });
});

describe("TLS", () => {
  const works = async (url: string) => {
    const session = await sessionOf(storeAt(address(url), freshSchema()));
    await session.append(begun("production"), intent("a"));
    await session.close();
    return session.state.serial === 2;
  };

  test.each([
    ["secure@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=CA"],
    ["secure@localhost:PORT/postgres?sslrootcert=CA"],
    ["secure@127.0.0.1:PORT/postgres?sslmode=no-verify"],
    ["plain@127.0.0.1:PORT/postgres"],
    ["plain@0.0.0.0:PORT/postgres?sslmode=disable"],
  ])("%s works", async (url) => {
    expect(await works(`postgresql://${url.replace("CA", made.cert)}`)).toBe(true);
  });

  const untrusted = ["IVR671", /certificate/] as const;
  test.concurrent.each([
    ["a host name that is not in the certificate", "secure@127.0.0.1", "CA", ...untrusted],
    ["another CA", "secure@localhost", "OTHER", ...untrusted],
    ["a private CA that the system does not trust", "secure@localhost", "", ...untrusted],
    ["a host that is not loopback, without a setting", "plain@0.0.0.0", null, ...untrusted],
    ["a missing certificate file", "secure@localhost", "/nowhere.pem", "IVR671", "/nowhere.pem"],
  ])("%s is refused", async (_, host, root, code, words) => {
    const file = (root ?? "").replace("CA", made.cert).replace("OTHER", other.cert);
    const trust = root === null ? "" : `?sslmode=verify-full${file && `&sslrootcert=${file}`}`;
    expect(await problemOf(`postgresql://${host}:PORT/postgres${trust}`)).toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
  });

  test("no TLS is refused if the server requires it", async () => {
    const url = "postgresql://secure@localhost:PORT/postgres?sslmode=disable";
    expect(await problemOf(url)).toMatchObject({
      code: "IVR604",
      message: expect.stringContaining("no encryption"),
    });
  });

  test("a server without TLS is refused if the host is not loopback", async () => {
    const without = await startPostgres();
    onTestFinished(() => without.close());
    expect(await problemOf(without.url().replace("127.0.0.1", "0.0.0.0"))).toMatchObject({
      code: "IVR671",
      message: expect.stringContaining("does not support SSL"),
      hint: expect.stringContaining("sslmode=disable"),
    });
  });
});

function errorMessage(code: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
