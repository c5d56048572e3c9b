import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { compile } from "../../src/index.ts";
import { explaining } from "../../src/yaml/mistakes/syntax-mistakes.ts";
import { readYaml } from "../../src/yaml/read-yaml.ts";
import { cases, sharedText, textIn } from "../support/cases.ts";
import { runs } from "../support/runs.ts";
import { hintText } from "../../src/util/suggest.ts";

const [config, agents] = [sharedText("ivrctl.yaml"), sharedText("agents.json")];

function errorsIn(text: string) {
  const { diagnostics } = compile({ config, agents, menus: { "ivrs/menu.yaml": text } });
  return diagnostics.filter(({ severity }) => severity === "error");
}

const files = cases
  .filter(({ name }) => name.startsWith("yaml/mistakes/"))
  .flatMap((testCase) =>
    [...testCase.files.keys()].map(
      (file) => [`${file} of ${testCase.name}`, textIn(testCase, file) ?? ""] as const,
    ),
  );

describe("the correction of a mistake", () => {
  test.each(files)("in %s makes the menu valid", (_, text) => {
    const lines = text.split("\n");
    const found = errorsIn(text);
    expect(found.length).toBeGreaterThan(0);
    for (const { line = 0, message, hint = "" } of found)
      apply(lines, line, message, hintText(hint));
    expect(errorsIn(lines.join("\n"))).toEqual([]);
  });

  test("works in a file with CRLF line endings", () => {
    const text = "name: x\r\noptions:\r\n  1: Asha Rao\r\n   2: Front Desk\r\n";
    const [first] = errorsIn(text);
    expect(first).toMatchObject({ code: "IVR101", line: 4, column: 4 });
    expect(first?.hint).toContain("Write `  2: Front Desk`.");
  });
});

/** Does what a hint says. Other lines are changed like the one that is shown. */
function apply(lines: string[], line: number, message: string, hint: string): void {
  const [, shown = "", other] = /Write `(.*)`(?: in line (\d+))?\./.exec(hint) ?? [];
  expect({ message, shown }).not.toEqual({ message, shown: "" });
  const first = Number(other ?? line) - 1;
  const before = lines[first] ?? "";
  lines[first] = shown;
  const [, from, , to] = /Change lines? (\d+)(?: (and|to) (\d+))? too/.exec(hint) ?? [];
  for (let next = Number(from); next <= Number(to ?? from); next += 1) {
    lines[next - 1] = changedLike(before, shown, lines[next - 1] ?? "");
  }
}

function changedLike(before: string, after: string, line: string): string {
  const leads = [before, after].map((text) => /^[\s-]*/.exec(text)?.[0] ?? "");
  const [old = "", lead = ""] = leads;
  if (old === lead) return line.replace(/^(\s*\w+)(?:\s*[=.:：]\s*|\s+)/, "$1: ");
  const rest = line.replaceAll("：", ": ");
  return rest.startsWith(old)
    ? lead + rest.slice(old.length)
    : rest.slice(old.length - lead.length);
}

test.each([
  ["name: [Front desk\ndescription: x\noptions:\n  1: Asha Rao\n", 1, 7],
  ["name: Front\n[\ndescription: x\noptions:\n  1: A\n", 2, 1],
  ["name: Front desk\noptions: [\n  1: A\n  2: { agent: B }\ninvalid: { retries: 1 }\n", 2, 10],
  ["name: Front desk\noptions:\n  [1: A\n  2: B\ninvalid:\n  retries: 1\n", 3, 3],
  ["[name: Front desk\noptions:\n  1: A\n  2: B\n", 1, 1],
  ["name: Front desk\noptions:\n  1: A\n[", 4, 1],
  ["environments: [\n  a,\n  b,\n  c,\n  d,\n  e\nname: Front desk\noptions:\n  1: A\n", 1, 15],
])("a stray [ is one error, at the bracket: %j", (text, line, column) => {
  const syntax = errorsIn(text).filter(({ code }) => code.startsWith("IVR1"));
  expect(syntax).toMatchObject([{ line, column, message: "This [ is never closed." }]);
});

