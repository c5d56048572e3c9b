import { proxyFor, proxyVariables } from "../deploy/service/proxy.ts";
import type { ExchangeResult } from "../deploy/service/exchange.ts";
import type { AgentListing } from "../deploy/service/service.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined, ExaminedToken } from "./examine.ts";
import { type Check, count, failed, findingOf, ok, skipped, warning } from "./finding.ts";

/** The checks of the service, for each kind of service there is. */
export const serviceChecks: readonly Check[] = [
  checkAddress,
  checkProxy,
  checkConnection,
  checkClock,
  checkToken,
  checkAccess,
  checkAgents,
];

const noAddress = "The service's address is not known.";
const notNeeded = "The embedded sandbox needs none.";
const notReached = "The service was not reached.";

function checkAddress({ project, faults, service }: Examined): Finding {
  const name = "address";
  if (service.kind === "sandbox") return skipped(name, notNeeded);
  if (service.kind === "http") return ok(name, `${service.address}.`);
  const fault = faults.service.sorted().find(({ code }) => code !== "IVR403");
  if (fault !== undefined) return findingOf(name, fault);
  const why =
    project.environment === undefined
      ? "no environment is chosen"
      : "a variable it needs is not set";
  return skipped(name, `Not known: ${why}.`);
}

function checkProxy({ project: { variables }, service }: Examined): Finding {
  const name = "proxy";
  if (service.kind === "sandbox") return skipped(name, notNeeded);
  const set = proxyVariables(variables);
  const names = `Set: ${set.join(", ")}.`;
  if (service.kind === "unknown") {
    return set.length > 0 ? ok(name, names) : skipped(name, noAddress);
  }
  const unused = ["ALL_PROXY", "all_proxy"].find((variable) => variables[variable]);
  if (set.length === 0 && unused !== undefined) {
    return warning(
      name,
      `${unused} is set, and ivrctl does not read it.`,
      "Set HTTPS_PROXY where the service is behind a proxy.",
    );
  }
  if (set.length === 0) return ok(name, "None is set.");
  const through = proxyFor(service.address, variables);
  const way = through === undefined ? "goes through none" : `goes through that of ${through}`;
  return ok(name, `${names} This address ${way}.`);
}

