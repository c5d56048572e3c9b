import { Agents } from "../compile/agents.ts";
import { type ServiceSettings, readToken } from "../project/service-settings.ts";
import { Connections } from "../deploy/service/exchange.ts";
import { HttpService } from "../deploy/service/http-service.ts";
import { proxyFor, proxyVariables } from "../deploy/service/proxy.ts";
import type { Seen } from "../deploy/service/exchange-result.ts";
import type { AgentListing, Trace } from "../deploy/service/service.ts";
import { obtainToken } from "../deploy/service/token.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Finding } from "../views/doctor.ts";
import { sayTouching, sayTrace } from "../views/service.ts";
import type { Context } from "../cli/command.ts";
import { type Endpoint, openEndpoint } from "../deploy/service/connect.ts";
import { count, failed, ok, skipped, toldBy, warning } from "./finding.ts";
import { mendConnection } from "./mend-connection.ts";
import type { Project } from "./project.ts";

type Variables = Context["variables"];
type HttpSettings = Extract<ServiceSettings, { kind: "http" }>;

export interface Examined {
  readonly findings: readonly Finding[];
  /** Whom the service knows, where it said. */
  readonly agents: Agents | undefined;
  /** To be kept out of everything that is told. */
  readonly token: string | undefined;
}

export async function judgeService(
  context: Context,
  project: Project,
  endpoint: Endpoint | undefined,
): Promise<Examined> {
  const { settings } = project;
  if (settings === undefined || endpoint === undefined) return unknownService(context, project);
  if (settings.kind === "sandbox") return judgeSandbox(context, endpoint);
  const { terminal, globals, variables } = context;
  const token = await judgeToken(context, project);
  if (!globals.quiet) sayTouching(endpoint.environment, endpoint.address, terminal);
  const asked = Date.now();
  const seen = await reach(settings);
  const half = (Date.now() - asked) / 2;
  const listed = await judgeAccess(context, settings, seen, token.token);
  const findings = [
    ok("address", `${settings.baseUrl}.`),
    judgeProxy(settings.baseUrl, variables),
    judgeConnection(settings.baseUrl, seen, variables),
    judgeClock(seen, asked + half),
    token.finding,
    ...listed.findings,
  ];
  return { findings, agents: listed.agents, token: token.token };
}

const later = ["proxy", "connection", "clock", "token", "access", "agents"];

async function unknownService(context: Context, project: Project): Promise<Examined> {
  const { environment, found } = project;
  const fault = found.service.sorted().find(({ code }) => code !== "IVR403");
  const why =
    environment === undefined ? "no environment is chosen" : "a variable it needs is not set";
  const address =
    fault === undefined ? skipped("address", `Not known: ${why}.`) : toldBy("address", fault);
  const { finding, token } = await judgeToken(context, project);
  const set = proxyVariables(context.variables);
  const rest = later.map((name) => {
    if (name === "token" && environment !== undefined) return finding;
    if (name === "proxy" && set.length > 0) return ok(name, `Set: ${set.join(", ")}.`);
    return skipped(name, "The service's address is not known.");
  });
  return { findings: [address, ...rest], agents: undefined, token };
}

/** Nothing leaves this machine; that it starts, and whom it knows, is worth a look. */
async function judgeSandbox(context: Context, endpoint: Endpoint): Promise<Examined> {
  const none = ["address", ...later.filter((name) => name !== "agents")].map((name) =>
    skipped(name, "The embedded sandbox needs none."),
  );
  const found = new Diagnostics();
  const connection = await openEndpoint(context, endpoint, found);
  const listing = await connection?.service.list();
  await connection?.close();
  const [fault] = found.sorted();
  const told =
    listing === undefined
      ? { finding: fault && toldBy("agents", fault), agents: undefined }
      : judgeListing(listing, "The embedded sandbox knows");
  const findings = told.finding === undefined ? none : [...none, told.finding];
  return { findings, agents: told.agents, token: undefined };
}

function judgeProxy(address: string, variables: Variables): Finding {
  const set = proxyVariables(variables);
  const through = proxyFor(address, variables);
  const unused = ["ALL_PROXY", "all_proxy"].find((name) => variables[name]);
  if (set.length === 0 && unused !== undefined) {
    return warning(
      "proxy",
      `${unused} is set, and ivrctl does not read it.`,
      "Set HTTPS_PROXY where the service is behind a proxy.",
    );
  }
  if (set.length === 0) return ok("proxy", "None is set.");
  const way = through === undefined ? "goes through none" : `goes through that of ${through}`;
  return ok("proxy", `Set: ${set.join(", ")}. This address ${way}.`);
}

/** Without the token: whether anybody answers is known without it. */
async function reach({ baseUrl, timeout }: HttpSettings): Promise<Seen> {
  const { origin, pathname } = new URL(baseUrl);
  const connections = new Connections(origin, timeout);
  try {
    return await connections.exchange({
      method: "GET",
      path: pathname,
      headers: { accept: "application/json" },
      maxAnswer: 64 * 1024,
    });
  } finally {
    await connections.close();
  }
}

