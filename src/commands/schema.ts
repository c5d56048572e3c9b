import { namesOf } from "../compile/names.ts";
import { readAgentList } from "../compile/read/agent-list.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Names, type Subject, jsonSchema, subjects } from "../schema/json-schema.ts";
import { showFailed } from "../views/compile.ts";
import { showSchema } from "../views/schema.ts";
import { type Context, UsageError, command } from "./command.ts";
import { readList } from "../project/load-project.ts";
import { openConfiguration } from "../project/open-project.ts";

export default command({
  takes: `[${subjects.join("|")}]`,
  maxArguments: 1,
  about:
    "Prints the JSON Schema for editors: of a menu, of ivrctl.yaml, or of a file of tests. An editor that knows it completes fields, explains them, and marks what is wrong while it is typed. With --with-agents it knows the names of agents, teams, departments, recordings and SMS templates too.",
  flags: {
    "with-agents": {
      type: "boolean",
      about:
        "names complete while typing, and no other is accepted; write it anew when they change",
    },
    agents: {
      type: "string",
      value: "FILE",
      about: "with --with-agents: the service's JSON array, or a snapshot (else agents.lock.json)",
    },
  },
  completes: subjects,
  formats: ["json"],
  examples: [
    [
      "ivrctl schema > menu.schema.json",
      "first line of a menu: # yaml-language-server: $schema=../menu.schema.json",
    ],
    ["ivrctl schema config", "for ivrctl.yaml"],
    ["ivrctl schema test", "for *.test.yaml"],
    ["ivrctl schema --with-agents", "with the names in agents.lock.json and ivrctl.yaml"],
  ],
  async run(context) {
    const { args, flags, terminal } = context;
    const subject = subjectOf(args[0] ?? "menu");
    if (flags.agents !== undefined && !flags["with-agents"]) {
      throw new UsageError("--agents only says where the names are: add --with-agents.");
    }
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
  throw new UsageError(`There is a schema of ${subjects.join(", of ")}, not of ${word}.`);
}

/** From the configuration and the agent list alone, for no environment in particular. */
function loadNames(
  place: Pick<Context, "root" | "globals" | "variables">,
  agentsFile: string | undefined,
  diagnostics: Diagnostics,
): Names | undefined {
  const { root, source, config, found } = openConfiguration(place);
  diagnostics.addAll(found.files);
  diagnostics.addAll(found.config);
  const agentsRequired = source !== undefined;
  const list = readList(root, { agentsFile, agentsRequired }, diagnostics);
  const agents = list && readAgentList(list, diagnostics);
  return config && agents && namesOf(config, agents);
}
