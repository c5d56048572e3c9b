import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../../src/deploy/state/postgres/settings.ts";
import { mayHoldPassword } from "../../../../src/schema/database-address.ts";

const read = (url: string, variables: Record<string, string> = {}) => {
  const found = readSettings(url, variables);
  return found.kind === "read" ? found.settings : found.problem;
};

describe("the address of a database, read as libpq does", () => {
  test("reads every part of the address", () => {
    expect(
      read(
        "postgresql://me:p%40ss%2Fw%3Ard@db.example:6543/state?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3&application_name=ci",
        { PGPASSFILE: "/run/pgpass" },
      ),
    ).toEqual({
      hosts: [{ name: "db.example", port: 6543 }],
      user: "me",
      password: "p@ss/w:rd",
      passwordFile: "/run/pgpass",
      database: "state",
      tls: {
        mode: "verify-full",
        rootCertificate: "/ca.pem",
        certificate: undefined,
        key: undefined,
      },
      connectTimeout: 3000,
      statementTimeout: 15_000,
      applicationName: "ci",
      options: undefined,
      writable: false,
      address: "postgresql://db.example:6543/state",
    });
  });

  test("takes missing parts from the variables, then from libpq's defaults", () => {
    expect(read("postgres://")).toMatchObject({
      hosts: [{ name: "localhost", port: 5432 }],
      user: userInfo().username,
      database: userInfo().username,
      password: undefined,
      tls: { mode: "prefer" },
    });
    const variables = {
      PGHOST: "other",
      PGPORT: "7777",
      PGUSER: "u",
      PGPASSWORD: "p",
      PGDATABASE: "d",
      PGSSLMODE: "require",
    };
    expect(read("postgresql:///", variables)).toMatchObject({
      hosts: [{ name: "other", port: 7777 }],
      user: "u",
      password: "p",
      database: "d",
      tls: { mode: "require" },
    });
    // The address takes precedence.
    expect(read("postgresql://me@db/state?sslmode=disable", variables)).toMatchObject({
      hosts: [{ name: "db", port: 7777 }],
      user: "me",
      database: "state",
      tls: { mode: "disable" },
    });
  });

  test("reads several hosts, sockets and IPv6 addresses", () => {
    expect(read("postgresql://u@a:1,b,[::1]:3/d?target_session_attrs=read-write")).toMatchObject({
      hosts: [
        { name: "a", port: 1 },
        { name: "b", port: 5432 },
        { name: "::1", port: 3 },
      ],
      writable: true,
      address: "postgresql://a:1,b:5432,[::1]:3/d",
    });
    for (const url of [
      "postgresql://u@%2Frun%2Fpostgresql/d",
      "postgresql://u@/d?host=/run/postgresql",
    ]) {
      expect(read(url)).toMatchObject({ hosts: [{ name: "/run/postgresql", port: 5432 }] });
    }
  });

  test.each([
    ["https://db.example/state", "postgresql://USER"],
    ["db.example", "postgresql://USER"],
    ["postgresql://me:pa#ss@db/state", "%23"],
    ["postgresql://me:pa/ss@db/state", "an invalid host"],
    ["postgresql://me:pa%ss@db/state", "two hex digits"],
    ["postgresql://me:secret@db:x/state", "an invalid host"],
    ["postgresql://me:secret@db:70000/state", "port"],
    ["postgresql://me:secret@a,b/d?port=1,2,3", "one for each host"],
    ["postgresql://me:secret@db/d?sslmode=on", "sslmode"],
    ["postgresql://me:secret@db/d?channel_binding=require", "channel_binding"],
    ["postgresql://me:secret@db/d?connect_timeout=soon", "connect_timeout"],
    ["postgresql://me:secret@db/d?target_session_attrs=standby", "target_session_attrs"],
  ])("refuses %s and does not show it", (url, why) => {
    const problem = read(url);
    expect(problem).toContain(why);
    expect(problem).not.toMatch(/secret|pa.ss|pass\b/);
  });
});

describe("a password in the configuration", () => {
  test.each([
    "postgresql://me:secret@db/d",
    "postgresql://db/d?password=secret",
    "postgresql://me:${A}x@db/d",
    "postgresql://me:s#cret@db/d",
    "me:secret@db/d",
    "secret",
  ])("%s may contain one", (url) => expect(mayHoldPassword(url)).toBe(true));

  test.each([
    "${STATE_URL}",
    "postgresql://db/d",
    "postgresql://me@db/d?sslmode=require",
    "postgresql://me:${PASSWORD}@db/d",
    "postgresql://${HOST}/${DATABASE}",
  ])("%s contains none", (url) => expect(mayHoldPassword(url)).toBe(false));
});
