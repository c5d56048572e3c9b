import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

/** A prompt, and what each key is for: `For sales, press 1. | 1 Sales`. */
const lines = readFileSync(new URL("prompts.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

const stringOf = (text: string) => JSON.stringify(text);

/** What the rule says about prompts whose keys have these purposes. */
async function reported(prompts: readonly string[]): Promise<string[]> {
  const recordings = prompts.map(
    (line, at) => `  r${at}: { id: "${100 + at}", says: ${stringOf(line.split(" | ")[0] ?? "")} }`,
  );
  const menus = prompts.map((line, at) => {
    const options = (line.split(" | ")[1] ?? "").split("; ").map((option) => {
      const [key = "", ...words] = option.split(" ");
      return `  ${stringOf(key)}: { for: ${stringOf(words.join(" "))}, agent: Front Desk }`;
    });
    const text = `name: M${at}\nrecording: r${at}\noptions:\n${options.join("\n")}\n`;
    return [`ivrs/m${at}.yaml`, text] as const;
  });
  const config = `version: 1
default_environment: sandbox
recordings:
${recordings.join("\n")}
environments: { sandbox: { service: sandbox } }
defaults:
  description: A menu
  invalid: { retries: 2, recording: "1", destination: Front Desk }
  timeout: { wait: 5, retries: 2, retry_recording: "2", recording: "3", destination: Front Desk }
`;
  const cwd = exampleProject({ "ivrctl.yaml": config, ...Object.fromEntries(menus) });
  const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string }[] };
  return diagnostics.flatMap(({ message }) => (/\(that is key/.test(message) ? message : []));
}

test("prompts that fit their menus in other words are never reported", async () => {
  expect(lines.length).toBeGreaterThanOrEqual(100);
  expect(await reported(lines)).toEqual([]);
});

test("two keys that are swapped are reported", async () => {
  const swapped = [lines[0] ?? "", lines[2] ?? ""].map((line) => {
    const [says, options = ""] = line.split(" | ");
    const [one = "", two = "", ...more] = options.split("; ");
    return `${says} | ${[`1 ${two.slice(2)}`, `2 ${one.slice(2)}`, ...more].join("; ")}`;
  });
  expect(await reported(swapped)).toHaveLength(2);
});
