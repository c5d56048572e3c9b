import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { caching, sayings } from "../support/cached.ts";
import { folder } from "../support/cli.ts";

const cases = join(import.meta.dirname, "../cases");
const names = readdirSync(cases).filter((name) => /^\d{3}-/.test(name));

interface Case {
  readonly env?: string;
  readonly variables?: Record<string, string>;
  readonly without?: readonly string[];
}

test.each(names)("a cached run of %s says what a fresh one says", async (name) => {
  const home = folder({});
  const root = join(home, "project");
  cpSync(join(cases, name), root, { recursive: true });
  const file = join(root, "case.json");
  const about = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Case) : {};
  const lacks = (needed: string) =>
    !existsSync(join(root, needed)) && about.without?.includes(needed) !== true;
  const shared = join(cases, name.startsWith("7") ? "_rules" : "_common");
  const said = (wish: "always" | "off") =>
    sayings({
      root,
      variables: { ...about.variables, ...caching(wish, home) },
      globals: {
        ...(lacks("ivrctl.yaml") ? { config: join(shared, "ivrctl.yaml") } : {}),
        ...(about.env === undefined ? {} : { env: about.env }),
      },
      flags: lacks("agents.lock.json") ? { agents: join(cases, "_common/agents.json") } : {},
    });
  const fresh = await said("off");
  expect(existsSync(join(root, ".ivrctl"))).toBe(false);
  expect(await said("always")).toEqual(fresh);
  expect(await said("always")).toEqual(fresh);
});

test("the cases that are sound leave something to be remembered", async () => {
  const home = folder({});
  const root = join(home, "project");
  cpSync(join(cases, "001-front-desk"), root, { recursive: true });
  await sayings({
    root,
    variables: caching("always", home),
    globals: { config: join(cases, "_common/ivrctl.yaml") },
    flags: { agents: join(cases, "_common/agents.json") },
  });
  const packs = readdirSync(join(root, ".ivrctl/cache")).filter((file) => file.endsWith(".pack"));
  expect(packs.length).toBeGreaterThan(0);
});
