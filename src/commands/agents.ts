import { join } from "node:path";
import { type Agent, normalName } from "../compile/agents.ts";
import { readAgentList } from "../compile/read/agent-list.ts";
import { readNamed, reason, snapshotName } from "../compile/read/files.ts";
import { snapshotText } from "../deploy/agents-lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { sayPulled, showAgents, showNoAgents } from "../views/agents.ts";
import { sayDeprecated } from "../views/service.ts";
import { type Context, UsageError, command } from "./command.ts";
import { listLive } from "./live-agents.ts";
import { replaceFile } from "./replace-file.ts";

const subcommands = {
  list: { flags: ["agents", "name", "team", "department", "blocked"] },
  pull: { flags: ["agents"] },
} as const;

export default command({
  takes: "[list|pull]",
  maxArguments: 1,
  about:
    "Shows the service's agent list, or keeps it in agents.lock.json (pull), so that names resolve without the service.",
  flags: {
    agents: {
      type: "string",
      value: "FILE",
      about: "the list in a file, instead of the service's",
    },
    name: {
      type: "string",
      value: "TEXT",
      completes: "agent",
      about: "list: only names that hold this text",
    },
    team: { type: "string", value: "NAME", completes: "team", about: "list: only this team" },
    department: {
      type: "string",
      value: "NAME",
      completes: "department",
      about: "list: only this department",
    },
    blocked: { type: "boolean", about: "list: only blocked agents" },
  },
  subcommands,
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents", "everyone, as a table"],
    ["ivrctl agents list --team Billing --format json", "one team, for a script"],
    ["ivrctl agents pull", "write agents.lock.json"],
  ],
  async run(context) {
    const { args, flags, terminal, format, globals } = context;
    const action = args[0] ?? "list";
    if (!Object.hasOwn(subcommands, action)) {
      throw new UsageError(`agents can list and pull; ${action} it cannot.`);
    }
    const diagnostics = new Diagnostics();
    const listing = await load(context, flags.agents, diagnostics);
    if (listing === undefined) {
      await showNoAgents(diagnostics.sorted(), format, terminal);
      return 1;
    }
    if (action === "pull") {
      const problem = keep(context.root, listing);
      if (problem !== undefined) {
        diagnostics.addFile(
          "IVR127",
          snapshotName,
          `${snapshotName} cannot be written: ${problem}.`,
        );
        await showNoAgents(diagnostics.sorted(), format, terminal);
        return 1;
      }
      sayPulled(listing.agents.length, format, globals.quiet, terminal);
      return 0;
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
