import { describe, expect, test } from "vitest";
import { compile } from "../../src/index.ts";

const config = "version: 1\ndefault_environment: e\nenvironments: { e: { service: sandbox } }\n";

/** The help for every problem of a menu or a configuration. */
function hints(input: { menu?: string; config?: string }): (string | undefined)[] {
  const menus = { "ivrs/m.yaml": input.menu ?? "name: M\n" };
  const { diagnostics } = compile({ config: input.config ?? config, menus, agents: [] });
  const file = input.config === undefined ? "ivrs/m.yaml" : "ivrctl.yaml";
  return diagnostics.filter((found) => found.file === file).map(({ hint }) => hint);
}

describe("the help for an invalid value in ivrctl.yaml", () => {
  test.each([
    ["state: postgresql://me:s3cret@db/x", "state: { backend: s3, bucket: acme-ivr-state }"],
    ["service: { base_url: [s3cret], token: '${T}' }", "base_url: https://telephony.example/api"],
    ["recordings: { s3cret: { id: [] } }", 'id: "19549"'],
    ["recordings: { s3cret: [] }", '"19549"'],
  ])("shows an example and never the value: %s", (setting, example) => {
    const found = hints({ config: `version: 1\nenvironments: { e: { ${setting} } }\n` });
    expect(found).toContain(`Write a value such as \`${example}\`.`);
    expect(found.join()).not.toContain("s3cret");
  });
});
