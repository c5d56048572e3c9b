import type { JsonSchema } from "../schema/json-schema.ts";
import { fileSchema, subjects } from "../workspace/file-schemas.ts";
import { isOutputName, outputNames, outputSchema } from "../schema/output/index.ts";
import { toJson } from "../views/json.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  arguments: {
    "[KIND]": `Kind of file: ${subjects.join(", ")} (default: menu). Or the output of a command: ${outputNames.join(", ")}`,
  },
  about:
    "Print the JSON Schemas for editors and programs.\n\nThere is one for a menu, for ivrctl.yaml, for a test file, for _defaults.yaml, and for what a command prints with `--format json`. With the schema of a file, an editor completes and explains fields, and marks mistakes while you type.",
  formats: ["json"],
  examples: [
    [
      "ivrctl schema > menu.schema.json",
      "then start a menu with `# yaml-language-server: $schema=../menu.schema.json`",
    ],
    ["ivrctl schema config", "for ivrctl.yaml"],
    ["ivrctl schema test", "for *.test.yaml"],
    ["ivrctl schema defaults", "for _defaults.yaml"],
    ["ivrctl schema plan-output", "for a program that reads `ivrctl plan --format json`"],
  ],
  async run({ args }) {
    const schema = schemaOf(args[0] ?? "menu");
    return { formats: { json: () => toJson(schema) } };
  },
});

function schemaOf(word: string): JsonSchema {
  const subject = subjects.find((known) => known === word);
  if (subject !== undefined) return fileSchema(subject);
  if (isOutputName(word)) return outputSchema(word);
  const kinds = [...subjects, ...outputNames];
  throw new UsageError(
    `There is no schema \`${word}\`. Use ${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}.`,
  );
}
