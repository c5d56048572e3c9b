import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixed } from "../../src/lsp/fixes.ts";
import { compile } from "../../src/index.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { RandomYaml } from "../compile/random-yaml.ts";
import { runs } from "../support/runs.ts";

function fix(text: string, kind: "menu" | "config" = "menu"): string {
  return fixed(new Source("ivrs/menu.yaml", text), kind)?.text ?? text;
}

const menu = (options: string) => `name: M # a comment
description: 12
recording: 19549   # kept
options:
${options}
invalid: { retries: 2, recording: { id: 007 }, destination: { eid: 00042 } }
timeout: { wait: 5, retries: 2, retry_recording: 1e3, recording: goodbye, destination: { intercom: 1004 } }
extra: { recording_invalid: 0x1F }
tests: [{ press: 1, reaches: { id: 101 }, hears: [19549, goodbye] }]
`;

describe("fixing files", () => {
  test("puts ids in quotes and keeps counts and names", () => {
    const before = menu("  1: { eid: 00042, sms: 77 }\n  2: Asha Rao");
    expect(fix(before)).toBe(`name: M # a comment
description: 12
recording: "19549"   # kept
options:
  1: { eid: "00042", sms: "77" }
  2: Asha Rao
invalid: { retries: 2, recording: { id: "007" }, destination: { eid: "00042" } }
timeout: { wait: 5, retries: 2, retry_recording: "1e3", recording: goodbye, destination: { intercom: "1004" } }
extra: { recording_invalid: "0x1F" }
tests: [{ press: 1, reaches: { id: "101" }, hears: ["19549", goodbye] }]
`);
  });

  test.each([
    ["  star: A", '  "*": A'],
    ["  hash: A", '  "#": A'],
    ["  'star': A", '  "*": A'],
    ["  *: A", '  "*": A'],
    ["  * : A  # why", '  "*" : A  # why'],
    ["  ? star\n  : A", '  ? "*"\n  : A'],
    ["  <<: { star: A }", '  <<: { "*": A }'],
    ["  &k star: A", '  &k "*": A'],
    ['  "1": A\n  01: A', '  "1": A\n  01: A'],
    ['  star: A\n  "*": B', '  star: A\n  "*": B'],
    ['  star: A\n  "*": B\n  1: { eid: 7 }', '  star: A\n  "*": B\n  1: { eid: "7" }'],
    ["  *: A\n  hash: B", '  "*": A\n  "#": B'],
  ])("corrects the key in %j", (before, after) => {
    const around = (options: string) => `name: M\noptions:\n${options}\nowner: X\n`;
    expect(fix(around(before))).toBe(around(after));
  });

  test("works in flow mappings, CRLF files, several documents and after anchors", () => {
    expect(fix("options: {star: A, *: B}\n")).toBe("options: {star: A, *: B}\n");
    expect(fix("options: {star: A}\r\nid: 01\r\n")).toBe('options: {"*": A}\r\nid: "01"\r\n');
    expect(fix("id: 1\n---\nid: 2\n")).toBe('id: "1"\n---\nid: "2"\n');
    expect(fix("invalid: { recording: &r 12 }\nrecording: *r\n")).toBe(
      'invalid: { recording: &r "12" }\nrecording: *r\n',
    );
  });

  test("corrects aliases, templates and defaults of a configuration, not its rules or settings", () => {
    const before = `version: 1
recordings: { a: 19549, b: { id: 007, says: 12, seconds: 7 } }
sms_templates: { c: 77 }
defaults: { options: { star: { intercom: 1004 } } }
rules: { custom/x: { id: 12, recordings: { a: 1 } } }
max_creates: 20
environments: { e: { recordings: { a: 88101 }, sms_templates: { c: 78 }, max_creates: 5 } }
`;
    expect(fix(before, "config")).toBe(`version: 1
recordings: { a: "19549", b: { id: "007", says: 12, seconds: 7 } }
sms_templates: { c: "77" }
defaults: { options: { "*": { intercom: "1004" } } }
rules: { custom/x: { id: 12, recordings: { a: 1 } } }
max_creates: 20
environments: { e: { recordings: { a: "88101" }, sms_templates: { c: "78" }, max_creates: 5 } }
`);
  });

  test("does not change unreadable or correct files", () => {
    expect(fixed(new Source("m", "id: 1\nname: [\n"), "menu")).toBeUndefined();
    expect(fixed(new Source("m", 'id: "1"\noptions: { "*": A }\n'), "menu")).toBeUndefined();
    expect(fixed(new Source("m", ""), "menu")).toBeUndefined();
    expect(fixed(new Source("m", "- 1\n"), "menu")).toBeUndefined();
  });
});

