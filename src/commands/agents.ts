import { join } from "node:path";
import { type Agent, normalName } from "../compile/agents.ts";
import { readAgentList } from "../compile/agent-list.ts";
import { readNamed, reason, snapshotName } from "../project/files.ts";
import { snapshotText } from "../project/agents-lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { sayPulled, showAgents, showNoAgents } from "../views/agents.ts";
import { sayDeprecated } from "../views/service.ts";
import { type CommandGroup, type Context, command } from "../cli/command.ts";
import { listLive } from "../deploy/service/live-agents.ts";
import { replaceFile } from "../util/replace-file.ts";

const source = {
  agents: { type: "string", value: "FILE", about: "Read the agent list from this file" },
} as const;

const listFlags = {
  ...source,
  name: {
    type: "string",
    value: "TEXT",
    completes: "agent",
    about: "Only agents whose name contains this text",
  },
  team: { type: "string", value: "NAME", completes: "team", about: "Only agents of this team" },
  department: {
    type: "string",
    value: "NAME",
    completes: "department",
    about: "Only agents of this department",
  },
  blocked: { type: "boolean", about: "Only blocked agents" },
} as const;

const list = command({
  maxArguments: 0,
  about: "Shows the agent list of the service.",
  flags: listFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents list", "everyone, as a table"],
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
    await showAgents(
      listing.agents.filter((agent) => wanted(agent, flags)),
      {
        ...listing,
        total: listing.agents.length,
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
  about: "Saves the agent list in agents.lock.json, so that names resolve without the service.",
  flags: source,
  formats: ["text", "json"],
  examples: [["ivrctl agents pull", "write agents.lock.json"]],
  async run(context) {
    const { flags, terminal, format, globals } = context;
    const diagnostics = new Diagnostics();
    const listing = await load(context, flags.agents, diagnostics);
    const problem = listing && keep(context.root, listing);
    if (problem !== undefined) {
      diagnostics.addFile("IVR127", snapshotName, `${snapshotName} cannot be written: ${problem}.`);
    }
    if (listing === undefined || problem !== undefined) {
      await showNoAgents(diagnostics.sorted(), format, terminal);
      return 1;
    }
    sayPulled(listing.agents.length, format, globals.quiet, terminal);
    return 0;
  },
});

const group: CommandGroup = {
  about: "Shows the agent list of the service, or saves it in agents.lock.json.",
  standard: "list",
  subcommands: {
    list: { about: "Show the agent list (default)", load: async () => list },
    pull: { about: "Save the agent list in agents.lock.json", load: async () => pull },
  },
  examples: [
    ["ivrctl agents", "everyone, as a table"],
    ["ivrctl agents pull", "write agents.lock.json"],
  ],
};

export default group;

interface Listing {
  readonly environment: string | null;
  /** Where the list came from, for the snapshot. */
  readonly host: string;
  readonly agents: readonly Agent[];
}

async function load(
  context: Context,
  file: string | undefined,
  diagnostics: Diagnostics,
): Promise<Listing | undefined> {
  if (file !== undefined) {
    const source = readNamed(context.root, file, "agentList", diagnostics);
    const agents = source && readAgentList(source, diagnostics);
    return agents && { environment: null, host: "a file", agents: agents.list };
  }
  const live = await listLive(context, diagnostics);
  if (live !== undefined && !context.globals.quiet) sayDeprecated(context.terminal);
  return live;
}

/** Writes the snapshot; says why where that cannot be done. */
function keep(root: string, { host, agents }: Listing): string | undefined {
  const text = snapshotText(agents, { pulledAt: new Date().toISOString(), service: host });
  try {
    replaceFile(join(root, snapshotName), text);
    return undefined;
  } catch (error) {
    return reason(error);
  }
}

interface Filter {
  readonly name: string | undefined;
  readonly team: string | undefined;
  readonly department: string | undefined;
  readonly blocked: boolean;
}

function wanted(agent: Agent, { name, team, department, blocked }: Filter): boolean {
  const same = (a: string, b: string) => normalName(a) === normalName(b);
  return (
    (name === undefined ||
      normalName(agent.name).toLowerCase().includes(normalName(name).toLowerCase())) &&
    (team === undefined || (agent.team !== null && same(agent.team, team))) &&
    (department === undefined || agent.departments.some((own) => same(own, department))) &&
    (!blocked || agent.blocked)
  );
}
