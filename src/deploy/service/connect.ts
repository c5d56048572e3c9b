import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Agent } from "../../compile/agents.ts";
import type { Environment } from "../../project/environment.ts";
import { readAgentList } from "../../compile/agent-list.ts";
import { readSnapshot } from "../../project/files.ts";
import { type ServiceSettings, readService, readToken } from "../../project/service-settings.ts";
import { type StateSettings, readStateSettings } from "../../project/state-settings.ts";
import type { AgentDirectory, Service } from "./service.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import { isLoopback } from "../../schema/address.ts";
import type { Sandbox } from "../../sandbox/server.ts";
import {
  type Configuration,
  type ProjectPlace,
  openConfiguration,
} from "../../project/open-project.ts";
import { sayTouching, sayTrace } from "../../views/service.ts";
import type { Context } from "../../cli/command.ts";

/** The service that a command is about, before anything is asked of it. */
export interface Endpoint {
  readonly environment: string;
  readonly settings: ServiceSettings;
  /** As people are told it. */
  readonly address: string;
  /** As the state remembers it. */
  readonly identity: string;
  /** Nothing but this machine is touched. */
  readonly local: boolean;
  readonly maxCreates: Environment["maxCreates"];
  /** Where its state is kept. Undefined, and told, where that cannot be read; only who needs the state asks. */
  state(): StateSettings | undefined;
}

/** A service that a command may talk to. */
export interface Connection extends Endpoint {
  readonly service: Service & AgentDirectory;
  /** Where faults of the service are shown. */
  readonly place: Span;
  close(): Promise<void>;
}

interface EndpointNeeds {
  /** Whether the command will ask for the token, or for the state. */
  readonly token: boolean;
  readonly state: boolean;
}

/** The service of the environment asked for, of which nothing else of the project is needed. */
export function chooseEndpoint(
  place: ProjectPlace,
  diagnostics: Diagnostics,
  needs: EndpointNeeds,
): Endpoint | undefined {
  return endpointOf(openConfiguration(place), diagnostics, needs);
}

/**
 * The service of a configuration's environment. If it cannot be determined, what is
 * wrong with the settings that the command needs next is reported as well.
 */
export function endpointOf(
  { source, config, environment: chosen, variables, found }: Configuration,
  diagnostics: Diagnostics,
  needs: EndpointNeeds,
): Endpoint | undefined {
  if (source === undefined) diagnostics.addAll(found.files);
  diagnostics.addAll(found.config);
  diagnostics.addAll(found.environment);
  if (config === undefined || chosen === undefined) return undefined;
  const settings = readService(config, chosen.name, variables, diagnostics);
  const state = () => readStateSettings(config, chosen.name, variables, diagnostics);
  if (settings !== undefined && !diagnostics.hasErrors) {
    const endpoint = endpointAt(chosen, settings, state);
    diagnostics.addAll(found.environment);
    return endpoint;
  }
  if (needs.token) readToken(config, chosen.name, variables, diagnostics);
  if (needs.state) state();
  return undefined;
}

/** Tells of a token that cannot be had, where a command stops before it would ask for it. */
export function tellOfToken({ settings }: Endpoint): void {
  if (settings.kind === "http") settings.token();
}

export function endpointAt(
  chosen: Environment,
  settings: ServiceSettings,
  state: Endpoint["state"],
): Endpoint {
  const sandbox = settings.kind === "sandbox";
  return {
    environment: chosen.name,
    settings,
    address: sandbox ? "the embedded sandbox" : settings.baseUrl,
    identity: sandbox ? "sandbox" : identityOf(settings.baseUrl),
    local: sandbox || isLoopback(new URL(settings.baseUrl).hostname),
    maxCreates: chosen.maxCreates,
    state,
  };
}

/** Which environment was meant, as far as that can be told where the files are at fault. */
export function environmentName(
  { environment }: Configuration,
  { globals, variables }: ProjectPlace,
): string | undefined {
  return environment?.name ?? globals.env ?? (variables["IVRCTL_ENV"] || undefined);
}

/** An address in the one form by which two are compared. */
export function identityOf(address: string): string {
  return address === "sandbox" ? address : new URL(address).href.replace(/\/+$/, "");
}

/** The service of the environment asked for, and a word about which one that is. */
export async function connect(
  context: Context,
  diagnostics: Diagnostics,
): Promise<Connection | undefined> {
  const endpoint = chooseEndpoint(context, diagnostics, { token: true, state: false });
  return endpoint && openEndpoint(context, endpoint, diagnostics);
}

interface Wishes {
  /** Whom the embedded sandbox knows, where the command was given a list. */
  readonly agents?: readonly Agent[] | undefined;
  /** Ends the waiting for a token. */
  readonly signal?: AbortSignal;
}

export async function openEndpoint(
  context: Context,
  endpoint: Endpoint,
  diagnostics: Diagnostics,
  wishes: Wishes = {},
): Promise<Connection | undefined> {
  const { environment, address, settings } = endpoint;
  const opened = await open(context, settings, diagnostics, wishes);
  if (opened === undefined) return undefined;
  if (!context.globals.quiet) sayTouching(environment, address, context.terminal);
  return { ...endpoint, ...opened, place: settings.place };
}

type Opened = Pick<Connection, "service" | "close">;

async function open(
  context: Context,
  settings: ServiceSettings,
  diagnostics: Diagnostics,
  { agents, signal }: Wishes,
): Promise<Opened | undefined> {
  const { HttpService } = await import("./http-service.ts");
  const { globals, terminal } = context;
  const trace = globals.verbose
    ? { trace: (seen: Parameters<typeof sayTrace>[0]) => sayTrace(seen, terminal) }
    : {};
  if (settings.kind === "sandbox") {
    const sandbox = await startEmbedded(context.root, settings.place, diagnostics, agents);
    if (sandbox === undefined) return undefined;
    const service = new HttpService({
      baseUrl: sandbox.url,
      token: randomUUID(),
      timeout: 30,
      ...trace,
    });
    return {
      service,
      close: async () => {
        await service.close();
        await sandbox.close();
      },
    };
  }
  const found = settings.token();
  if (found === undefined) return undefined;
  const { obtainToken } = await import("./token.ts");
  const token = await obtainToken(found.source, context.root, signal);
  if (token.kind === "problem") {
    diagnostics.add("IVR408", found.place, token.problem);
    return undefined;
  }
  const { baseUrl, timeout } = settings;
  const service = new HttpService({ baseUrl, token: token.token, timeout, ...trace });
  return { service, close: () => service.close() };
}

/** It knows the agents of the snapshot, so that the project's own menus can be tried on it. */
async function startEmbedded(
  root: string,
  place: Span,
  diagnostics: Diagnostics,
  given: readonly Agent[] | undefined,
): Promise<Sandbox | undefined> {
  const { startSandbox } = await import("../../sandbox/server.ts");
  const { toService } = await import("../../sandbox/agents.ts");
  const snapshot = given === undefined ? readSnapshot(root, diagnostics) : undefined;
  const agents = given ?? (snapshot && readAgentList(snapshot, diagnostics)?.list);
  if (diagnostics.hasErrors) return undefined;
  try {
    return await startSandbox({
      dataFile: sandboxData(root),
      ...(agents === undefined ? {} : { agents: toService(agents) }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    diagnostics.add("IVR503", place, `The embedded sandbox cannot be started: ${why}`);
    return undefined;
  }
}

/** What the sandbox of a project has been told to create. */
export function sandboxData(root: string): string {
  return join(root, ".ivrctl/sandbox/records.jsonl");
}
