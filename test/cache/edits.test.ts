import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { caching, sayings } from "../support/cached.ts";
import { folder } from "../support/cli.ts";

// A project is changed step by step, at random; after each step a cached run must say
// what a fresh one says. The cache lives through all of them, and some steps damage it.

/** A piece of a menu and what it can be: the first is sound, others may not be. */
const pieces = {
  name: [
    "name: Desk $N",
    "name: Desk",
    'name: ""',
    "nam: Desk $N",
    "name: Desk $N # ivrctl-ignore: x",
  ],
  description: [
    "description: D",
    "description: D\nowner: sales@example.com",
    "",
    "on_change: refuse",
  ],
  recording: ["recording: welcome", "recording: other", 'recording: "050"', "recording: nope"],
  options: [
    "options: { 1: Asha Rao, 0: Front Desk }",
    "options:\n  1: Asha Rao\n  2: { for: Billing, agent: Ravi Kumar, team: Billing }\n  0: { eid: '500100' }",
    "options:\n  2: Asha Rao # ivrctl-ignore: keys-not-ascending we like it so\n  3: Asha Rao\n  0: Asha Rao",
    "options:\n  2: Asha Rao\n  1: Asha Rao",
    "options: { 1: Ravi Kumar }",
    "options: { 1: Nobody Atall, star: Asha Rao, '*': Asha Rao }",
    "options: { 1: { id: '7', agent: extension||500101 } }",
    "options: { 1: [",
  ],
  invalid: [
    "invalid: { retries: 2, destination: Front Desk }",
    "invalid: { retries: 9, destination: Front Desk }",
  ],
  timeout: [
    "timeout: { wait: 5, retries: 2, retry_recording: welcome, recording: other, destination: Front Desk }",
    "timeout: &t { wait: 90, retries: 0, retry_recording: welcome, recording: welcome, destination: Front Desk }",
    "timeout: { wait: soon }",
  ],
  tests: [
    "",
    "tests: [{ press: 1, reaches: Asha Rao }, { press: [9, 9, 9], via: invalid, hears: [welcome] }]",
    "tests: [{ press: 1, reaches: Ravi Kumar }, { press: 77 }]",
    "tests: [{ press: [], via: timeout }]\nmoved_from: a",
    "---\nid: second\nname: Second $N\n",
  ],
} as const;

const configs = [
  "",
  "defaults: { invalid: { recording: other } }",
  "defaults:\n  invalid: { recording: other }\n  options: { 9: Front Desk } # ivrctl-ignore: reserved-key",
  "rules: { zero-not-operator: off, keys-not-ascending: error }",
  "rules: { same-destination-twice: warn, wait-out-of-range: { max: 100 } }",
  "wire: { numbers: number }\nsms_templates: { pay: '77' }",
  'defaults: { invalid: { retries: "${RETRIES}", recording: other } }',
  "wrong: true",
];

const agents = {
  all: [
    ["Asha Rao", "500101", "Sales", false],
    ["Ravi Kumar", "500102", "Billing", false],
    ["Ravi Kumar", "500103", "Sales", false],
    ["Front Desk", "500100", null, false],
  ],
  blocked: [
    ["Asha Rao", "500101", "Sales", true],
    ["Ravi Kumar", "500102", "Billing", false],
    ["Front Desk", "500100", null, false],
  ],
  moved: [
    ["Front Desk", "500199", null, false],
    ["Asha Rao", "500111", "Sales", false],
    ["Ravi Kumar", "500102", "Billing", false],
  ],
} as const;

type Piece = keyof typeof pieces;
const pieceNames = Object.keys(pieces) as Piece[];
const keys = ["a", "b", "b/c", "A", "d.test"];

