import { join } from "node:path";
import {
  type Agent,
  type AgentReference,
  Agents,
  type EarlierAgent,
  normalName,
  readAgentList,
} from "./agent-list.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Named, agentListVersion } from "../schema/agent.ts";
import { secrets } from "../util/secrets.ts";
import { suggest } from "../util/suggest.ts";
import { type Files, readNamed } from "./files.ts";
import { pathExists } from "../util/disk.ts";
import type { Config } from "./config-file.ts";
import type { Configuration } from "./configuration.ts";
import { readService, realEnvironments, serviceIdentity } from "./service-settings.ts";

/** The agent list of every environment that has no list of its own. */
export const snapshotName = "agents.lock.json";

/** The files that may have the agent list of an environment. The first that exists is used. */
export function snapshotNames(environment: string | undefined): readonly string[] {
  return environment === undefined ? [snapshotName] : [ownName(environment), snapshotName];
}

/** Whether this is the name of an agent list, of any environment. */
export function isSnapshotName(name: string): boolean {
  return /^agents\.(?:[\w.-]+\.)?lock\.json$/.test(name);
}

/** The file with the agent list of an environment, if there is one. */
export function findSnapshot(files: Files, environment: string | undefined): string | undefined {
  return snapshotNames(environment).find((name) => files.has(name));
}

/** Reads the agent list of an environment, if there is one. */
export function readSnapshot(
  files: Files,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
  const name = findSnapshot(files, environment);
  const source = name === undefined ? undefined : files.read(name, "agentList", diagnostics);
  return source && readAgentList(source, environment, diagnostics);
}

interface AgentOptions {
  /** A file to read instead of the snapshot. */
  readonly agentsFile?: string | undefined;
  /** Whether to report an error if there is no list. */
  readonly agentsRequired: boolean;
}

/** Reads the agent list in the file that the user named, or else the snapshot of the environment. */
export function readAgents(
  { root, files, config, environment, host }: Configuration,
  { agentsFile, agentsRequired }: AgentOptions,
  diagnostics: Diagnostics,
): Agents | undefined {
  const name = environment?.name;
  const file = agentsFile ?? findSnapshot(files, name);
  if (file === undefined) {
    if (agentsRequired) reportMissing(name, diagnostics);
    return undefined;
  }
  const agents =
    agentsFile === undefined
      ? readSnapshot(files, name, diagnostics)
      : readAgentsFile(root, agentsFile, name, diagnostics);
  // The embedded sandbox takes its agents from any list.
  if (agents && config && name !== undefined && realEnvironments(config).includes(name)) {
    // Commands that contact the service report its problems.
    const service = readService(config, name, host.env, new Diagnostics());
    const identity = service && serviceIdentity(service);
    reportOtherService(agents, file, { environment: name, identity }, diagnostics);
  }
  return agents;
}

/** The agent list in a file that the user named. */
export function readAgentsFile(
  root: string,
  file: string,
  environment: string | undefined,
  diagnostics: Diagnostics,
): Agents | undefined {
  const source = readNamed(root, file, "agentList", diagnostics);
  return source && readAgentList(source, environment, diagnostics);
}

function reportMissing(environment: string | undefined, diagnostics: Diagnostics): void {
  diagnostics.addFile(
    "IVR311",
    snapshotName,
    "There is no agent list, so ivrctl cannot find the agents.",
    { words: `Create ${snapshotName}:`, argv: suggest("agents pull", [], environment) },
  );
}

/** Warns that an agent list was pulled from a different service than the one that it is used for. */
export function reportOtherService(
  { origin }: Agents,
  file: string,
  // The identity is undefined if a variable in the address is not set.
  { environment, identity }: { environment: string; identity: string | undefined },
  diagnostics: Diagnostics,
): void {
  const { service } = origin;
  if (service !== "sandbox" && (identity === undefined || service === undefined)) return;
  if (service === identity) return;
  const from = service === "sandbox" ? "the sandbox" : service;
  const label =
    origin.environment === undefined || origin.environment === service
      ? ""
      : ` (environment \`${origin.environment}\`)`;
  diagnostics.addAt(
    "IVR504",
    { file },
    `${file} has the agents of ${from}${label}, but the environment \`${environment}\` uses ${identity ?? "a different service"}.`,
    {
      words: "Use a list of this service. To get one, run:",
      argv: suggest("agents pull", [], environment),
    },
  );
}

/**
 * The file that a pulled list belongs in: agents.lock.json for the only environment with a real
 * service or for the default environment, otherwise a file of its own.
 */
