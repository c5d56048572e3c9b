import { join } from "node:path";
import { type Agent, Agents, normalName } from "../compile/agents.ts";
import {
  findSnapshot,
  snapshotName,
  snapshotText,
  snapshotToWrite,
} from "../project/agents-lock.ts";
import { openConfiguration } from "../project/open-project.ts";
import { realEnvironments } from "../project/service-settings.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type SavedList, agentsText, noAgentsText, pulledText } from "../views/agents.ts";
import { choose } from "../views/ask.ts";
import { Progress } from "../views/progress.ts";
import { noteDeprecated, serviceWatcher } from "../views/service.ts";
import { type CommandGroup, type Context, command } from "../cli/command.ts";
import { listLive } from "../deploy/service/agents.ts";
import { Interruption } from "../util/interruption.ts";
import { replaceFile } from "../util/replace-file.ts";
import { suggest } from "../util/suggest.ts";
import { describeSystemError } from "../util/system-error.ts";
import { UsageError } from "../util/usage-error.ts";
import { entriesOf, field } from "../yaml/node.ts";

const listFlags = {
  name: {
    type: "string",
    value: "TEXT",
    about: "Show only agents whose name contains this text",
  },
  team: {
    type: "string",
    value: "NAME",
    about: "Show only agents of this team",
  },
  department: {
    type: "string",
    value: "NAME",
    about: "Show only agents of this department",
  },
  blocked: { type: "boolean", about: "Show only blocked agents" },
} as const;

const list = command({
  about: "Show the agent list of the service",
  flags: listFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents list", "all agents, as a table"],
    ["ivrctl agents list --team Billing --format json", "one team, for a script"],
  ],
  async run(context) {
    const diagnostics = new Diagnostics();
    const listing = await listService(context, diagnostics);
    const all = listing?.agents.list ?? [];
    const agents = all.filter((agent) => isWanted(agent, context.flags));
    return {
      exit: listing === undefined ? 1 : 0,
      text: (page) => agentsText(agents, page),
      diagnostics: diagnostics.sorted(),
      notes: listing && agents.length === 0 ? noAgentsText(all.length) : "",
      json: () => ({ environment: listing?.environment ?? null, agents }),
    };
  },
});

const pull = command({
  about:
    "Save the agent list of the service in agents.lock.json.\n\nOther commands read agents from this file and do not need the service. If an environment has its own file agents.ENV.lock.json, its commands use that one. pull writes this file if it exists, and otherwise agents.lock.json for the default environment and for the only one with a real service.",
  flags: {},
  formats: ["text"],
  examples: [["ivrctl agents pull --env production", "save the agents of this environment"]],
  async run(context) {
    const { globals } = context;
    const chosen = await environmentToPull(context);
    if (chosen === undefined) return { exit: 130, notes: "Nothing was written.\n" };
    const diagnostics = new Diagnostics();
    const place = { ...context, globals: { ...globals, env: chosen.environment } };
    const pulled = await listToSave(place, diagnostics);
    const saved = pulled && save(context, pulled, diagnostics);
    if (saved === undefined) return { exit: 1, diagnostics: diagnostics.sorted() };
    return { exit: 0, notes: (page) => pulledText(saved, page) };
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
    ["ivrctl agents pull --env production", "save the agents of this environment"],
  ],
};

export default group;

async function listService(context: Context, diagnostics: Diagnostics) {
  const progress = new Progress({ what: "Waiting for the agent list", noun: "agent" }, context);
  const live = await progress.during(listLive(context, serviceWatcher(context), diagnostics));
  if (live?.isDeprecated === true) noteDeprecated(context.terminal);
  return live;
}

/**
 * The environment that the user named or chooses; undefined inside if there is nothing to choose.
 * Returns undefined without an answer.
 */
async function environmentToPull(
  context: Context,
): Promise<{ readonly environment: string | undefined } | undefined> {
  const { globals, terminal, host } = context;
  const environment = globals.env ?? (host.env["IVRCTL_ENV"] || undefined);
  if (environment !== undefined) return { environment };
  const { config, found } = openConfiguration(context);
  const names = entriesOf(field(config?.root, "environments")).map(({ key }) => key.text);
  // An invalid configuration is reported when it is used.
  if (config === undefined || found.config.hasErrors || names.length < 2) return { environment };
  if (config.value.default_environment !== undefined) return { environment };
  if (!terminal.interactive || globals.quiet) {
    const commands = names.map(
      (name) => `\n  ${terminal.command(suggest("agents pull", [], name))}`,
    );
    throw new UsageError(
      `The project has several environments, and their agents can differ. Run one of these:${commands.join("")}`,
    );
  }
  const [only, ...others] = realEnvironments(config);
  const standard = others.length === 0 ? only : undefined;
  const interruption = new Interruption(context.host, () => {});
  try {
    const question = "Pull the agents of which environment?";
    const chosen = await choose(question, { words: names, standard }, context, interruption.halt);
    return chosen === undefined ? undefined : { environment: chosen };
  } finally {
    interruption.end();
  }
}

interface Pulled {
  readonly environment: string;
  /** The list with its origin. */
  readonly agents: Agents;
  readonly fromSandbox: boolean;
}

/** The list to save, with its origin. */
async function listToSave(context: Context, diagnostics: Diagnostics): Promise<Pulled | undefined> {
  const pulledAt = context.host.clock.now();
  const live = await listService(context, diagnostics);
  if (live === undefined) return undefined;
  const { environment, identity, settings } = live;
  const { isFromUsers } = live.agents.origin;
  const origin = { pulledAt, environment, service: identity, isFromUsers };
  const agents = new Agents(live.agents.list, origin);
  return { environment, agents, fromSandbox: settings.kind === "sandbox" };
}

/** Writes the snapshot. Reports a failure and returns undefined. */
function save(
  context: Context,
  { environment, agents, fromSandbox }: Pulled,
  diagnostics: Diagnostics,
): SavedList | undefined {
  const { root } = context;
  const count = agents.list.length;
  const used = fromSandbox ? findSnapshot(root, environment) : undefined;
  // The embedded sandbox has read its agents from this file.
  if (used !== undefined) return { environment, count, file: used, isWritten: false };
  const { config } = openConfiguration(context);
  const file = config === undefined ? snapshotName : snapshotToWrite(root, environment, config);
  try {
    replaceFile(join(root, file), snapshotText(agents));
    return { environment, count, file, isWritten: true };
  } catch (error) {
    diagnostics.addFile("IVR121", file, `Cannot write ${file}: ${describeSystemError(error)}.`);
    return undefined;
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
