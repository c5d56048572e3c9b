import { listLive } from "../deploy/listed/with-service.ts";
import { join } from "node:path";
import { type Agent, Agents } from "../project/agent-list.ts";
import {
  findSnapshot,
  readSnapshot,
  snapshotName,
  snapshotText,
  snapshotToWrite,
  withFormerNames,
} from "../project/agents-lock.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { withProgress } from "../views/progress.ts";
import { serviceWatcher } from "../views/service.ts";
import { type CommandGroup, type Context, command } from "../cli/command.ts";
import { joined, many } from "../util/many.ts";
import { replaceFile } from "../util/replace-file.ts";
import { visible } from "../util/visible.ts";
import { table, wrap } from "../views/text.ts";
import { attemptWrite } from "../project/write-file.ts";
import replace from "./agents-replace.ts";
import uses from "./agents-uses.ts";

const list = command({
  about: "Show the service's agent list",
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents list", "all agents, as a table"],
    ["ivrctl agents list --format json", "for a script"],
  ],
  async run(context) {
    const diagnostics = new Diagnostics();
    const listing = await listService(context, diagnostics);
    const agents = listing?.agents.list ?? [];
    return {
      exit: listing === undefined ? 1 : 0,
      text: ({ wordWrap }) => (agents.length === 0 ? "" : table(head, agents.map(cells), wordWrap)),
      diagnostics: diagnostics.sorted(),
      notes: listing && agents.length === 0 ? "The agent list is empty.\n" : "",
      formats: { json: () => ({ environment: listing?.environment ?? null, agents }) },
    };
  },
});

const pull = command({
  about:
    "Save the service's agent list in agents.lock.json, and the names of departments and recordings if the service lists them.\n\nOther commands read agents from this file and do not need the service. If an environment has its own file agents.ENV.lock.json, its commands use that one. pull writes this file if it exists, and otherwise agents.lock.json for the default environment and for the only one with a real service.",
  examples: [["ivrctl agents pull --env production", "save the agents of this environment"]],
  async run(context) {
    const diagnostics = new Diagnostics();
    const notes = await saveList(context, diagnostics);
    return notes === undefined ? { exit: 1, diagnostics: diagnostics.sorted() } : { notes };
  },
});

const group: CommandGroup = {
  about: "Show or save the agent list, show where an agent is reached, or replace an agent",
  standard: list,
  subcommands: { list, pull, uses, replace },
  examples: [
    ["ivrctl agents", "all agents, as a table"],
    ["ivrctl agents pull --env production", "save the agents of this environment"],
    ["ivrctl agents uses 'Asha Rao'", "where callers reach her"],
    ["ivrctl agents replace 'Asha Rao' 'Front Desk'", "change all menus, after a question"],
  ],
};

export default group;

async function listService(context: Context, diagnostics: Diagnostics, withNames = false) {
  const listing = listLive(context, serviceWatcher(context), diagnostics, withNames);
  const live = await withProgress(context, () => "Waiting for the agent list", listing);
  const { terminal } = context;
  if (live?.isDeprecated) terminal.note(`${wrap(deprecated, "", terminal.wordWrap)}\n`);
  return live;
}

const deprecated =
  "The service has deprecated its agent list, without a replacement. Commit the file from `ivrctl agents pull`, so that you have a copy.";

const head = ["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""];

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}

/** Saves the list of the service, and returns what it did. Reports a failure and returns undefined. */
async function saveList(context: Context, diagnostics: Diagnostics): Promise<string | undefined> {
  const { root, host } = context;
  const pulled_at = host.clock.now().toISOString();
  const live = await listService(context, diagnostics, true);
  if (live === undefined) return undefined;
  const { environment, identity: service, settings } = live;
  const { list, origin } = live.agents;
  const { config, files } = openConfiguration(context);
  const used = settings.kind === "sandbox" ? findSnapshot(files, environment) : undefined;
  if (used !== undefined) {
    return `Nothing to pull: the embedded sandbox uses the agents in ${used}.\n`;
  }
  const file = config === undefined ? snapshotName : snapshotToWrite(root, environment, config);
  const pulled = new Agents(list, { ...origin, pulled_at, environment, service });
  const agents = withFormerNames(pulled, readSnapshot(files, environment, new Diagnostics()));
  const write = () => replaceFile(join(root, file), snapshotText(agents));
  if (!attemptWrite(file, diagnostics, write)) return undefined;
  const { recordings, departments } = origin;
  const words = [
    list.length === 0 ? "an empty agent list" : many(list.length, "agent"),
    ...(recordings ? [many(recordings.length, "recording")] : []),
    ...(departments ? [many(departments.length, "department")] : []),
  ];
  return `Wrote ${joined(words, "and")} for ${environment} to ${file}.\n`;
}
