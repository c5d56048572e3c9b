import { namesOf } from "../compile/names.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Subject, jsonSchema, subjects } from "../schema/json-schema.ts";
import type { Names } from "../schema/known-names.ts";
import { showFailed } from "../views/compile.ts";
import { showSchema } from "../views/schema.ts";
import { type Context, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { openConfiguration } from "../project/open-project.ts";
import { readAgents } from "../project/agents-lock.ts";

export default command({
  takes: `[${subjects.join("|")}]`,
  arguments: { [subjects.join("|")]: "Kind of file (default: menu)" },
  maxArguments: 1,
  about:
    "Print the JSON Schema of a menu, of ivrctl.yaml, of a test file or of _defaults.yaml.\n\nWith it, an editor completes and explains fields, and marks mistakes while you type. With --with-agents, it also completes the names of agents, teams, departments, recordings and SMS templates.",
  flags: {
    "with-agents": {
      type: "boolean",
      about: "Accept only names that exist; print the schema again when they change",
    },
    agents: {
      type: "string",
      value: "FILE",
      implies: "with-agents",
      about: "Read the names from this agent list (default: agents.lock.json)",
    },
  },
  completes: subjects,
  formats: ["json"],
  examples: [
    [
      "ivrctl schema > menu.schema.json",
      "then start a menu with `# yaml-language-server: $schema=../menu.schema.json`",
    ],
    ["ivrctl schema config", "for ivrctl.yaml"],
    ["ivrctl schema test", "for *.test.yaml"],
    ["ivrctl schema defaults", "for _defaults.yaml"],
    ["ivrctl schema --with-agents", "include the names in agents.lock.json and ivrctl.yaml"],
  ],
  async run(context) {
    const { args, flags, terminal } = context;
    const subject = subjectOf(args[0] ?? "menu");
    const diagnostics = new Diagnostics();
    const names = flags["with-agents"] ? loadNames(context, flags.agents, diagnostics) : undefined;
    if (diagnostics.hasErrors) {
      await showFailed(diagnostics.sorted(), terminal);
      return 1;
    }
    await showSchema(jsonSchema(subject, names), diagnostics.sorted(), terminal);
    return 0;
  },
});

function subjectOf(word: string): Subject {
  const subject = subjects.find((known) => known === word);
  if (subject !== undefined) return subject;
  throw new UsageError(`There is no schema \`${word}\`. Use menu, config, test or defaults.`);
}

/** Returns the names in the configuration and the agent list, for all environments. */
function loadNames(
  place: Pick<Context, "root" | "globals" | "variables">,
  agentsFile: string | undefined,
  diagnostics: Diagnostics,
): Names | undefined {
  const configuration = openConfiguration(place);
  const { source, config, found } = configuration;
  diagnostics.addAll(found.files);
  diagnostics.addAll(found.config);
  const agentsRequired = source !== undefined;
  const agents = readAgents(configuration, { agentsFile, agentsRequired }, diagnostics);
  return config && agents && namesOf(config, agents);
}
