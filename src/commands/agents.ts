import { join } from "node:path";
import { type Agent, normalName } from "../compile/agents.ts";
import { snapshotName } from "../project/files.ts";
import { snapshotText } from "../project/agents-lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { sayPulled, showAgents, showNoAgents } from "../views/agents.ts";
import { sayDeprecated, serviceWatcher } from "../views/service.ts";
import { type CommandGroup, type Context, command } from "../cli/command.ts";
import { type LiveAgents, listLive, readAgentsFile } from "../deploy/service/agents.ts";
import { replaceFile } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";

const source = {
  agents: {
    type: "string",
    value: "FILE",
    about: "Read the agent list from this file (default: ask the service)",
  },
} as const;

const listFlags = {
  ...source,
  name: {
    type: "string",
    value: "TEXT",
    completes: "agent",
    about: "Show only agents whose name contains this text",
  },
  team: {
    type: "string",
    value: "NAME",
    completes: "team",
    about: "Show only agents of this team",
  },
  department: {
    type: "string",
    value: "NAME",
    completes: "department",
    about: "Show only agents of this department",
  },
  blocked: { type: "boolean", about: "Show only blocked agents" },
} as const;

const list = command({
  maxArguments: 0,
  about: "Show the agent list of the service",
  flags: listFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents list", "all agents, as a table"],
    ["ivrctl agents list --team Billing --format json", "one team, for a script"],
  ],
  async run(context) {
    const { flags, terminal, format } = context;
    const diagnostics = new Diagnostics();
    const listing = await load(context, flags.agents, diagnostics);
    if (listing === undefined) {
      await showNoAgents(diagnostics.sorted(), format, terminal);
      return 1;
    }
    const { environment, agents } = listing;
    await showAgents(
      agents.list.filter((agent) => isWanted(agent, flags)),
      {
        environment,
        total: agents.list.length,
        diagnostics: diagnostics.sorted(),
        format,
        terminal,
      },
    );
    return 0;
  },
});

const pull = command({
  maxArguments: 0,
  about:
    "Save the agent list of the service in agents.lock.json.\n\nOther commands read agents from this file and do not need the service.",
  flags: source,
  formats: ["text", "json"],
  examples: [["ivrctl agents pull", "write agents.lock.json"]],
  async run(context) {
    const { flags, terminal, format, globals } = context;
    const diagnostics = new Diagnostics();
    const listing = await load(context, flags.agents, diagnostics);
    const problem = listing && save(context.root, listing);
    if (problem !== undefined) {
      diagnostics.addFile("IVR127", snapshotName, `Cannot write ${snapshotName}: ${problem}.`);
    }
    if (listing === undefined || problem !== undefined) {
      await showNoAgents(diagnostics.sorted(), format, terminal);
      return 1;
    }
    sayPulled(listing.agents.list.length, format, globals.quiet, terminal);
    return 0;
  },
});

const group: CommandGroup = {
  about: "Show the agent list of the service, or save it in agents.lock.json",
  defaultSubcommand: "list",
  subcommands: {
    list: { about: "Show the agent list (default)", load: async () => list },
    pull: { about: "Save the agent list in agents.lock.json", load: async () => pull },
  },
  examples: [
    ["ivrctl agents", "all agents, as a table"],
    ["ivrctl agents pull", "write agents.lock.json"],
  ],
};

export default group;

interface Listing extends Pick<LiveAgents, "host" | "agents"> {
  /** Null if the list is from a file. */
  readonly environment: string | null;
}

async function load(
  context: Context,
  file: string | undefined,
  diagnostics: Diagnostics,
): Promise<Listing | undefined> {
  if (file !== undefined) {
    const agents = readAgentsFile(context.root, file, diagnostics);
    return agents && { environment: null, host: "a file", agents };
  }
  const live = await listLive(context, serviceWatcher(context), diagnostics);
  if (live?.isDeprecated === true && !context.globals.quiet) sayDeprecated(context.terminal);
  return live;
}

/** Writes agents.lock.json. Returns the reason if that fails. */
function save(root: string, { host, agents }: Listing): string | undefined {
  const text = snapshotText(agents.list, { pulledAt: new Date().toISOString(), service: host });
  try {
    replaceFile(join(root, snapshotName), text);
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}

interface Filter {
  readonly name: string | undefined;
  readonly team: string | undefined;
  readonly department: string | undefined;
  readonly blocked: boolean;
}

function isWanted(agent: Agent, { name, team, department, blocked }: Filter): boolean {
  const same = (a: string, b: string) => normalName(a) === normalName(b);
  return (
    (name === undefined ||
      normalName(agent.name).toLowerCase().includes(normalName(name).toLowerCase())) &&
    (team === undefined || (agent.team !== null && same(agent.team, team))) &&
    (department === undefined || agent.departments.some((own) => same(own, department))) &&
    (!blocked || agent.blocked)
  );
}
