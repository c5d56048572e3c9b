import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Plain, toPlain } from "../../src/compile/read/node.ts";
import { readYaml } from "../../src/compile/read/yaml.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { ListedAgent } from "../../src/schema/agent.ts";
import { Config } from "../../src/schema/config.ts";
import { fits } from "../../src/schema/fits.ts";
import { Menu } from "../../src/schema/menu.ts";
import { TestFile } from "../../src/schema/test-file.ts";

function plain(text: string): Plain {
  const [document] = readYaml(new Source("x.yaml", text), new Diagnostics());
  if (document?.root === undefined) throw new Error("It cannot be read.");
  return toPlain(document.root);
}

const menu = plain(`
id: pune/desk
moved_from: desk
name: Front desk
description: First menu
recording: { id: 19549 }
owner: pune@example
on_change: refuse
options:
  1: Asha Rao
  2: { for: Billing, agent: Ravi Kumar, team: Billing, sms: payment-link }
  3: { department: Sales, eid: 00042, sms: { id: 77 } }
  0: null
invalid: { retries: 2, recording: not-valid, destination: { intercom: "1004" } }
timeout: { wait: 5, retries: 2, retry_recording: a, recording: recording||7, destination: Front Desk }
extra: { timeout_retries: 2, recording_invalid: a }
tests:
  - { press: 2, reaches: { agent: Ravi Kumar }, via: option, hears: [welcome, { id: 5 }], steps: 1 }
  - { name: silence, press: [_, 9] }
`);

const config = plain(`
version: 1
default_environment: sandbox
on_change: replace
max_creates: 20
sms_templates_enabled: true
defaults: { invalid: { retries: 2 }, timeout: null, options: { 0: Front Desk } }
recordings: { welcome: { id: "19549", says: For sales press 1., seconds: 7.5 }, bye: "19552" }
sms_templates: { payment-link: "77" }
rules:
  plugins: [./rules/house.mjs]
  menu-too-long: { severity: error, max: 6 }
  reserved-key: off
  house/greeting: { severity: warn, words: [a, b] }
invariants:
  - { name: a, menus: [a/*, b], except: c, key: 0, via: option, reaches: { team: Desk }, not_blocked: true, max_heard: 3 }
wire: { numbers: number, plain_recordings: [recording], no_sms_template: "0", destination_kinds: [department] }
environments:
  sandbox: { service: sandbox }
  empty: null
  production:
    service: { base_url: a, token: "\${TOKEN}", timeout: 3, concurrency: 4, requests_per_second: 0.5 }
    state: { backend: file }
  staging: { service: { base_url: a, token: { command: [pass, show] } } }
`);

const tests = plain("menu: a/b\ntests: [{ press: 1, via: option }]\n");

const agents = [
  ...JSON.parse(readFileSync(join(import.meta.dirname, "../../agents.lock.json"), "utf8")).agents,
  { id: 5, name: "A", custom_status: 1, departments: [{ name: "B", id: "1" }, "C", null], x: {} },
];

const subjects = [
  ["a menu", Menu, menu],
  ["a configuration", Config, config],
  ["a file of tests", TestFile, tests],
  ["an agent list", z.array(ListedAgent), agents],
] as const;

describe.each(subjects)("%s", (_, schema, sound) => {
  test("that is sound fits", () => {
    expect(z.safeParse(schema, sound).error).toBeUndefined();
    expect(fits(schema, sound)).toBe(true);
  });

  test("of which anything is changed fits where zod finds no fault", () => {
    const seen = { fitting: 0, faulty: 0 };
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), anything, fc.nat(3), (steps, value, deed) => {
        const changed = change(sound, steps, value, deed);
        const { success } = z.safeParse(schema, changed);
        seen[success ? "fitting" : "faulty"] += 1;
        expect(fits(schema, changed)).toBe(success);
      }),
      { numRuns: 1500 },
    );
    // Else the test would show nothing.
    expect(Math.min(seen.fitting, seen.faulty)).toBeGreaterThan(20);
  });
});

describe("what is not known of zod does not fit, so that zod is asked", () => {
  test.each([
    ["a format", z.email(), "a@b.example"],
    ["a length", z.string().check(z.maxLength(3)), "a"],
    ["a lazy one", z.lazy(() => z.string()), "a"],
    ["a transformed one", z.pipe(z.string(), z.string()), "a"],
    ["a record of given keys", z.record(z.enum(["a"]), z.string()), { a: "b" }],
    ["a date", z.date(), new Date(0)],
  ])("%s", (_, schema, value) => {
    expect(z.safeParse(schema, value).success).toBe(true);
    expect(fits(schema, value)).toBe(false);
  });
});

const anything = fc.oneof(
  fc.constantFrom<unknown>("", " ", "a", "1", "01", "a||b", "a b", "${A}", "off", "file", "option"),
  fc.constantFrom<unknown>(null, true, false, 0, 1.5, 2 ** 60, [], {}, ["a"], { a: "b" }),
  fc.constantFrom<unknown>(
    { id: "5" },
    { agent: "A" },
    { agent: "A", x: "y" },
    { severity: "warn" },
  ),
  fc.string(),
);

/** The value with one thing in it replaced, removed, or added beside it. */
function change(value: unknown, steps: Iterator<number>, other: unknown, deed: number): unknown {
  const step = Number(steps.next().value);
  if (Array.isArray(value) && value.length > 0 && step % 4 !== 0) {
    const at = Math.floor(step / 4) % value.length;
    if (deed === 0 && step % 4 === 1) return value.toSpliced(at, 1);
    return value.with(at, change(value[at], steps, other, deed));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && step % 6 !== 0) {
    const entries = Object.entries(value);
    const at = Math.floor(step / 6) % Math.max(1, entries.length);
    const [name = "a", inner] = entries[at] ?? [];
    if (step % 6 === 1 && deed === 0) return Object.fromEntries(entries.toSpliced(at, 1));
    if (step % 6 === 1) return { ...value, [deed === 1 ? `${name}x` : "team"]: other };
    return { ...value, [name]: change(inner, steps, other, deed) };
  }
  return other;
}
