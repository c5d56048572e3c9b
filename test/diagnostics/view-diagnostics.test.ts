import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { diagnosticsGithub } from "../../src/views/diagnostics/github-annotations.ts";
import { diagnosticsGitlab } from "../../src/views/diagnostics/gitlab-code-quality.ts";
import { diagnosticsSarif } from "../../src/views/diagnostics/sarif.ts";
import { diagnosticsText } from "../../src/views/diagnostics/diagnostics-text.ts";
import { visible } from "../../src/views/terminal.ts";
import { commandText } from "../../src/util/suggest.ts";

const text = 'name: x\n\toptions: "📞 電話" agent\nthree: lines\n';

function found() {
  const source = new Source("ivrs/odd, name:100%.yaml", text);
  const diagnostics = new Diagnostics();
  const at = (word: string) => source.span(text.indexOf(word), text.indexOf(word) + word.length);
  diagnostics.add("IVR301", at("agent"), "100% wrong:\nsecond line", "Fix, it.");
  diagnostics.add("IVR210", at("name"), "A warning.");
  diagnostics.add(
    "IVR101",
    source.span(text.indexOf("電話"), text.indexOf("lines")),
    "Over lines.",
  );
  diagnostics.addFile("IVR126", "ivrctl.yaml", "No file.");
  return diagnostics.sorted();
}

/** A problem with a folder, and one with a line of a file that has no text here. */
function partlyPlaced() {
  const diagnostics = new Diagnostics();
  diagnostics.addAt("IVR603", { file: "state.jsonl", line: 7 }, "Damaged.");
  diagnostics.addAt("IVR125", { file: "ivrs" }, "No menus.", undefined, "error");
  return diagnostics.sorted();
}

describe("diagnostics as workflow commands", () => {
  test("are one line each, with characters escaped that would end a property or the line", () => {
    expect(diagnosticsGithub(found(), "telephony/")).toBe(
      [
        "::error file=telephony/ivrctl.yaml,title=IVR126::No file.",
        "::warning file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=1,endLine=1,col=1,endColumn=4,title=IVR210::A warning.",
        "::error file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=2,endLine=3,title=IVR101::Over lines.",
        "::error file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=2,endLine=2,col=19,endColumn=23,title=IVR301::100%25 wrong:%0Asecond line%0AFix, it.",
        "",
      ].join("\n"),
    );
  });

  test("have no line or column if these are unknown", () => {
    expect(diagnosticsGithub(partlyPlaced(), "")).toBe(
      [
        "::error file=ivrs,title=IVR125::No menus.",
        "::error file=state.jsonl,line=7,endLine=7,title=IVR603::Damaged.",
        "",
      ].join("\n"),
    );
  });
});

describe("diagnostics as SARIF", () => {
  const require = createRequire(import.meta.url);
  const schema: unknown = JSON.parse(
    readFileSync(
      require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
      "utf8",
    ),
  );

  /** Finds an embedded link by the grammar of SARIF 2.1.0, §3.11.6. */
  const linkIn = (text: string) =>
    /(?<!\\)(?:\\\\)*\[(?:[^\\[\]]|\\[\\[\]])*\]\([^)]*\)/.exec(text);

  const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
  formats.default(ajv);
  const validate = ajv.compile(schema as object);

  test.each([
    ["problems", found()],
    ["problems without a line or column", partlyPlaced()],
    ["no problems", []],
  ])("match the schema of SARIF 2.1.0: %s", (_, diagnostics) => {
    validate(JSON.parse(diagnosticsSarif(diagnostics, "")));
    expect(validate.errors ?? []).toEqual([]);
  });

  test.each([
    ["Use {0} or {}.", "Use {{0}} or {{}}."],
    ["`options` has [1] and a\\b.", "`options` has [1] and a\\b."],
    ["[click](https://example.com)", "\\[click\\](https://example.com)"],
    ["[a] \\[b\\](1) {2}", "\\[a\\] \\\\\\[b\\\\\\](1) {{2}}"],
  ])("show a text without placeholders and links: %s", (message, text) => {
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR126", "ivrctl.yaml", message);
    const [run] = JSON.parse(diagnosticsSarif(diagnostics.sorted(), "")).runs;
    expect(run.results[0].message).toEqual({ text });
    expect(linkIn(text)).toBeNull();
  });

  test("escape the texts of the rules too", () => {
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR118", "ivrctl.yaml", "A variable is not quoted.");
    const [run] = JSON.parse(diagnosticsSarif(diagnostics.sorted(), "")).runs;
    const [{ shortDescription, fullDescription, help }] = run.tool.driver.rules;
    const texts = [shortDescription.text, fullDescription.text, help.text].join("\n");
    expect(texts).toContain("${{");
    expect(texts.replaceAll(/\{\{|\}\}/g, "")).not.toMatch(/[{}]/);
  });
});

