import { describe, expect, test } from "vitest";
import { importText, payload } from "../support/import.ts";

const json = JSON.stringify(payload);
const laidOut = JSON.stringify(payload, null, 2);
const double = `"${json.replaceAll('"', '\\"')}"`;
const [expected] = importText(json).menus;

describe("a pasted curl command", () => {
  test.each([
    ["-d in single quotes", `curl https://x/v1/ivr -d '${json}'`],
    ["-d in double quotes", `curl https://x/v1/ivr -d ${double}`],
    ["-d without a space", `curl -d'${json}' https://x`],
    ["-d after other short options", `curl -sSLd '${json}' https://x`],
    ["--data", `curl --data '${json}' https://x`],
    ["--data=…", `curl --data='${json}' https://x`],
    ["--data-raw", `curl --data-raw '${json}' https://x`],
    ["--data-raw=…", `curl "--data-raw="'${json}' https://x`],
    ["--data-binary", `curl --data-binary '${json}' https://x`],
    ["--data-ascii", `curl --data-ascii '${json}' https://x`],
    ["--json", `curl --json '${json}' https://x`],
    [
      "$'…'",
      `curl -d $'${json.replaceAll('"', "\\x22").replace("Front", "\\u0046ront")}' https://x`,
    ],
    ["$'…' with letters", `curl -d $'${laidOut.replaceAll("\n", "\\n").replaceAll("  ", "\\t")}'`],
    ["over several lines", `curl https://x \\\n  -X POST \\\n  -H 'a: b' \\\n  -d '${laidOut}'\n`],
    [
      "with CRLF",
      `curl https://x \\\r\n  -X POST \\\r\n  -d '${laidOut.replaceAll("\n", "\r\n")}'\r\n`,
    ],
    ["a prompt", `$ curl https://x -d '${json}'`],
    ["a longer prompt", `asha@pune:~/work$ curl https://x -d '${json}'`],
    ["a prompt on each line", `$ curl https://x \\\n> -X POST \\\n> -d '${json}'`],
    ["comments", `# what we send\n\ncurl https://x -d '${json}' # it's this\n`],
    ["a fence", `\`\`\`sh\ncurl https://x -d '${json}'\n\`\`\`\n`],
    [
      "a variable before it",
      `TOKEN=$(cat token) curl -H "authorization: Bearer $TOKEN" -d '${json}' x`,
    ],
    ["a pipe after it", `curl -s https://x -d '${json}' | jq . > out.json`],
    [
      "a second command",
      `curl https://x/v1/agents -H 'a: b'\ncurl https://x -d '${json}'; echo done`,
    ],
    ["JSON with blank lines before it", `\n\n  ${laidOut}\n`],
  ])("is imported: %s", (_, pasted) => {
    const { menus, faults } = importText(pasted);
    expect(faults).toEqual([]);
    expect(menus).toEqual([expected]);
  });

  test.each([
    ["-d@FILE", "curl -d@body.json https://x"],
    ["--data=@FILE", "curl --data=@body.json https://x"],
    ["--json @FILE", "curl --json @body.json https://x"],
    ["cmd.exe", `curl https://x ^\r\n  -X POST ^\r\n  -d ${double}\r\n`],
    ["quotes of cmd.exe", `curl https://x -d ^"{^\\^"name^\\^":1}^"`],
    ["a here-document", `curl https://x -d @- <<'EOF'\n${laidOut}\nEOF\n`],
    ["a here-string", `curl https://x -d @- <<< '${json}'`],
    ["a variable in the body", `curl https://x -d ${double.replace("Front", "$NAME")}`],
    ["a file to upload", "curl https://x -T body.json"],
  ])("is refused with the advice to import the body: %s", (_, pasted) => {
    const { menus, diagnostics } = importText(pasted);
    expect(menus).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics[0]?.hint)).toMatch(/Save the body|Import the file/);
  });

  test.each([
    ["'", "'"],
    ["$'", "'"],
    ['-H "a: b" -d \'', "'"],
    ['-H "a: b" -d$\'', "'"],
    ['-H "a: b" --data=\'', "'"],
  ])("is not read as a Windows command if a ^ is before a quote after %s", (open, close) => {
    const body = JSON.stringify({ ...payload, description: "^" });
    const before = open.startsWith("-") ? open : `-d ${open}`;
    const { menus, faults } = importText(`curl https://x ${before}${body}${close}`);
    expect(faults).toEqual([]);
    expect(menus[0]?.text).toContain("description: ^\n");
  });

  test("imports several menus from several commands, --next, lists and maps", () => {
    const other = JSON.stringify({ ...payload, name: "Other" });
    for (const pasted of [
      `curl -d '${json}' x\ncurl -d '${other}' x`,
      `curl -d '${json}' x --next -d '${other}' x`,
      `curl -d '[${json}, ${other}]' x`,
      `[${json}, ${other}]`,
      `{"a/b": ${json}, "c": ${other}}`,
    ]) {
      const { menus, faults } = importText(pasted);
      expect(faults).toEqual([]);
      expect(menus.map(({ text }) => text.split("\n")[0])).toEqual([
        "name: Front desk",
        "name: Other",
      ]);
    }
  });

  test("reports a problem in the body at the exact line and column", () => {
    const wrong = laidOut.replace('"5"', '"5s"');
    for (const pasted of [
      `curl \\\n -d '${wrong}' x`,
      `curl \\\r\n -d '${wrong.replaceAll("\n", "\r\n")}' x`,
      `curl \\\n -d $'${wrong}' x`,
    ]) {
      expect(importText(pasted).faults).toEqual(["IVR655 6:14"]);
    }
    const escaped = `"${wrong.replaceAll('"', '\\"')}"`;
    const { diagnostics } = importText(`curl \\\n -d ${escaped} x`);
    expect(diagnostics).toMatchObject([{ file: "pasted (request body)", line: 5, column: 14 }]);
  });
});
