import { expect, test } from "vitest";
import { parse } from "yaml";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { strictAjv } from "../support/strict-ajv.ts";

// An editor with a JSON Schema must agree with `ivrctl validate` about these snippets, or there must
// be a reason.

interface Snippets {
  readonly menu?: readonly string[];
  readonly environment?: readonly string[];
  readonly invariant?: readonly string[];
}

const accepted: Snippets = {
  menu: [
    "options: { 1: Asha Rao }",
    'options: { 1: "Asha  Rao" }',
    'options: { 1: " Asha Rao " }',
    'options: { 1: "Asha\\tRao" }',
    'options: { 1: { agent: " Asha  Rao", team: " Sales " } }',
    'options: { 1: "Jose\\u0301 Nu\\u0301n\\u0303ez" }',
    "options: { 1: { agent: Ravi Kumar, team: Billing } }",
    "options: { 1: { eid: 500101 }, 2: { intercom: 1101, team: Sales } }",
    "options: { 1: { kind: department, id: 12, for: Billing } }",
    "options: { 1: { kind: null, menu: null, agent: Asha Rao } }",
    "options: { 1: { kind: department, id: 12, agent: null } }",
    "options: { 1: { menu: other }, 2: { hangup: true } }",
    'options: { "*": Asha Rao, hash: Asha Rao, 01: Asha Rao, x y: Asha Rao }',
    "timeout: { wait: 5 }",
    "timeout: { wait: 05 }",
    'timeout: { wait: "5" }',
    "recording: 19549",
    "tests: [{ press: 5, reaches: null }]",
    'tests: [{ press: 5, reaches: "Asha  Rao" }]',
  ],
  environment: [
    "state: {}",
    "state: { id: 3f9a0c1e-77b2 }",
    "state: { backend: file }",
    "state: { backend: git, remote: origin }",
    "state: { backend: s3, bucket: acme-state, region: eu-west-1 }",
    'state: { backend: postgres, url: "${STATE_URL}" }',
    'state: { backend: "${BACKEND}" }',
    "state: null",
    "recordings: { a: { id: 1, seconds: 7.0 } }",
  ],
  invariant: ["{ not_blocked: true }", "{ reaches: { team: Sales }, key: 7 }"],
};

const refused: Snippets = {
  menu: [
    "options: { 1: 1001 }",
    'options: { 1: "1001" }',
    "options: { 1: 0o7 }",
    "options: { 1: true }",
    "options: { 1: { agent: 1001 } }",
    'options: { 1: { agent: "1001" } }',
    "options: { 1: { agent: 1001, team: Sales } }",
    "options: { 1: { for: Billing } }",
    "options: { 1: { kind: department } }",
    "options: { 1: { kind: department, id: 12, agent: Asha Rao } }",
    "options: { 1: { menu: other, agent: Asha Rao } }",
    "options: { 1: { hangup: true, eid: 500101 } }",
    "options: { 1: { hangup: false } }",
    'options: { "": Asha Rao }',
    "invalid: { destination: { kind: department } }",
    "timeout: { destination: {} }",
    'timeout: { wait: "5.0" }',
    'timeout: { wait: "+5" }',
    'timeout: { wait: "1e1" }',
    'timeout: { wait: "0o7" }',
    "timeout: { wait: 5.5 }",
    "timeout: { wait: -1 }",
    "timeout: { wait: 1_000 }",
    "tests: [{ press: 5, reaches: {} }]",
    "tests: [{ press: 5, reaches: 1001 }]",
    'tests: [{ press: 5, reaches: "1001" }]',
    "tests: [{ press: 5, reaches: { kind: department } }]",
    "tests: [{ press: 5, reaches: { hangup: false } }]",
  ],
  environment: [
    "state: { backend: s3 }",
    "state: { backend: postgres }",
    "state: { backend: git, bucket: acme-state }",
    "state: { backend: file, branch: states }",
    'max_creates: "5.0"',
    'recordings: { "": 1 }',
  ],
  invariant: [
    "{ not_blocked: false }",
    '{ not_blocked: "${ANY}" }',
    "{ reaches: {} }",
    "{ reaches: { kind: department } }",
    "{ key: 5 }",
  ],
};

/** What only `validate` accepts: the name of an agent is a number, which is usually a mistake. */
const numberAsName: Snippets = { menu: ["options: { 1: { agent: 2024 } }"] };

/** What only `validate` refuses, by the reason why a schema cannot. */
const missed: Readonly<Record<string, Snippets>> = {
  "The parser of the editor reads them as 5, 10, 7, 31 and 0, and a pattern applies only to text.":
    {
      menu: [
        "timeout: { wait: 5.0 }",
        "timeout: { wait: +5 }",
        "timeout: { wait: 1e1 }",
        "timeout: { wait: 0o7 }",
        "timeout: { wait: 0x1F }",
        "timeout: { wait: -0 }",
        "recording: 1e1",
        "options: { 1: { eid: 0o7 } }",
      ],
      environment: [
        "max_creates: 5.0",
        "max_creates: +5",
        "recordings: { a: { id: 1, seconds: 1e1 } }",
        "recordings: { a: { id: 1, seconds: .5 } }",
      ],
    },
  "The schema has no names of agents and recordings.": {
    menu: [
      "options: { 1: Ravi Kumar }",
      "options: { 1: Meera Joshi }",
      "options: { 1: Asha Roa }",
      "options: { 1: asha rao }",
      'options: { 1: " Asha Roa " }',
      "options: { 1: { agent: Asha Rao, team: Sale } }",
      'options: { 1: "extension||500101" }',
      'recording: "recording||19549"',
      "recording: welcom",
      'recording: " welcome "',
      "tests: [{ press: 5, reaches: Asha Roa }]",
    ],
  },
  "It depends on other fields, menus or settings.": {
    menu: [
      "tests: [{ press: x, reaches: Asha Rao }]",
      "options: { 1: { menu: nowhere } }",
      'options: { 1: "{{who}}" }',
      "options: { star: Asha Rao, '*': Asha Rao }",
    ],
  },
  "A field that is null counts as missing. The editor accepts null, which removes a default.": {
    menu: [
      "options: { 1: { agent: null } }",
      "options: { 1: { kind: department, id: null } }",
      "tests: [{ press: 5, reaches: { team: null } }]",
    ],
    environment: ["state: { backend: s3, bucket: null }"],
  },
};