describe("valid YAML", () => {
  const head = `name: Front desk
recording: welcome
invalid: { retries: 2, recording: not-valid, destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: still-there, recording: goodbye, destination: Front Desk }
`;
  const options = "options: { 1: Asha Rao }\n";

  test.each([
    "Sales:press 1",
    "wait 5, then = try; again",
    "“Sales”, ‘support’ and：more",
    "A\u00A0menu, with\u200B odd\u3000spaces",
    "it's 5 o'clock",
    'a "quoted" word',
    "a - b * c & d @ e % f ` g ! h",
    "x:@sales",
    "brackets } ] { [ in text",
    "first line\n  second line\n    third line",
    "|\n  name: x\n   wrong: column\n  - 1: x\n  \tkey",
    ">-\n  options:\n  1: x\n\n   2: y",
    '"a: b # c"',
    "'- x'",
    "&anchor text",
    "-5 degrees",
  ])("%j is a description", (value) => {
    expect(errorsIn(`${head}${options}description: ${value}\n`)).toEqual([]);
  });

  test.each([
    "options: { 1 : Asha Rao, 2 : { for : Sales, agent : Front Desk } }",
    "options:\n    1: Asha Rao\n    2:\n        agent: Front Desk",
    "options:\n  1:\n   agent: Asha Rao\n  2:\n      agent: Front Desk",
    "options: {\n    1: Asha Rao,\n  2: Front Desk\n  }",
    "options: {\n  1: Asha Rao,\n  2: Front Desk\n}",
    "options:\n  ? 1\n  : Asha Rao",
    'options:\n  "1":\tAsha Rao',
    "x-a: &a\nx-b:\noptions:\n  1: Asha Rao",
    "options:\n  1: Asha Rao\ntests:\n- press: 1\n  reaches: Asha Rao",
  ])("%j is valid", (text) => {
    expect(errorsIn(`${head}description: A menu\n${text}\n`)).toEqual([]);
  });

  test("is never explained", () => {
    fc.assert(
      fc.property(yamlish, (text) => {
        const source = new Source("ivrs/menu.yaml", text);
        const [plain, explained] = [new Diagnostics(), new Diagnostics()];
        readYaml(source, plain);
        explaining(source, explained, readYaml);
        if (!plain.hasErrors) expect(explained.sorted()).toEqual(plain.sorted());
        else expect(explained.hasErrors).toBe(true);
        const lines = text.split("\n");
        for (const { line = 1, column = 1 } of explained.sorted()) {
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("a long text", () => {
  /** What is read to explain the mistakes of a text, and what is reported. */
  const read = (text: string) => {
    const lengths: number[] = [];
    const found = new Diagnostics();
    explaining(new Source("ivrs/a.yaml", text), found, (source, diagnostics) => {
      lengths.push(source.text.length);
      readYaml(source, diagnostics);
    });
    return {
      total: lengths.reduce((a, b) => a + b),
      messages: found.sorted().map(({ message }) => message),
    };
  };
  const items = (count: number) =>
    Array.from({ length: count }, (_, at) => `  - { press: ${at}, reaches: Asha Rao }\n`).join("");

  test("has its mistake explained", () => {
    const text = `tests:\n${items(400)}---\ntests:\n  - { press: 1, reaches: Asha Rao\n${items(9)}`;
    expect(read(text).messages).toEqual(["This { is never closed."]);
  });

  test("is not read again if it is too long, and has the errors of YAML", () => {
    const text = `tests:\n  # ${"x".repeat(500_000)}\n  - { press: 1, reaches: Asha Rao\n  - x\n`;
    const { total, messages } = read(text);
    expect(total).toBe(text.length);
    expect(messages.length).toBeGreaterThan(0);
  });
});

/** Random texts that look like menus. */
const yamlish = fc
  .array(
    fc.constantFrom(
      ..."name: x|wait 5|1: Asha Rao|- 2: y|options:|{ a: b|}|, c: d|\"q|'|\n|\n|\n  |\n   |\n\t|: |、|：|“|”|\u00A0|*a|&a |@|---\n|# c".split(
        "|",
      ),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

test("the cases exist", () => {
  expect(files.length).toBeGreaterThan(60);
});
