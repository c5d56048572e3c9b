import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { plainStrings } from "../../build/plain-strings.ts";

async function built(code: string): Promise<string> {
  const bundle = await rolldown({
    input: "a",
    plugins: [{ name: "files", resolveId: () => "a", load: () => code }, plainStrings()],
  });
  const { output } = await bundle.generate({ format: "cjs" });
  await bundle.close();
  return output[0].code;
}

test.each([
  ["a text", "console.log(`one`);", 'console.log("one");'],
  ["one inside of another", "console.log(`${f(`one`)} two`);", 'console.log(`${f("one")} two`);'],
  ["what is filled in", "console.log(`${one} two`);", "console.log(`${one} two`);"],
  ["quotes", 'console.log(`a "b"`);', 'console.log(`a "b"`);'],
  ["several lines", "console.log(`a\nb`);", "console.log(`a\nb`);"],
  ["escapes", "console.log(`a\\u2026`);", "console.log(`a\\u2026`);"],
  ["a text with a tag", "console.log(String.raw`a`);", "console.log(String.raw`a`);"],
])("%s", async (_, code, expected) => {
  expect(await built(code)).toContain(expected);
});