const agent = (id: number, name: string, team: string, blocked = false) => ({
  id: `${id}`,
  name,
  eid: `500${id}`,
  intercom: `1${id}`,
  team,
  departments: [],
  blocked,
});

const files = {
  "ivrctl.yaml": `version: 1
default_environment: e
defaults:
  description: A menu
  recording: welcome
  options: { 5: Asha Rao }
  invalid: { retries: 2, recording: welcome, destination: Asha Rao }
  timeout: { wait: 5, retries: 2, retry_recording: welcome, recording: welcome, destination: Asha Rao }
recordings: { welcome: "19549" }
environments:
  e: { service: sandbox }
`,
  "agents.lock.json": JSON.stringify({
    format_version: "2.0",
    environment: "e",
    service: "sandbox",
    agents: [
      agent(101, "Asha Rao", "Sales"),
      agent(102, "Ravi Kumar", "Billing"),
      agent(103, "Ravi Kumar", "Sales"),
      agent(105, "Meera Joshi", "Sales", true),
      agent(107, "José Núñez", "Sales"),
      agent(108, "2024", "Sales"),
    ],
  }),
  "ivrs/other.yaml": "name: Other\n",
};

/** The files and lines in which `ivrctl validate` finds errors. */
async function errors(changed: Readonly<Record<string, string>>): Promise<Set<string>> {
  const cwd = folder({ ...files, ...changed });
  const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd });
  const found: { severity: string; file: string; line: number }[] = JSON.parse(stdout).diagnostics;
  return new Set(
    found
      .filter(({ severity }) => severity === "error")
      .flatMap(({ file, line }) => [file, `${file}:${line}`]),
  );
}

/** Whether `ivrctl validate` accepts each snippet. */
const validate = {
  menu: async (snippets: readonly string[]) => {
    const menus = snippets.map((text, index) => [
      `ivrs/menu${index}.yaml`,
      `{ name: Menu ${index}, ${text} }\n`,
    ]);
    const found = await errors(Object.fromEntries(menus));
    return snippets.map((_, index) => !found.has(`ivrs/menu${index}.yaml`));
  },
  environment: async (snippets: readonly string[]) => {
    const text = `${files["ivrctl.yaml"]}${snippets.map((text, index) => `  e${index}: { ${text} }\n`).join("")}`;
    const found = await errors({ "ivrctl.yaml": text });
    const first = files["ivrctl.yaml"].split("\n").length;
    return snippets.map((_, index) => !found.has(`ivrctl.yaml:${first + index}`));
  },
  invariant: async (snippets: readonly string[]) => {
    const verdicts: boolean[] = [];
    for (const text of snippets) {
      const found = await errors({
        "ivrctl.yaml": `${files["ivrctl.yaml"]}invariants: [${text}]\n`,
      });
      verdicts.push(found.size === 0);
    }
    return verdicts;
  },
};

/** The documents that an editor checks. */
const documents = {
  menu: (text: string) => `{ name: Menu, ${text} }`,
  environment: (text: string) => `{ version: 1, environments: { e: { ${text} } } }`,
  invariant: (text: string) => `{ version: 1, environments: {}, invariants: [${text}] }`,
};

/** Returns a function that says whether the printed schema accepts a snippet. */
async function schema(kind: keyof Snippets) {
  const subject = kind === "menu" ? "menu" : "config";
  const { stdout } = await ivrctl(["schema", subject], { cwd: folder({}) });
  const accepts = strictAjv().compile(JSON.parse(stdout));
  return (text: string) => accepts(parse(documents[kind](text), { merge: true }));
}

const no = { validate: false, editor: false };
const yes = { validate: true, editor: true };

const groups: readonly (readonly [string, Snippets, typeof no])[] = [
  ["accepted", accepted, yes],
  ["refused", refused, no],
  ["a number as a name", numberAsName, { ...yes, editor: false }],
  ...Object.entries(missed).map(
    ([reason, snippets]) => [reason, snippets, { ...yes, validate: false }] as const,
  ),
];

test.each(["menu", "environment", "invariant"] as const)(
  "an editor and `ivrctl validate` agree about each %s, or there is a reason",
  async (kind) => {
    const editor = await schema(kind);
    const expected = groups.flatMap(([group, snippets, verdicts]) =>
      (snippets[kind] ?? []).map((text) => ({ group, text, ...verdicts })),
    );
    const verdicts = await validate[kind](expected.map(({ text }) => text));
    const seen = expected.map(({ group, text }, index) => ({
      group,
      text,
      validate: verdicts[index],
      editor: editor(text),
    }));
    expect(seen).toEqual(expected);
  },
);
