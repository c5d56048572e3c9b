import { expect, test } from "vitest";
import { fromListed } from "../../src/project/agent-list.ts";
import { ListedAgent } from "../../src/schema/agent.ts";
import { exampleAgents } from "../../src/sandbox/example-agents.ts";
import type { SandboxRecord } from "../../src/sandbox/account.ts";
import { PayloadSchema } from "../../src/schema/payload.ts";
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
  phoneNumbers: typeof numbers | undefined,
  faults: readonly string[] = [],
): string {
  const { body } = sandboxPage({
    menus: [record(1, "Front desk"), record(2, hostile)],
    requests: [],
    agents,
    numbers: phoneNumbers,
    recordings: [{ id: "30001", at: "", audio_name: "welcome-1", type: "text", data: hostile }],
    dataFile: undefined,
    faults,
  });
  const [, sound = ""] = /<audio controls src="data:audio\/wav;base64,([^"]*)"/.exec(body) ?? [];
  expect(Buffer.from(sound, "base64").subarray(0, 12).toString("latin1")).toMatch(
    /^RIFF.{4}WAVE$/s,
  );
  expect(body).not.toMatch(/<img|<script|\u202E/);
  return body
    .replace(/<a [^>]*href="([^"]*)"[^>]*>/g, "[$1] ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/\s+/g, " ");
}

test("shows what a caller of each phone number reaches", () => {
  const text = pageText(numbers);
  for (const words of [
    "+91 22 4123 4567 Main line [#menu-1] menu 1, “ Front desk ”",
    `+91 22 4123 4568 ${shown} [#menu-2] menu 2, “ ${shown} ”`,
    "+91 22 4123 4569 Sales line Asha Rao (Sales)",
    "+91 22 4123 4570 Support line Meera Joshi (Support, blocked)",
    "+91 22 4123 4571 Night line nothing",
    "+91 22 4123 4572 Old line menu 9, which does not exist",
    "+91 22 4123 4573 Closed line the end of the call",
    "+91 22 4123 4574 Team line department 12",
  ]) {
    expect(text).toContain(words);
  }
});

test("shows no numbers if the sandbox does not offer them", () => {
  expect(pageText(undefined)).not.toContain("numbers");
});

test("shows the faults in force", () => {
  expect(pageText(undefined, ["503", "silence:<b>*"])).toContain(
    "Faults in force: 503, silence:<b>*",
  );
});
