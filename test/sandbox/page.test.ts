import { expect, test } from "vitest";
import { fromListed } from "../../src/compile/agents.ts";
import { ListedAgent } from "../../src/schema/agent.ts";
import { exampleAgents } from "../../src/sandbox/agents.ts";
import type { SandboxRecord } from "../../src/sandbox/account.ts";
import { PayloadSchema } from "../../src/schema/payload.ts";
import { parseFault } from "../../src/sandbox/fault-grammar.ts";
import { sandboxPage } from "../../src/sandbox/page.ts";
import { payload } from "./client.ts";

const hostile = '"><img src=x onerror=alert(1)>\u202E';
const shown = hostile.replace("\u202E", "\\u{202E}");

const record = (number: number, name: string): SandboxRecord => ({
  number,
  at: "2026-01-02T03:04:05.000Z",
  payload: PayloadSchema.parse(payload({ name })),
});

const number = (id: string, name: string, destination: string | null) => ({
  id,
  did: `+9122412345${id}`,
  name,
  destination,
  description: "",
});

const agents = exampleAgents().map((agent) => fromListed(ListedAgent.parse(agent)));

const numbers = [
  number("67", "Main line", "ivr||1"),
  number("68", hostile, "ivr||2"),
  number("69", "Sales line", "extension||500101"),
  number("70", "Support line", "extension||500105"),
  number("71", "Night line", null),
  number("72", "Old line", "ivr||9"),
  number("73", "Closed line", "hangup||1"),
  number("74", "Team line", "department||12"),
];

/** The page of an account with two menus and these numbers, as text with the addresses of its links. */
function pageText(
  own: typeof numbers | undefined,
  query = "",
  faults: readonly string[] = [],
): string {
  const { body } = sandboxPage({
    records: [record(1, "Front desk"), record(2, hostile)],
    requests: [],
    agents,
    numbers: own,
    dataFile: undefined,
    faults: faults.map(parseFault),
    query: new URLSearchParams(query),
  });
  expect(body).not.toMatch(/<img|\u202E/);
  return body
    .replace(/<a [^>]*href="([^"]*)"[^>]*>/g, "[$1] ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/\s+/g, " ");
}

test("shows what a caller of each phone number reaches, and the numbers of each menu", () => {
  const text = pageText(numbers);
  for (const words of [
    "8 numbers.",
    "+91 22 4123 4567 Main line [#menu-1] menu 1, “ Front desk ”",
    `+91 22 4123 4568 ${shown} [#menu-2] menu 2, “ ${shown} ”`,
    "+91 22 4123 4569 Sales line Asha Rao (Sales)",
    "+91 22 4123 4570 Support line Meera Joshi (Support, blocked )",
    "+91 22 4123 4571 Night line nothing",
    "+91 22 4123 4572 Old line menu 9, which does not exist",
    "+91 22 4123 4573 Closed line the call ends",
    "+91 22 4123 4574 Team line department 12",
    "Reached from +91 22 4123 4567 ( Main line ).",
  ]) {
    expect(text).toContain(words);
  }
});

test.for([
  ["+91 22 4123 4567", "1 number of 8 found", "1 menu of 2 found"],
  ["912241234567", "1 number of 8 found", "1 menu of 2 found"],
  ["meera", "1 number of 8 found", "0 menus of 2 found"],
  ["front desk", "1 number of 8 found", "1 menu of 2 found"],
  ["nothing", "1 number of 8 found", "0 menus of 2 found"],
  ["onerror", "1 number of 8 found", "1 menu of 2 found"],
] as const)("a search for %s looks at numbers and menus", ([query, ...found]) => {
  const text = pageText(numbers, `q=${encodeURIComponent(query)}`);
  for (const words of found) expect(text).toContain(`${words} for “${query}”`);
  // A link leads to the whole page, because the search may have left out the menu.
  if (query === "front desk") expect(text).toContain("[/?open=1#menu-1] menu 1");
});

test("shows no numbers if the sandbox does not offer them, and says if there are none", () => {
  expect(pageText(undefined)).not.toContain("numbers");
  expect(pageText([])).toContain("The account has no phone numbers.");
});

test("draws the menus that are asked for, with names from outside as text", () => {
  const text = pageText(numbers, "picture=2");
  expect(text).toContain("silence: waits 5, asks 2 more times, leads to Front Desk");
  expect(text.split("Hide the picture")).toHaveLength(2);
});

test("shows the first 50 numbers, and all on request", () => {
  const many = Array.from({ length: 60 }, (_, at) => number(`${at}`, `Line ${at}`, null));
  expect(pageText(many)).toContain("The first 50 of 60 numbers. [/?all=on] Show all 60");
  expect(pageText(many, "all=on")).toContain("Line 59");
});

test("shows which requests a simulated fault hits", () => {
  const faults = ["status=503 rate=0.1", "silence name='Front d*' times=2", "truncated=5 on=list"];
  expect(pageText(undefined, "", faults)).toContain(
    'Simulated faults: status=503 rate=0.1 , silence name="Front d*" times=2 , truncated=5 on=list .',
  );
});
