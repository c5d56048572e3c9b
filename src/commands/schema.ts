import { type Subject, jsonSchema, subjects } from "../schema/json-schema.ts";
import { toJson } from "../views/json.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  takes: "[KIND]",
  arguments: { KIND: `Kind of file: ${subjects.join(", ")} (default: menu)` },
  about:
    "Print the JSON Schema of a menu, of ivrctl.yaml, of a test file or of _defaults.yaml.\n\nWith it, an editor completes and explains fields, and marks mistakes while you type.",
  flags: {},
  formats: ["json"],
  examples: [
    [
      "ivrctl schema > menu.schema.json",
      "then start a menu with `# yaml-language-server: $schema=../menu.schema.json`",
    ],
    ["ivrctl schema config", "for ivrctl.yaml"],
    ["ivrctl schema test", "for *.test.yaml"],
    ["ivrctl schema defaults", "for _defaults.yaml"],
  ],
  async run({ args }) {
    const schema = jsonSchema(subjectOf(args[0] ?? "menu"));
    return { exit: 0, formats: { json: () => toJson(schema) } };
  },
});

function subjectOf(word: string): Subject {
  const subject = subjects.find((known) => known === word);
  if (subject !== undefined) return subject;
  throw new UsageError(`There is no schema \`${word}\`. Use menu, config, test or defaults.`);
}