const id = fc.constantFrom("00042", '"00042"', "'00042'", "500101", "050123456789012345678");
const recording = fc.oneof(
  fc.constantFrom("1", "007", '"19549"', "welcome", "{ id: 0x1F }", "{ id: 1e3 }", "recording||12"),
);
const key = fc.constantFrom("1", '"2"', "01", "star", "'hash'", '"*"', '"#"', "*", "0", "9");
const noise = fc.constantFrom("", " # star: 00042", "   ", " # *: x");

const randomMenu = fc
  .record({
    options: fc.array(
      fc.record({ key, id, noise, sms: fc.option(fc.constantFrom("77", "link")) }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    recordings: fc.tuple(recording, recording, recording, recording),
    ids: fc.tuple(id, id),
    ends: fc.constantFrom("\n", "\r\n"),
    noise,
  })
  .map(({ options, recordings: [a, b, c, d], ids: [e, f], ends, noise }) =>
    [
      `name: M${noise}`,
      "description: d",
      `recording: ${a}${noise}`,
      "options:",
      ...options.map(
        (own) =>
          `  ${own.key}: { eid: ${own.id}${own.sms === null ? "" : `, sms: ${own.sms}`} }${own.noise}`,
      ),
      `invalid: { retries: 02, recording: ${b}, destination: { eid: ${e} } }`,
      `timeout: { wait: 5, retries: 2, retry_recording: ${c}, recording: ${d}, destination: { eid: ${f} } }`,
      "",
    ].join(ends),
  );

const config = `version: 1
default_environment: e
recordings: { welcome: 00012 }
sms_templates: { link: 077 }
sms_templates_enabled: true
environments: { e: { service: sandbox } }
`;
const agents = ["00042", "500101", "050123456789012345678"].map((eid) => ({ name: eid, eid }));

function compiled(text: string) {
  const { payloads, diagnostics } = compile({ config, menus: { "ivrs/m.yaml": text }, agents });
  return { payloads, errors: diagnostics.filter(({ severity }) => severity === "error") };
}

describe("fixing any menu", () => {
  test("keeps the payload, except that an unquoted * did not compile before", () => {
    let fixes = 0;
    fc.assert(
      fc.property(randomMenu, (text) => {
        const after = fix(text);
        if (after !== text) fixes += 1;
        const [before, now] = [compiled(text), compiled(after)];
        const unquoted = before.errors.filter(({ code }) => code === "IVR108");
        if (unquoted.length === 0) {
          expect(now.payloads).toEqual(before.payloads);
          expect(now.errors.map(({ code }) => code)).toEqual(before.errors.map(({ code }) => code));
        } else if (now.errors.length === 0) {
          const quoted = text.replace(/^( +)\*:/gm, '$1"*":');
          expect(now.payloads).toEqual(compiled(quoted).payloads);
        }
      }),
      { numRuns: runs(400) },
    );
    expect(fixes).toBeGreaterThan(runs(100));
  });

  test("changes only what it reports, and leaves nothing to fix for a second run", () => {
    fc.assert(
      fc.property(randomMenu, (text) => {
        const result = fixed(new Source("m", text), "menu");
        if (result === undefined) return;
        let undone = result.text;
        let shift = 0;
        for (const { at, before, after } of result.fixes) {
          const start = at.start + shift;
          expect(result.text.slice(start, start + after.length)).toBe(after);
          shift += after.length - before.length;
        }
        for (const { at, before, after } of result.fixes) {
          undone = undone.slice(0, at.start) + before + undone.slice(at.start + after.length);
        }
        expect(undone).toBe(text);
        expect(fixed(new Source("m", result.text), "menu")).toBeUndefined();
      }),
      { numRuns: runs(400) },
    );
  });
});

test("leaves nothing to fix for a second run, in any style", () => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const text = new RandomYaml(g)
        .file()
        .replaceAll("'*'", "star")
        .replaceAll("a b:", "options:")
        .replaceAll("agent:", "recording:");
      const after = fix(text);
      expect(fix(after)).toBe(after);
    }),
    { numRuns: runs(200) },
  );
});