export function snapshotToWrite(root: string, environment: string, config: Config): string {
  if (pathExists(join(root, ownName(environment)))) return ownName(environment);
  const isOnly = realEnvironments(config).every((name) => name === environment);
  const isDefault = config.value.default_environment === environment;
  return isOnly || isDefault ? snapshotName : ownName(environment);
}

function ownName(environment: string): string {
  return `agents.${environment}.lock.json`;
}

/**
 * The text of a snapshot. It has only the fields that menus need, without phone numbers and
 * counters. It is sorted and has one agent per line, so that a diff shows one line for each
 * changed agent.
 */
export function snapshotText({ list, origin }: Agents): string {
  const lines = [...list].sort(byName).map((agent) => `    ${line(agent)}`);
  const fields = {
    format_version: agentListVersion,
    pulled_at: origin.pulled_at,
    environment: origin.environment,
    service: publicAddress(origin.service),
    source: origin.source,
  };
  const { recordings, departments } = origin;
  const names = Object.entries({ recordings, departments }).flatMap(([section, list]) =>
    list === undefined
      ? []
      : `,\n  "${section}": [\n${list.toSorted(byNameAndId).map(namedLine).join(",\n")}\n  ]`,
  );
  const head = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`);
  return `{
${head.join("")}  "agents": [
${lines.join(",\n")}
  ]${names.join("")}
}
`;
}

/**
 * The agents with the names that their extensions had in an earlier list, so that files which still have
 * these names can be corrected. A name that somebody has now, or had with a different extension, says nothing.
 */
export function withFormerNames({ list, origin }: Agents, earlier: Agents | undefined): Agents {
  if (earlier === undefined || earlier.origin.service !== origin.service) {
    return new Agents(list, origin);
  }
  const names = new Set(list.map(({ name }) => normalName(name)));
  const named = list.map((agent) => {
    const [before, ...others] = earlier.with("eid", agent.eid ?? "");
    if (before === undefined || others.length > 0) return agent;
    const isSame = normalName(before.name) === normalName(agent.name);
    const isOther = !isSame && earlier.with("agent", agent.name).length > 0;
    const was = isSame ? before.was : before.name;
    return was === undefined || isOther || names.has(normalName(was)) ? agent : { ...agent, was };
  });
  return new Agents(named, origin);
}

/** The agents, with those whom the project's list meant, or else what is recorded says. */
export function withSnapshot(
  { list, origin }: Agents,
  { files, environment }: Pick<Configuration, "files" | "environment">,
  recorded: (wanted: AgentReference) => Pick<EarlierAgent, "name" | "eid"> | undefined = () =>
    undefined,
  isCutOff = false,
): Agents {
  const snapshot = readSnapshot(files, environment?.name, new Diagnostics());
  const meant = (wanted: AgentReference): EarlierAgent | undefined => {
    const agent = snapshot?.meant(wanted) ?? recorded(wanted);
    const isPulled = snapshot !== undefined && snapshot.find(wanted).length !== 1;
    return agent && { ...agent, isPulled };
  };
  const { recordings, departments } = snapshot?.origin ?? {};
  const names = { ...(recordings && { recordings }), ...(departments && { departments }) };
  return new Agents(list, { ...origin, ...names }, { meant, isCutOff });
}

/** The file is for git, so an address that contains a secret is left out. */
function publicAddress(service: string | undefined): string | undefined {
  if (service === undefined || service.includes("@")) return undefined;
  return secrets.mask(service) === service ? service : undefined;
}

function line({ departments, ...others }: Agent): string {
  const { id, name, eid, intercom, team, blocked, was } = others;
  const before = was === undefined ? {} : { was };
  const fields = {
    id,
    name,
    eid,
    intercom,
    team,
    departments: [...departments],
    blocked,
    ...before,
  };
  const parts = Object.entries(fields).map(([key, value]) => `"${key}": ${json(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function namedLine({ id, name }: Named): string {
  return `    { "id": ${json(id)}, "name": ${json(name)} }`;
}

function byNameAndId(a: Named, b: Named): number {
  return `${a.name}\0${a.id}` < `${b.name}\0${b.id}` ? -1 : 1;
}

function json(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value);
}

function byName(a: Agent, b: Agent): number {
  const order = ({ name, eid, id }: Agent) => [name, eid ?? "", id ?? ""].join("\0");
  return order(a) < order(b) ? -1 : 1;
}