function checkConnection({ project: { variables }, service }: Examined): Finding {
  const name = "connection";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { answer, address } = service;
  if (answer.phase !== "answered") {
    return failed(name, sentence(answer.detail), helpFor(answer));
  }
  if (answer.status === 407 || answer.status >= 500) {
    return warning(
      name,
      `It answers with HTTP ${answer.status}.`,
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

function reasonToSkip(kind: "sandbox" | "unknown"): string {
  return kind === "sandbox" ? notNeeded : noAddress;
}

/** The first pattern that matches the detail of a failed exchange decides. */
const helps: readonly (readonly [detail: RegExp, help: string])[] = [
  [
    /ENOTFOUND|EAI_AGAIN/,
    "Check the host's name in base_url, and that this machine can look names up.",
  ],
  [/ECONNREFUSED/, "Nobody listens there: check the host and the port in base_url."],
  [
    /EHOSTUNREACH|ENETUNREACH|TIMEOUT|ETIMEDOUT|within [\d.]+ s/,
    "Check the network, a VPN or a firewall; where a proxy is needed, set HTTPS_PROXY.",
  ],
  [/HTTPS_PROXY/, "Set them to an address like http://proxy.example:3128."],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "Look at this machine's clock; if it is right, the service's certificate has to be renewed.",
  ],
  [/ALTNAME|HOSTNAME_MISMATCH/, "Use the host's name that the certificate is made for."],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED/,
    "If that authority is your company's own: NODE_EXTRA_CA_CERTS=company-ca.pem",
  ],
  [/EPROTO|WRONG_VERSION/, "Check the port in base_url: something else than https answers there."],
];

function helpFor({ phase, detail }: Exclude<ExchangeResult, { phase: "answered" }>): string {
  const known = helps.find(([pattern]) => pattern.test(detail));
  if (known !== undefined) return known[1];
  return phase === "insecure"
    ? "Check the service's certificate, and which authorities this machine trusts."
    : "Check the address in base_url, the network, and a proxy on the way.";
}

const maxDrift = 2 * 60_000;

function checkClock({ service }: Examined): Finding {
  const name = "clock";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { answer, answeredAt } = service;
  if (answer.phase !== "answered") return skipped(name, notReached);
  if (answer.clock === null) return skipped(name, "The service does not tell the time.");
  const drift = answeredAt - answer.clock;
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

function checkToken({ project, service }: Examined): Finding {
  const name = "token";
  if (service.kind === "sandbox") return skipped(name, notNeeded);
  if (service.kind === "unknown" && project.environment === undefined) {
    return skipped(name, noAddress);
  }
  return tokenFinding(name, service.token);
}

function tokenFinding(name: string, token: ExaminedToken): Finding {
  switch (token.kind) {
    case "none": {
      const why = token.isUnset ? "its variable is not set" : "the configuration does not say it";
      return skipped(name, `Not known: ${why}.`);
    }
    case "problem": {
      const help =
        token.source === "command"
          ? "Run the command by hand, and look at what it prints and how it exits."
          : "Set the variable to the token alone, without quotes, spaces or a line break.";
      return failed(name, token.problem, help);
    }
    case "token": {
      const holder =
        token.source === "command" ? "Its command prints one" : "Its variable holds one";
      return ok(name, `${holder} that can be sent.`);
    }
  }
}

function checkAccess({ service }: Examined): Finding {
  const name = "access";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { listing, result, token } = service;
  if (listing === undefined) return skipped(name, reasonNotListed(token));
  if (isDenied(result)) {
    return failed(
      name,
      `The service does not accept the token (HTTP ${result}).`,
      "Look whether it is of this account, whole, and not expired; else have a new one issued.",
    );
  }
  return listing.kind === "listed"
    ? ok(name, "The service accepts the token.")
    : skipped(name, "Whether the token is accepted cannot be told without a list.");
}

function reasonNotListed({ kind }: ExaminedToken): string {
  return kind === "token" ? notReached : "There is no token.";
}

function isDenied(result: number | string | undefined): boolean {
  return result === 401 || result === 403;
}

function checkAgents({ service, agents }: Examined): Finding | Finding[] {
  const name = "agents";
  const { kind, listing } = service;
  if (kind === "unknown") return skipped(name, noAddress);
  if (kind === "sandbox") {
    if (listing) return agentsFinding(name, listing, agents, "The embedded sandbox knows");
    return service.fault === undefined ? [] : [findingOf(name, service.fault)];
  }
  if (listing === undefined) return skipped(name, reasonNotListed(service.token));
  if (isDenied(service.result)) return skipped(name, "The token is not accepted.");
  const finding = agentsFinding(name, listing, agents, "The service lists");
  if (agents === undefined) return finding;
  const deprecated = "The service marks this list as deprecated.";
  return { ...finding, message: `${finding.message} ${deprecated}` };
}

function agentsFinding(
  name: string,
  listing: AgentListing,
  agents: Examined["agents"],
  who: string,
): Finding {
  if (listing.kind === "refused") {
    return failed(
      name,
      sentence(listing.problem),
      "Check that base_url ends before /v1 and is the service's; `--verbose` shows each request.",
    );
  }
  const list = agents?.list ?? [];
  if (list.length === 0) {
    const help = "Look whether the token is of the account you mean.";
    return warning(name, `${who} no agents.`, help);
  }
  const blocked = list.filter((agent) => agent.blocked).length;
  const also = blocked === 0 ? "" : `, ${blocked} of them blocked`;
  return ok(name, `${who} ${count(list.length, "agent")}${also}.`);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
