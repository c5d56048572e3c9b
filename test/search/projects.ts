import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/cli.ts";
import type { Random } from "./random.ts";

const people = [
  "Asha Rao",
  "Front Desk",
  "{ agent: Ravi Kumar, team: Billing }",
  "{ agent: Ravi Kumar, team: Sales }",
  '{ intercom: "1004" }',
  '{ eid: "500101" }',
  "अनिल देशपांडे",
  '"Asha Rao"',
  "'Front Desk'",
  "{ kind: voicemail, id: '7' }",
  "{ hangup: true }",
];
const purposes = [
  "Sales",
  "'Bills'",
  '"New: cars"',
  "विक्री",
  "مبيعات",
  "Cars # and parts",
  "Sales at {{town}}",
];
const names = ["Shop", '"Shop: new"', "दुकान", "متجر", "店", "Shop {{town}}", "'It''s open'"];

/** The text of a random project: anchors, variables, defaults, environments, several menus in a file, comments. */
export function randomProject(random: Random): Record<string, string> {
  let comments = 0;
  const comment = () => (random.chance(0.3) ? ` # c${(comments += 1)}` : "");
  const line = (indent: string) => (random.chance(0.15) ? `${indent}# c${(comments += 1)}\n` : "");
  const to = (anchors: boolean) =>
    anchors && random.chance(0.25)
      ? random.pick(["*desk", "*desk", "{ <<: *sales }"] as const)
      : random.chance(0.15)
        ? '"{{seller}}"'
        : random.pick(people as [string, ...string[]]);
  const option = (indent: string, anchors: boolean): string => {
    const target = to(anchors);
    const purpose = random
      .pick(purposes as [string, ...string[]])
      .replace(/^Cars # and/, '"Cars # and')
      .replace(/parts$/, 'parts"');
    const quoted = purpose.includes("{{") ? `"${purpose}"` : purpose;
    if (target.startsWith("*") || random.chance(0.35)) return ` ${target}${comment()}\n`;
    const fields = target.startsWith("{")
      ? target.slice(1, -1).trim().split(", ")
      : [`agent: ${target}`];
    const all = random.chance(0.8) ? [`for: ${quoted}`, ...fields] : [...fields, `for: ${quoted}`];
    if (random.chance(0.2)) all.push("sms: link");
    return random.chance(0.6)
      ? ` { ${all.join(", ")} }${comment()}\n`
      : `${comment()}\n${all.map((field) => `${line(`${indent}  `)}${indent}  ${field}${comment()}\n`).join("")}`;
  };
  const options = (indent: string, anchors: boolean, canHide: boolean): string => {
    const keys = random.shuffle(["1", "2", "3", "4", '"*"', "0"]).slice(0, random.between(1, 4));
    if (random.chance(0.6)) keys.sort();
    if (random.chance(0.2)) {
      const parts = keys.map(
        (key) => `${key}: ${random.pick(["Asha Rao", "Front Desk"] as const)}`,
      );
      return `${indent}options: { ${parts.join(", ")} }${comment()}\n`;
    }
    const own = `${indent}  `;
    const entries = keys.map((key) =>
      canHide && random.chance(0.1)
        ? `${line(own)}${own}${key}: null\n`
        : `${line(own)}${own}${key}:${option(own, anchors)}`,
    );
    return `${indent}options:${comment()}\n${entries.join("")}`;
  };
  const recording = () => random.pick(["welcome", "bare", "long", '"12"', '{ id: "13" }'] as const);
  const section = (indent: string, name: "invalid" | "timeout", isFull: boolean): string => {
    const fields = [
      isFull || random.chance(0.5) ? `retries: ${random.between(1, 3)}` : [],
      isFull || random.chance(0.5) ? `recording: ${recording()}` : [],
      isFull || random.chance(0.5) ? `destination: ${to(false)}` : [],
      name === "timeout" && (isFull || random.chance(0.5)) ? `wait: ${random.between(3, 9)}` : [],
      name === "timeout" && (isFull || random.chance(0.5)) ? `retry_recording: ${recording()}` : [],
    ].flat();
    if (fields.length === 0) return "";
    if (random.chance(0.6)) return `${indent}${name}: { ${fields.join(", ")} }${comment()}\n`;
    return `${indent}${name}:${comment()}\n${fields.map((field) => `${indent}  ${field}${comment()}\n`).join("")}`;
  };
  const defaults = (indent: string) =>
    `${indent}description: A menu\n${indent}recording: ${recording()}\n${section(indent, "invalid", true)}${section(indent, "timeout", true)}`;
  let numbers = 0;
  const menu = (name: string, id: string | undefined, hasNumber: boolean): string => {
    const hasAnchors = random.chance(0.3);
    const parts = [
      hasAnchors
        ? "x-desk: &desk Front Desk\nx-sales: &sales { for: Sales, agent: Asha Rao }\n"
        : "",
      random.chance(0.5)
        ? `vars: { town: ${name}${random.chance(0.3) ? ", seller: Front Desk" : ""} }${comment()}\n`
        : `vars:\n  town: ${name}${comment()}\n`,
      random.chance(0.3)
        ? `description: ${random.pick(["Old", '"A: b"', ">\n  Several\n  lines\n"] as const)}\n`
        : "",
      random.chance(0.2) ? `recording: ${recording()}${comment()}\n` : "",
      hasNumber && random.chance(0.6)
        ? `numbers: ["+91224123450${(numbers += 1)}"]${comment()}\n`
        : hasNumber
          ? `numbers:\n  - "+91224123450${(numbers += 1)}"${comment()}\n  - "+91 22 4123 460${numbers}"\n`
          : "",
      random.chance(0.8) ? options("", hasAnchors, true) : "",
      random.chance(0.3) ? section("", "invalid", false) : "",
      random.chance(0.3) ? section("", "timeout", false) : "",
      random.chance(0.2) ? "extra: { timeout_retries: 2 }\n" : "",
      random.chance(0.3) ? "tests:\n  - { press: 1, reaches: Asha Rao }\n" : "",
    ];
    // A block text must end before the next field.
    const [first = "", ...rest] = hasAnchors ? parts : ["", ...parts];
    return `${id === undefined ? "" : `id: ${id}\n`}name: "${name} ${random
      .pick(names as [string, ...string[]])
      .replaceAll(/^['"]|['"]$/g, "")
      .replaceAll("''", "'")}"${comment()}\n${first}${random.shuffle(rest).join("")}${line("")}`;
  };
  const other = random.chance(0.5);
  const files: Record<string, string> = {
    "agents.lock.json": readFileSync(join(root, "agents.lock.json"), "utf8"),
    "ivrctl.yaml": `version: 1
default_environment: main
vars: { seller: Asha Rao, town: none }
sms_templates: { link: "77", offer: "78" }
sms_templates_enabled: true
recordings:
  welcome: { id: "10", says: 'For sales, press 1.' }${comment()}
  long:
    id: "11"
    says: >
      For sales,
      press 1.
    seconds: 4
  bare: "12"
environments:
  main: { service: sandbox }
${other ? "  other:\n    service: sandbox\n    vars: { seller: Front Desk }\n    recordings: { bare: '99' }\n" : ""}defaults:
${defaults("  ")}${random.chance(0.5) ? options("  ", false, false) : "  options: { 0: Front Desk }\n"}`,
    "ivrs/a.yaml": menu("A", undefined, true),
    "ivrs/b.yaml": menu("B", undefined, random.chance(0.4)),
    "ivrs/several.yaml": `${menu("C", "c", false)}---\n${menu("D", "d", random.chance(0.4))}`,
    "ivrs/towns/x.yaml": menu("X", undefined, false),
    "ivrs/towns/y.yaml": menu("Y", undefined, false).replace(/^name: .*\n/, ""),
    "ivrs/towns/_defaults.yaml": `name: "Town {{town}} ${random.between(1, 9)}"\n${options("", false, false)}${random.chance(0.5) ? section("", "timeout", false) : ""}`,
  };
  if (random.chance(0.4))
    files["ivrs/a.test.yaml"] = "tests:\n  - { press: 1, reaches: Front Desk }\n";
  if (other) {
    files["ivrs/e.yaml"] = `environments: [other]\n${menu("E", undefined, false)}`;
    files["ivrs/towns/f.yaml"] = `environments: [other]\n${menu("F", undefined, false)}`;
  }
  for (const file of Object.keys(files)) {
    if (!file.endsWith(".yaml")) continue;
    const text = files[file] ?? "";
    const form = random.choose({ crlf: 12, mark: 8, cut: 8, plain: 72 });
    if (form === "crlf") files[file] = text.replaceAll("\n", "\r\n");
    else if (form === "mark") files[file] = `\uFEFF${text}`;
    else if (form === "cut") files[file] = text.trimEnd();
  }
  return files;
}
