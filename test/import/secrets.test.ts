import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { diagnosticsGithub } from "../../src/views/diagnostics/github-annotations.ts";
import { diagnosticsJson } from "../../src/views/json.ts";
import { diagnosticsText } from "../../src/views/diagnostics/diagnostics-text.ts";
import { importText, payload } from "../support/import.ts";
import { some } from "../support/runs.ts";
import { commandText } from "../../src/util/suggest.ts";

const secret = "tok3n-S3CRET";
const good = JSON.stringify(payload);

/** Arguments of curl with a token in them. */
const disguises = [
  `-H 'Authorization: Bearer ${secret}'`,
  `-H "authorization:Bearer ${secret}"`,
  `-H"Authorization: Bearer ${secret}"`,
  `--header=Authorization:\\ ${secret}`,
  `--header 'X-Api-Key: ${secret}'`,
  `-H $'Authorization: Bearer ${secret}'`,
  `-H Authorization:${secret}`,
  `-sH 'X: ${secret}'`,
  `-u asha:${secret}`,
  `-uasha:${secret}`,
  `--user 'asha:${secret}'`,
  `--oauth2-bearer ${secret}`,
  `--oauth2-bearer=${secret}`,
  `-b 'session=${secret}'`,
  `--cookie session=${secret}`,
  `-x http://asha:${secret}@proxy:8080`,
  `--proxy-user asha:${secret}`,
  `-A ${secret}`,
  `-e https://x/?${secret}`,
  `--cert file:${secret}`,
  `--pass ${secret}`,
  `--unknown-option=${secret}`,
  `--unknown-option ${secret}`,
  `-${secret}`,
  `--${secret}`,
  `'https://asha:${secret}@example.com/v1/ivr'`,
  `https://example.com/v1/ivr?access_token=${secret}`,
  `https://example.com/${secret}/v1/ivr`,
  `\\\n  -H 'Authorization: Bearer ${secret}' \\\n `,
  `# ${secret}`,
  `> ${secret}`,
  `| TOKEN=${secret} jq`,
  `; echo ${secret}`,
];

/** A valid body, and invalid ones for which a diagnostic shows a line. */
const bodies = [
  good,
  `${good},`,
  good.replace('"name"', '"nam"'),
  good.replace('"5"', '"5s"'),
  good.replace("extension||500102", "extension||1"),
  good.replace(',"extension||500102"', ""),
  good.replace("{", `{"access_token":"${secret}",`),
  good.replace("{", `{"${secret} x":1,`),
  good.replace("{", `{"token":{"a":["${secret}"]},`),
  good.replace('"First menu"', `{"a":"${secret}"}`),
  `{"a": ${secret}}`,
  `access_token=${secret}&name=x`,
  `"${secret}"`,
  `["${secret}"]`,
];

const commandsWith = (body: string, disguise: string) => [
  `curl -d '${body}' ${disguise}`,
  `curl ${disguise} -d '${body}'`,
  `$ X=${secret} curl -X POST -d '${body}' ${disguise}`,
  // Misplaced quotes.
  `curl -d '${body} ${disguise}`,
  `curl -d "${body} ${disguise}`,
  `curl -d '${body} ${disguise}' ' https://x`,
  `curl -d ${body} ${disguise} https://x`,
  `curl ${disguise} -d '${body}' -d '${body}'`,
  `curl ${disguise} -d "${body.replaceAll('"', '\\"')} $TOKEN"`,
  `curl ^\n ${disguise} ^\n -d "${body.replaceAll('"', '\\"')}"`,
];

async function shown(diagnostics: readonly Diagnostic[]): Promise<string> {
  const printed = diagnosticsText(diagnostics, {
    style: (_, text) => text,
    columns: 10_000,
    wordWrap: Number.POSITIVE_INFINITY,
    verbose: true,
    command: commandText,
    path: (path) => path,
  });
  return printed + diagnosticsJson(diagnostics) + diagnosticsGithub(diagnostics, "");
}

describe("a token in pasted text", () => {
  let turn = 0;

  test.each(disguises)("appears neither in the menu nor in the output: %s", async (disguise) => {
    for (const pasted of some(
      bodies.flatMap((body) => commandsWith(body, disguise)),
      (turn += 1),
    )) {
      const { menus, diagnostics } = importText(pasted);
      expect(JSON.stringify(menus)).not.toContain(secret);
      expect(await shown(diagnostics)).not.toMatch(/S3CRET|tok3n/);
    }
  });

  test("hides the content of a JSON file that is not a payload", async () => {
    for (const content of [`{"token": "${secret}"}`, `{"token": "${secret}",}`, `["${secret}"]`]) {
      const { diagnostics } = importText(content);
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(await shown(diagnostics)).not.toMatch(/S3CRET|tok3n/);
    }
  });

  test("shows the line of the body", async () => {
    const { diagnostics } = importText(
      `curl -H 'Authorization: Bearer ${secret}' -d '${good.replace('"5"', '"5s"')}'`,
    );
    expect(await shown(diagnostics)).toContain('"timeout":"5s"');
  });
});