const step = fc.oneof(
  fc.record({
    do: fc.constant("menu" as const),
    key: fc.constantFrom(...keys),
    choices: fc.record(
      Object.fromEntries(
        pieceNames.map((name) => [
          name,
          // Mostly sound: what is at fault is never kept.
          fc.oneof(
            { weight: 4, arbitrary: fc.constant(0) },
            { weight: 1, arbitrary: fc.nat(pieces[name].length - 1) },
          ),
        ]),
      ),
    ),
  }),
  fc.record({ do: fc.constant("remove" as const), key: fc.constantFrom(...keys) }),
  fc.record({ do: fc.constant("config" as const), which: fc.nat(configs.length - 1) }),
  fc.record({
    do: fc.constant("agents" as const),
    which: fc.constantFrom("all", "blocked", "moved", "none" as const),
  }),
  fc.record({ do: fc.constant("damage" as const), at: fc.nat(), how: fc.nat(3) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function configText(which: number): string {
  return `version: 1
default_environment: test
recordings:
  welcome: { id: "19", says: "For sales, press 1." } # ivrctl-ignore: prompt-mismatch
  other: "20"
${configs[which]}
environments: { test: { service: sandbox } }
`;
}

function agentsText(which: "all" | "blocked" | "moved"): string {
  return JSON.stringify(
    agents[which].map(([name, eid, team_name, blocked], id) => ({
      id,
      name,
      eid,
      intercom: `10${id}`,
      team_name,
      custom_status: Number(blocked),
      departments: [],
    })),
  );
}

const formats = { validate: ["text", "json"], test: ["json"] };
let counter = 0;

function carryOut(root: string, one: Step): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  switch (one.do) {
    case "menu": {
      const number = String((counter += 1));
      const lines = pieceNames.map((name) => pieces[name][one.choices[name] ?? 0] ?? "");
      const text = one.key.endsWith(".test")
        ? `menu: a\ntests: [{ press: ${number.slice(-1)}, reaches: Asha Rao }]`
        : lines.join("\n").replaceAll("$N", number);
      write(`ivrs/${one.key}.yaml`, `${text}\n`);
      break;
    }
    case "remove":
      rmSync(join(root, `ivrs/${one.key}.yaml`), { force: true });
      break;
    case "config":
      write("ivrctl.yaml", configText(one.which));
      break;
    case "agents":
      if (one.which === "none") rmSync(join(root, "agents.lock.json"), { force: true });
      else write("agents.lock.json", agentsText(one.which));
      break;
    case "damage":
      damage(join(root, ".ivrctl/cache"), one.at, one.how);
  }
}

/** Flips a byte, cuts a file off, swaps two, or puts a folder in one's place. */
function damage(cache: string, at: number, how: number): void {
  const packs = readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".pack"))
    .map((entry) => entry.name);
  const [first, second] = [packs[at % packs.length], packs[(at + 1) % packs.length]];
  if (first === undefined || second === undefined) return;
  const path = join(cache, first);
  const bytes = readFileSync(path);
  if (how === 0) {
    const place = at % bytes.length;
    bytes.writeUInt8((bytes[place] ?? 0) ^ (1 << (at % 8)), place);
    writeFileSync(path, bytes);
  } else if (how === 1) writeFileSync(path, bytes.subarray(0, at % bytes.length));
  else if (how === 2) {
    const other = readFileSync(join(cache, second));
    writeFileSync(join(cache, second), bytes);
    writeFileSync(path, other);
  } else {
    rmSync(path);
    mkdirSync(path);
  }
}

/** More of them where somebody has the time. */
const runs = Number(process.env["CACHE_RUNS"] ?? 15);

test("whatever is changed, and whatever becomes of the cache, a cached run says what a fresh one says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const home = folder({});
      const root = join(home, "project");
      mkdirSync(join(root, ".ivrctl/cache"), { recursive: true });
      const start: Step[] = [
        { do: "config", which: 0 },
        { do: "agents", which: "all" },
        ...["a", "b"].map((key): Step => ({ do: "menu", key, choices: {} })),
      ];
      for (const one of start) carryOut(root, one);
      const variables = { RETRIES: "3" };
      for (const one of [undefined, ...steps]) {
        if (one !== undefined) carryOut(root, one);
        const [fresh, cached] = [caching("off", home), caching("always", home)];
        const right = await sayings({ root, variables: { ...variables, ...fresh } }, formats);
        const said = await sayings({ root, variables: { ...variables, ...cached } }, formats);
        expect(said).toEqual(right);
      }
      rmSync(home, { recursive: true });
    }),
    { numRuns: runs },
  );
}, 600_000);
