import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { diagnosticsGithub } from "../../src/views/diagnostics/github.ts";
import { diagnosticsJson } from "../../src/views/json.ts";
import { diagnosticsSarif } from "../../src/views/diagnostics/sarif.ts";
import { sayDiagnostics } from "../../src/views/diagnostics/text.ts";
import { visible } from "../../src/views/terminal.ts";

const text = 'name: x\n\toptions: "📞 電話" agent\nthree: lines\n';

function found() {
  const source = new Source("ivrs/odd, name:100%.yaml", text);
  const diagnostics = new Diagnostics();
  const at = (word: string) => source.span(text.indexOf(word), text.indexOf(word) + word.length);
  diagnostics.add("IVR301", at("agent"), "100% wrong:\nsecond line", "Mend, it.");
  diagnostics.add("IVR210", at("name"), "A warning.");
  diagnostics.add(
    "IVR101",
    source.span(text.indexOf("電話"), text.indexOf("lines")),
    "Over lines.",
  );
  diagnostics.addFile("IVR126", "ivrctl.yaml", "No file.");
  return diagnostics.sorted();
}

describe("as JSON", () => {
  test("has the fields of the contract and no others", () => {
    expect(JSON.parse(diagnosticsJson(found()))).toEqual({
      format_version: "1.0",
      diagnostics: [
        {
          code: "IVR126",
          severity: "error",
          message: "No file.",
          file: "ivrctl.yaml",
          line: 1,
          column: 1,
          endLine: 1,
          endColumn: 1,
        },
        {
          code: "IVR210",
          severity: "warning",
          message: "A warning.",
          file: "ivrs/odd, name:100%.yaml",
          line: 1,
          column: 1,
          endLine: 1,
          endColumn: 5,
        },
        {
          code: "IVR101",
          severity: "error",
          message: "Over lines.",
          file: "ivrs/odd, name:100%.yaml",
          line: 2,
          column: 15,
          endLine: 3,
          endColumn: 8,
        },
        {
          code: "IVR301",
          severity: "error",
          message: "100% wrong:\nsecond line",
          file: "ivrs/odd, name:100%.yaml",
          line: 2,
          column: 19,
          endLine: 2,
          endColumn: 24,
          hint: "Mend, it.",
        },
      ],
    });
  });
});

describe("as workflow commands", () => {
  test("one line each, with nothing that could end a property or the line", () => {
    expect(diagnosticsGithub(found(), "telephony/")).toBe(
      [
        "::error file=telephony/ivrctl.yaml,line=1,endLine=1,col=1,endColumn=1,title=IVR126::No file.",
        "::warning file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=1,endLine=1,col=1,endColumn=4,title=IVR210::A warning.",
        "::error file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=2,endLine=3,title=IVR101::Over lines.",
        "::error file=telephony/ivrs/odd%2C name%3A100%25.yaml,line=2,endLine=2,col=19,endColumn=23,title=IVR301::100%25 wrong:%0Asecond line%0AMend, it.",
        "",
      ].join("\n"),
    );
  });
});

describe("as SARIF", () => {
  const require = createRequire(import.meta.url);
  const schema: unknown = JSON.parse(
    readFileSync(
      require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
      "utf8",
    ),
  );

  function validator() {
    const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
    formats.default(ajv);
    return ajv.compile(schema as object);
  }

  test.each([
    ["findings", found()],
    ["nothing", []],
  ])("%s is valid by the schema of 2.1.0", (_, diagnostics) => {
    const validate = validator();
    validate(JSON.parse(diagnosticsSarif(diagnostics, "", "1.2.3")));
    expect(validate.errors ?? []).toEqual([]);
  });

  test("the schema is one that can refuse", () => {
    const log = JSON.parse(diagnosticsSarif(found(), "", "1.2.3"));
    log.runs[0].results[0].level = "fatal";
    expect(validator()(log)).toBe(false);
  });

  test("names the rule, the place and the words", () => {
    const [run] = JSON.parse(diagnosticsSarif(found(), "sub/", "1.2.3")).runs;
    expect(run.results[3]).toEqual({
      ruleId: "IVR301",
      ruleIndex: 3,
      level: "error",
      message: { text: "100% wrong:\nsecond line Mend, it." },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "sub/ivrs/odd%2C%20name%3A100%25.yaml" },
            region: { startLine: 2, startColumn: 19, endLine: 2, endColumn: 24 },
          },
        },
      ],
    });
    expect(run.tool.driver.rules[3].id).toBe("IVR301");
  });
});

describe("as text", () => {
  async function said(columns: number, diagnostics = found()) {
    let all = "";
    const terminal = {
      out: () => {},
      say: (part: string) => void (all += part),
      style: (_: unknown, part: string) => part,
      styleOut: (_: unknown, part: string) => part,
      live: false,
      signs: true,
      interactive: false,
      unread: new AbortController().signal,
      columns,
      wordWrap: columns,
      outColumns: columns,
      prose: 80,
    };
    sayDiagnostics(diagnostics, terminal);
    return all;
  }

  test("the caret stands under the token: tabs, wide characters and emoji before it", async () => {
    expect(await said(100)).toContain(
      `2 |     options: "📞 電話" agent\n  | ${" ".repeat("    options: ".length + 1 + 2 + 1 + 4 + 1 + 1)}^^^^^`,
    );
  });

  test("what is longer than the terminal is cut around the fault", async () => {
    for (const line of (await said(32)).split("\n").filter((row) => /^\d* +\|/.test(row))) {
      expect(line.length).toBeLessThanOrEqual(32);
    }
    expect(await said(32)).toContain("agent");
  });

  test.for([
    "s3://states/team at 127.0.0.1:9000",
    "postgresql://127.0.0.1:5432/ivr, schema ivrctl",
  ])("%s has no lines", async (store) => {
    const diagnostics = new Diagnostics();
    diagnostics.addFile("IVR601", store, "Locked.");
    expect(await said(100, diagnostics.sorted())).toBe(`error[IVR601]: Locked.\n --> ${store}\n\n`);
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
  ])("%j is shown as %j", (outside, shown) => {
    expect(visible(outside)).toBe(shown);
  });
});
