import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileMenu, findings } from "../support/rules.ts";

const menu = (options: string, head = "") => `${head}name: M
description: d
recording: "1"
options:
${options}
invalid: { retries: 2, recording: "2", destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: "3", recording: "4", destination: Front Desk }
`;

const quiet = `version: 1
default_environment: e
environments: { e: { service: sandbox } }
`;

describe("a problem", () => {
  const lines = ["1: Asha Rao", "4: Leading Zeros", "0: Front Desk", "9: { agent: Zoë Müller }"];

  test("is ignored by a comment on its line or the line above, and nowhere else", () => {
    const config = quiet;
    const plain = findings({ menu: menu(lines.map((line) => `  ${line}`).join("\n")), config });
    expect(plain).toEqual(["6 keys-not-ascending", "8 reserved-key"]);
    fc.assert(
      fc.property(
        fc.constantFrom("keys-not-ascending", "reserved-key"),
        fc.nat(3),
        fc.boolean(),
        (rule, at, above) => {
          const comment = `# ivrctl-ignore: ${rule} because`;
          const options = lines.map((line, index) => {
            if (index !== at) return `  ${line}`;
            return above ? `  ${comment}\n  ${line}` : `  ${line} ${comment}`;
          });
          const found = findings({ menu: menu(options.join("\n")), config });
          const right = rule === "keys-not-ascending" ? at === 1 : at === 3;
          expect(found.some((finding) => finding.endsWith(` ${rule}`))).toBe(!right);
        },
      ),
    );
  });

  test("does not prevent a payload if it is ignored or lowered", () => {
    const blocked = (comment: string) => menu(`  1: Meera Joshi${comment}\n  0: Front Desk`);
    const payload = (texts: Parameters<typeof compileMenu>[0]) =>
      [...compileMenu(texts).compiled.values()][0]?.payload.destination;
    expect(payload({ menu: blocked(""), config: quiet })).toBeUndefined();
    const sent = ["extension||500105", "extension||500104"];
    expect(payload({ menu: blocked(" # ivrctl-ignore: blocked-agent"), config: quiet })).toEqual(
      sent,
    );
    for (const severity of ["warn", "info", "off"]) {
      const config = `${quiet}rules: { blocked-agent: ${severity} }\n`;
      expect(payload({ menu: blocked(""), config })).toEqual(sent);
    }
    const strict = `${quiet}rules: { reserved-key: error }\n`;
    expect(
      payload({ menu: menu("  9: Asha Rao\n  0: Front Desk"), config: strict }),
    ).toBeUndefined();
  });
});

describe("a menu that is only partly valid", () => {
  test("is checked as far as possible, also without an agent list or environment", () => {
    const invalid = menu("  1: Nobody At All\n  5: Asha Rao\n  9: Front Desk");
    const expected = ["4 zero-not-operator", "5 IVR301", "6 keys-not-ascending", "7 reserved-key"];
    expect(findings({ menu: invalid, config: quiet })).toEqual(expected);
    expect(findings({ menu: invalid, config: quiet, agents: false })).toEqual(
      expected.filter((finding) => !finding.includes("IVR301")),
    );
    const nowhere = "version: 1\nenvironments: { e: { service: sandbox } }\n";
    expect(findings({ menu: invalid, config: nowhere })).toEqual(["2 IVR401", ...expected]);
  });

  test("is not checked if the configuration cannot be read, because rules may be off there", () => {
    const found = findings({ menu: menu("  5: Asha Rao"), config: "rules: [" });
    expect(found).toEqual(["1 IVR101"]);
  });
});

describe("a problem in a default", () => {
  const defaults = `${quiet}defaults:
  timeout: { wait: 60 }
  options:
    5: Front Desk
`;
  const own = `name: M
description: d
recording: "1"
options: { 1: Asha Rao, 0: Front Desk }
invalid: { retries: 2, recording: "2", destination: Front Desk }
timeout: { retries: 2, retry_recording: "3", recording: "4", destination: Front Desk }
`;

  test("is reported at the default, but in the menu if it conflicts with a value there", () => {
    const { diagnostics } = compileMenu({ menu: own, config: defaults });
    expect(diagnostics.sorted().map(({ file, line, rule }) => [file, line, rule])).toEqual([
      ["ivrctl.yaml", 5, "wait-out-of-range"],
      ["ivrs/menu.yaml", 4, "keys-not-ascending"],
      ["ivrs/menu.yaml", 4, "same-destination-twice"],
    ]);
  });

  test("can be ignored at the default", () => {
    const config = defaults.replace("wait: 60 }", "wait: 60 } # ivrctl-ignore: wait-out-of-range");
    const { diagnostics } = compileMenu({ menu: own, config });
    expect(diagnostics.sorted().map(({ file }) => file)).not.toContain("ivrctl.yaml");
  });
});
