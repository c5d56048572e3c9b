import { describe, expect, test } from "vitest";
import { holdsSecret } from "../../src/schema/store-settings.ts";
import { databaseSettings } from "../../src/deploy/state/postgres/database-settings.ts";

const read = (url: string, variables: Record<string, string> = {}) => {
  try {
    return databaseSettings(url, variables);
  } catch (error) {
    return String(error);
  }
};

describe("the address of a database", () => {
  test.each([
    ["postgresql://me:p%40ss@db.example:6543/state", "postgresql://db.example:6543/state"],
    ["postgres://me@db/", "postgresql://db:5432/me"],
    ["postgresql://u@[::1]:3/d", "postgresql://[::1]:3/d"],
    ["postgresql://u@%2Frun%2Fpostgresql/d", "postgresql://%2Frun%2Fpostgresql:5432/d"],
    ["postgresql://u@/d?host=/run/postgresql", "postgresql://%2Frun%2Fpostgresql:5432/d"],
  ])("%s is shown without user and password", (url, address) => {
    expect(read(url)).toMatchObject({ address });
  });

  test("takes missing parts from the variables", () => {
    const variables = { PGHOST: "other", PGPORT: "7777", PGUSER: "u", PGDATABASE: "d" };
    expect(read("postgresql:///", variables)).toMatchObject({
      address: "postgresql://other:7777/d",
    });
    expect(read("postgresql://me@db/state", variables)).toMatchObject({
      address: "postgresql://db:7777/state",
    });
    expect(read("postgres://")).toMatchObject({ address: "postgresql://localhost:5432/" });
  });

  test("TLS is on by default, except on this machine", () => {
    expect(read("postgresql://me@db.example/d")).toMatchObject({ tls: true });
    expect(read("postgresql://", { PGHOST: "db.example" })).toMatchObject({ tls: true });
    expect(read("postgresql://me@db.example/d", { PGSSLMODE: "disable" })).toMatchObject({
      tls: false,
    });
    for (const host of ["localhost", "127.0.0.1", "[::1]", "%2Frun%2Fpostgresql"]) {
      expect(read(`postgresql://me@${host}/d`)).toMatchObject({ tls: false });
    }
  });

  test.each([
    ["https://db.example/state", "postgresql://USER"],
    ["db.example", "postgresql://USER"],
    ["postgresql://me:pa#ss@db/state", "%23"],
    ["postgresql://me:pa/ss@db/state", "%2F"],
    ["postgresql://me:12/secret@db/state", "%2F"],
    ["postgresql://me:secret@db:x/state", "one host"],
    ["postgresql://me:secret@a,b/d", "one host"],
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
    "postgresql://me:12/34@db/d",
    "me:secret@db/d",
    "secret",
  ])("%s may contain one", (url) => expect(holdsSecret("url", url)).toBe(true));

  test.each([
    "${STATE_URL}",
    "postgresql://db/d",
    "postgresql://me@db/d?sslmode=require",
    "postgresql://me:${PASSWORD}@db/d",
    "postgresql://${HOST}/${DATABASE}",
  ])("%s contains none", (url) => expect(holdsSecret("url", url)).toBe(false));
});