function judgeConnection(address: string, seen: Seen, variables: Variables): Finding {
  const name = "connection";
  if (seen.phase !== "answered") {
    return failed(name, sentence(seen.detail), mendConnection(seen.phase, seen.detail));
  }
  if (seen.status === 407 || seen.status >= 500) {
    return warning(
      name,
      `It answers with HTTP ${seen.status}.`,
      "Ask whoever runs the service or the proxy in front of it.",
    );
  }
  const secure = address.startsWith("https:");
  if (secure && variables["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    return warning(
      name,
      "It answers, but nobody looks at its certificate: NODE_TLS_REJECT_UNAUTHORIZED is 0.",
      "Unset it, and name a company's own authority in NODE_EXTRA_CA_CERTS instead.",
    );
  }
  return ok(name, secure ? "It answers, with a certificate that is trusted." : "It answers.");
}

const maxDrift = 2 * 60_000;

/** `now`: our own clock at the moment of the answer. */
function judgeClock(seen: Seen, now: number): Finding {
  const name = "clock";
  if (seen.phase !== "answered") return skipped(name, "The service was not reached.");
  if (seen.clock === null) return skipped(name, "The service does not tell the time.");
  const drift = now - seen.clock;
  if (Math.abs(drift) <= maxDrift) return ok(name, "Within 2 minutes of the service's.");
  const seconds = Math.round(Math.abs(drift) / 1000);
  const amount =
    seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
  return warning(
    name,
    `This machine's clock is ${amount} ${drift > 0 ? "ahead of" : "behind"} the service's.`,
    "Set it (NTP): what is unknown is looked for on the provider's console by its time.",
  );
}

async function judgeToken(
  { root, variables }: Context,
  { config, environment }: Project,
): Promise<{ readonly finding: Finding; readonly token: string | undefined }> {
  const name = "token";
  const found = new Diagnostics();
  const source = config && environment && readToken(config, environment.name, variables, found);
  if (source === undefined) {
    const why = found.hasErrors ? "its variable is not set" : "the configuration does not say it";
    return { finding: skipped(name, `Not known: ${why}.`), token: undefined };
  }
  const obtained = await obtainToken(source, root);
  const command = source.kind === "command";
  if (obtained.kind === "problem") {
    const mend = command
      ? "Run the command by hand, and look at what it prints and how it exits."
      : "Set the variable to the token alone, without quotes, spaces or a line break.";
    return { finding: failed(name, obtained.problem, mend), token: undefined };
  }
  const holder = command ? "Its command prints one" : "Its variable holds one";
  return { finding: ok(name, `${holder} that can be sent.`), token: obtained.token };
}

async function judgeAccess(
  { terminal, globals }: Context,
  { baseUrl, timeout }: HttpSettings,
  { phase }: Seen,
  token: string | undefined,
): Promise<Pick<Examined, "findings" | "agents">> {
  if (phase !== "answered" || token === undefined) {
    const why = token === undefined ? "There is no token." : "The service was not reached.";
    return { findings: [skipped("access", why), skipped("agents", why)], agents: undefined };
  }
  let result: Trace["result"] | undefined;
  const trace = (seen: Trace) => {
    result = seen.result;
    if (globals.verbose) sayTrace(seen, terminal);
  };
  const service = new HttpService({ baseUrl, token, timeout, trace });
  const listing = await service.list();
  await service.close();
  if (result === 401 || result === 403) {
    const access = failed(
      "access",
      `The service does not accept the token (HTTP ${result}).`,
      "Look whether it is of this account, whole, and not expired; else have a new one issued.",
    );
    return {
      findings: [access, skipped("agents", "The token is not accepted.")],
      agents: undefined,
    };
  }
  const { finding, agents } = judgeListing(listing, "The service lists");
  const access =
    agents === undefined
      ? skipped("access", "Whether the token is accepted cannot be told without a list.")
      : ok("access", "The service accepts the token.");
  const deprecated = "The service marks this list as deprecated";
  const told =
    agents === undefined ? finding : { ...finding, message: `${finding.message} ${deprecated}.` };
  return { findings: [access, told], agents };
}

function judgeListing(listing: AgentListing, who: string) {
  const name = "agents";
  if (listing.kind === "refused") {
    const mend =
      "Check that base_url ends before /v1 and is the service's; `--verbose` shows each request.";
    return { finding: failed(name, sentence(listing.problem), mend), agents: undefined };
  }
  const agents = new Agents(listing.agents);
  const blocked = agents.list.filter((agent) => agent.blocked).length;
  const also = blocked === 0 ? "" : `, ${blocked} of them blocked`;
  const finding =
    agents.list.length === 0
      ? warning(name, `${who} no agents.`, "Look whether the token is of the account you mean.")
      : ok(name, `${who} ${count(agents.list.length, "agent")}${also}.`);
  return { finding, agents };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