describe("diagnostics as text", () => {
  async function printed(columns: number, diagnostics = found(), verbose = true) {
    return diagnosticsText(diagnostics, {
      style: (_: unknown, part: string) => part,
      columns,
      wordWrap: columns,
      verbose,
      command: commandText,
      path: (path: string) => path,
    });
  }

  test("show a long line only around the marked part", async () => {
    for (const line of (await printed(32)).split("\n").filter((row) => /^\d* +\|/.test(row))) {
      expect(line.length).toBeLessThanOrEqual(32);
    }
    expect(await printed(32)).toContain("agent");
  });

  test("are all errors, but without --verbose only the first 20 warnings", async () => {
    const diagnostics = new Diagnostics();
    for (let at = 10; at < 61; at += 1) {
      diagnostics.addAt("IVR605", { file: `w${at}` }, "Wrong.", undefined, "warning");
      diagnostics.addAt("IVR605", { file: `e${at}` }, "Wrong.", undefined, "error");
    }
    const short = await printed(100, diagnostics.sorted(), false);
    expect(short.match(/--> e\d/g)).toHaveLength(51);
    expect(short.match(/--> w\d/g)).toHaveLength(20);
    expect(short).toMatch(/\n… and 31 more warnings; --verbose shows all\n\n$/);
    expect((await printed(100, diagnostics.sorted())).match(/--> w\d/g)).toHaveLength(51);
  });
});

describe("text from outside", () => {
  test.each([
    ["\u001b[31mred\u0007", "␛[31mred␇"],
    ["a\u009bb", "a\\u{9B}b"],
    ["\u202eevil\u2066", "\\u{202E}evil\\u{2066}"],
    ["zero\u200bwidth\ufeff", "zero\\u{200B}width\\u{FEFF}"],
    ["line\nfeed\r", "line␊feed␍"],
    ["\ud800", "\\u{D800}"],
    ["plain é 電話 📞 क्‍ष", "plain é 電話 📞 क्‍ष"],
  ])("shows %j as %j", (outside, shown) => {
    expect(visible(outside)).toBe(shown);
  });
});

describe("diagnostics as a code quality report of GitLab", () => {
  test("have a place in the repository, a severity and a fingerprint", () => {
    const [first, ...rest] = JSON.parse(diagnosticsGitlab(found(), "desk/"));
    expect(first).toEqual({
      description: "IVR126: No file.",
      check_name: "IVR126",
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: "major",
      location: { path: "desk/ivrctl.yaml", lines: { begin: 1 } },
    });
    expect(rest).toHaveLength(3);
    expect(JSON.parse(diagnosticsGitlab([], ""))).toEqual([]);
  });

  test("have a fingerprint of their own, which stays the same when lines move", () => {
    const prints = (lines: string): string[] => {
      const source = new Source("a", lines);
      const diagnostics = new Diagnostics();
      for (const { index } of lines.matchAll(/x/g)) {
        diagnostics.add("IVR301", source.span(index, index + 1), "Wrong.");
      }
      const report: { fingerprint: string }[] = JSON.parse(
        diagnosticsGitlab(diagnostics.sorted(), ""),
      );
      return report.map(({ fingerprint }) => fingerprint);
    };
    expect(prints("x\nx\n")).toEqual(prints("\n\nx\n\nx\n"));
    expect(new Set(prints("x\nx\nx\n")).size).toBe(3);
  });
});
