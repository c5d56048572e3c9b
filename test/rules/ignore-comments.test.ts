import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/index.ts";
import { sharedText } from "../support/cases.ts";

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

/** Compiles one menu with the agents of the golden cases. */
const compileMenu = (menu: string, config = quiet) =>
  compile({ config, menus: { "ivrs/menu.yaml": menu }, agents: sharedText("agents.json") });

/** The lines and codes of the problems. */
const findings = (menu: string, config?: string) =>
  compileMenu(menu, config).diagnostics.map(({ code, line }) => `${line} ${code}`);

describe("a problem", () => {
  const lines = ["1: Asha Rao", "4: Leading Zeros", "0: Front Desk", "9: { agent: Zoë Müller }"];

  test("is ignored by a comment on its line or the line above, and nowhere else", () => {
    const plain = findings(menu(lines.map((line) => `  ${line}`).join("\n")));
    expect(plain).toEqual(["6 IVR702", "8 IVR704"]);
    const codes = { "keys-not-ascending": "IVR702", "reserved-key": "IVR704" };
    fc.assert(
      fc.property(
        fc.constantFrom("keys-not-ascending" as const, "reserved-key" as const),
        fc.nat(3),
        fc.boolean(),
        (rule, at, above) => {
          const comment = `# ivrctl-ignore: ${rule} because`;
          const options = lines.map((line, index) => {
            if (index !== at) return `  ${line}`;
            return above ? `  ${comment}\n  ${line}` : `  ${line} ${comment}`;
          });
          const found = findings(menu(options.join("\n")));
          const right = rule === "keys-not-ascending" ? at === 1 : at === 3;
          expect(found.some((finding) => finding.endsWith(codes[rule]))).toBe(!right);
        },
      ),
    );
  });

  test("does not prevent a payload if it is ignored or lowered", () => {
    const blocked = (comment: string) => menu(`  1: Meera Joshi${comment}\n  0: Front Desk`);
    const sent = (text: string, config?: string) =>
      compileMenu(text, config).payloads["menu"]?.destination;
    const both = ["extension||500105", "extension||500104"];
    expect(sent(blocked(""))).toBeUndefined();
    expect(sent(blocked(" # ivrctl-ignore: blocked-agent"))).toEqual(both);
    for (const severity of ["warn", "info", "off"]) {
      expect(sent(blocked(""), `${quiet}rules: { blocked-agent: ${severity} }\n`)).toEqual(both);
    }
    const strict = `${quiet}rules: { reserved-key: error }\n`;
    expect(sent(menu("  9: Asha Rao\n  0: Front Desk"), strict)).toBeUndefined();
  });
});

describe("a menu that is only partly valid", () => {
  test("is checked as far as possible, also without an environment", () => {
    const invalid = menu("  1: Nobody At All\n  5: Asha Rao\n  9: Front Desk");
    const expected = ["4 IVR703", "5 IVR301", "6 IVR702", "7 IVR704"];
    expect(findings(invalid)).toEqual(expected);
    const nowhere = "version: 1\nenvironments: { e: { service: sandbox } }\n";
    expect(findings(invalid, nowhere)).toEqual(["2 IVR401", ...expected]);
  });

  test("is not checked if the configuration cannot be read, because rules may be off there", () => {
    expect(findings(menu("  5: Asha Rao"), "rules: [")).toEqual(["1 IVR101"]);
  });
});

describe("a problem in a default", () => {
  const defaults = `${quiet}defaults:
  timeout: { wait: 60 }
  options:
    5: Front Desk
`;
  const text = `name: M
description: d
recording: "1"
options: { 1: Asha Rao, 0: Front Desk }
invalid: { retries: 2, recording: "2", destination: Front Desk }
timeout: { retries: 2, retry_recording: "3", recording: "4", destination: Front Desk }
`;

  test("is reported at the default, but in the menu if it conflicts with a value there", () => {
    const { diagnostics } = compileMenu(text, defaults);
    expect(diagnostics.map(({ file, line, code }) => [file, line, code])).toEqual([
      ["ivrctl.yaml", 5, "IVR705"],
      ["ivrs/menu.yaml", 4, "IVR702"],
      ["ivrs/menu.yaml", 4, "IVR708"],
    ]);
  });

  test("can be ignored at the default", () => {
    const config = defaults.replace("wait: 60 }", "wait: 60 } # ivrctl-ignore: wait-out-of-range");
    const { diagnostics } = compileMenu(text, config);
    expect(diagnostics.map(({ file }) => file)).not.toContain("ivrctl.yaml");
  });
});
