import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixed } from "../../src/project/fix-files.ts";
import { format } from "../../src/yaml/format/format.ts";
import { compile } from "../../src/index.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { Scribe } from "../compile/scribe.ts";
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

describe("what has one right answer", () => {
  test("ids in quotes, counts and names as they are", () => {
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
  ])("the key in %j", (before, after) => {
    const around = (options: string) => `name: M\noptions:\n${options}\nowner: X\n`;
    expect(fix(around(before))).toBe(around(after));
  });

  test("in a flow mapping, in CRLF files, in several documents, behind anchors", () => {
    expect(fix("options: {star: A, *: B}\n")).toBe("options: {star: A, *: B}\n");
    expect(fix("options: {star: A}\r\nid: 01\r\n")).toBe('options: {"*": A}\r\nid: "01"\r\n');
    expect(fix("id: 1\n---\nid: 2\n")).toBe('id: "1"\n---\nid: "2"\n');
    expect(fix("invalid: { recording: &r 12 }\nrecording: *r\n")).toBe(
      'invalid: { recording: &r "12" }\nrecording: *r\n',
    );
  });

  test("of a configuration: aliases, templates, defaults; not its rules or settings", () => {
    const before = `version: 1
recordings: { a: 19549, b: { id: 007, says: 12, seconds: 7 } }
sms_templates: { c: 77 }
defaults: { options: { star: { intercom: 1004 } } }
rules: { house/x: { id: 12, recordings: { a: 1 } } }
max_creates: 20
environments: { e: { recordings: { a: 88101 }, sms_templates: { c: 78 }, max_creates: 5 } }
`;
    expect(fix(before, "config")).toBe(`version: 1
recordings: { a: "19549", b: { id: "007", says: 12, seconds: 7 } }
sms_templates: { c: "77" }
defaults: { options: { "*": { intercom: "1004" } } }
rules: { house/x: { id: 12, recordings: { a: 1 } } }
max_creates: 20
environments: { e: { recordings: { a: "88101" }, sms_templates: { c: "78" }, max_creates: 5 } }
`);
  });

  test("what YAML cannot read, and what is right already, stays", () => {
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

describe("of any menu", () => {
  test("the payload is the same; only an unquoted * compiled to nothing before", () => {
    let fixes = 0;
    fc.assert(
      fc.property(randomMenu, (text) => {
        const after = fix(text);
        if (after !== text) fixes += 1;
        const [then, now] = [compiled(text), compiled(after)];
        const unquoted = then.errors.filter(({ code }) => code === "IVR108");
        if (unquoted.length === 0) {
          expect(now.payloads).toEqual(then.payloads);
          expect(now.errors.map(({ code }) => code)).toEqual(then.errors.map(({ code }) => code));
        } else if (now.errors.length === 0) {
          const quoted = text.replace(/^( +)\*:/gm, '$1"*":');
          expect(now.payloads).toEqual(compiled(quoted).payloads);
        }
      }),
      { numRuns: runs(400) },
    );
    expect(fixes).toBeGreaterThan(runs(100));
  });

  test("nothing changes but what is told, and nothing is left for a second time", () => {
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

  test("`fmt` finds no fault that it did not find before", () => {
    const layout = (text: string) => format(new Source("m", text), new Diagnostics());
    fc.assert(
      fc.property(randomMenu, (text) => {
        const laidOut = layout(text);
        if (laidOut === undefined) return;
        const after = fix(laidOut);
        expect(layout(after)).toBe(after);
      }),
      { numRuns: runs(200) },
    );
  });
});

test("files in any style are borne", () => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const text = new Scribe(g)
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
