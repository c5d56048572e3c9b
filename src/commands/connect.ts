import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { readConfig } from "../compile/config.ts";
import { chooseEnvironment } from "../compile/environment.ts";
import { readConfigFile } from "../compile/read/files.ts";
import { type ServiceSettings, readService } from "../compile/service.ts";
import type { HttpService } from "../deploy/http-service.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Sandbox } from "../sandbox/server.ts";
import { sayTouching, sayTrace } from "../views/service.ts";
import type { Context } from "./command.ts";

/** A service that a command may talk to. */
export interface Connection {
  readonly environment: string;
  /** As people are told it. */
  readonly address: string;
  readonly service: HttpService;
  /** Where faults of the service are shown. */
  readonly place: Span;
  close(): Promise<void>;
}

/** The service of the environment asked for, and a word about which one that is. */
export async function connect(
  context: Context,
  diagnostics: Diagnostics,
): Promise<Connection | undefined> {
  const { root, globals, variables, terminal } = context;
  const source = readConfigFile(root, globals.config, diagnostics);
  const config = source && readConfig(source, diagnostics);
  if (config === undefined) return undefined;
  const environment = chooseEnvironment(config, globals.env, variables, diagnostics);
  if (environment === undefined) return undefined;
  const settings = readService(config, environment.name, variables, diagnostics);
  if (settings === undefined || diagnostics.hasErrors) return undefined;
  const opened = await open(context, settings, diagnostics);
  if (opened === undefined) return undefined;
  if (!globals.quiet) sayTouching(environment.name, opened.address, terminal);
  return { ...opened, environment: environment.name, place: settings.place };
}

type Opened = Pick<Connection, "address" | "service" | "close">;

async function open(
  context: Context,
  settings: ServiceSettings,
  diagnostics: Diagnostics,
): Promise<Opened | undefined> {
  const { HttpService } = await import("../deploy/http-service.ts");
  const { globals, terminal } = context;
  const trace = globals.verbose
    ? { trace: (seen: Parameters<typeof sayTrace>[0]) => sayTrace(seen, terminal) }
    : {};
  if (settings.kind === "sandbox") {
    const sandbox = await startEmbedded(context.root, settings.place, diagnostics);
    if (sandbox === undefined) return undefined;
    const service = new HttpService({
      baseUrl: sandbox.url,
      token: randomUUID(),
      timeout: 30,
      ...trace,
    });
    return {
      address: "the embedded sandbox",
      service,
      close: async () => {
        await service.close();
        await sandbox.close();
      },
    };
  }
  const { obtainToken } = await import("../deploy/token.ts");
  const token = await obtainToken(settings.token, context.root);
  if (token.kind === "problem") {
    diagnostics.add("IVR408", settings.tokenPlace, token.problem);
    return undefined;
  }
  const { baseUrl, timeout } = settings;
  const service = new HttpService({ baseUrl, token: token.token, timeout, ...trace });
  return { address: baseUrl, service, close: () => service.close() };
}

async function startEmbedded(
  root: string,
  place: Span,
  diagnostics: Diagnostics,
): Promise<Sandbox | undefined> {
  const { startSandbox } = await import("../sandbox/server.ts");
  try {
    return await startSandbox({ dataFile: sandboxData(root) });
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
