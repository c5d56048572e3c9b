import { correctAgent, removeUsers } from "../deploy/service/agents.ts";
import { proxyFor, proxyVariables } from "../deploy/service/proxy.ts";
import type { ExchangeResult } from "../deploy/service/exchange.ts";
import type { AgentListing, Refusal } from "../deploy/service/service.ts";
import { many } from "../util/many.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined, ExaminedToken } from "./examine.ts";
import { checkOperations } from "./check-operations.ts";
import { type Check, failed, findingOf, ok, skipped, warning } from "./finding.ts";

/** The checks of the service. */
export const serviceChecks: readonly Check[] = [
  checkAddress,
  checkProxy,
  checkConnection,
  checkClock,
  checkToken,
  checkAccess,
  checkAgents,
  checkOperations,
];

const noAddress = "The address of the service is unknown.";
const notNeeded = "Not needed for the embedded sandbox.";
const notReached = "The service was not reached.";
const withheld = "The token is sent only to the address in the state.";

function checkAddress({ project, problems, service }: Examined): Finding {
  const name = "address";
  if (service.kind === "sandbox") return skipped(name, notNeeded);
  if (service.kind === "http") return ok(name, `${service.address}.`);
  const problem = problems.service.sorted().find(({ code }) => code !== "IVR403");
  if (problem !== undefined) return findingOf(name, problem);
  const why =
    project.environment === undefined ? "no environment is chosen" : "a variable in it is not set";
  return skipped(name, `Unknown: ${why}.`);
}

function checkProxy({ project: { host }, service }: Examined): Finding {
  const name = "proxy";
  if (service.kind === "sandbox") return skipped(name, notNeeded);
  const set = proxyVariables(host.env);
  const names = `Set: ${set.join(", ")}.`;
  if (service.kind === "unknown") {
    return set.length > 0 ? ok(name, names) : skipped(name, noAddress);
  }
  const unused = ["ALL_PROXY", "all_proxy"].find((variable) => host.env[variable]);
  if (set.length === 0 && unused !== undefined) {
    return warning(
      name,
      `${unused} is set, but ivrctl does not read it.`,
      "Set HTTPS_PROXY if requests must go through a proxy.",
    );
  }
  if (set.length === 0) return ok(name, "No proxy is set.");
  const through = proxyFor(service.address, host.env);
  const used = through === undefined ? "no proxy" : `the proxy in ${through}`;
  return ok(name, `${names} Requests to this address use ${used}.`);
}

function checkConnection({ project: { host }, service }: Examined): Finding {
  const name = "connection";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { answer, address } = service;
  if (answer.phase !== "answered") {
    return failed(name, sentence(answer.detail), helpFor(answer));
  }
  if (answer.status === 407 || answer.status >= 500) {
    return warning(
      name,
      `The service answers with HTTP ${answer.status}.`,
      "Ask the operator of the service, or of the proxy in front of it.",
    );
  }
  const secure = address.startsWith("https:");
  if (secure && host.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    return warning(
      name,
      "The service answers, but its certificate is not checked: NODE_TLS_REJECT_UNAUTHORIZED is 0.",
      "Unset this variable. To trust your company's own CA, set NODE_EXTRA_CA_CERTS.",
    );
  }
  const trusted = "The service answers, and its certificate is trusted.";
  return ok(name, secure ? trusted : "The service answers.");
}

function reasonToSkip(kind: "sandbox" | "unknown"): string {
  return kind === "sandbox" ? notNeeded : noAddress;
}

/** Help for a failed exchange: the first pattern that matches its detail decides. */
const helps: readonly (readonly [detail: RegExp, help: string])[] = [
  [
    /ENOTFOUND|EAI_AGAIN/,
    "Check the host name in base_url, and that this machine can resolve host names.",
  ],
  [/ECONNREFUSED/, "Check the host and the port in base_url: nothing listens there."],
  [
    /EHOSTUNREACH|ENETUNREACH|TIMEOUT|ETIMEDOUT|took too long|timed out|within [\d.]+ s/,
    "Check the network, the VPN and the firewall. If a proxy is needed, set HTTPS_PROXY.",
  ],
  [/HTTPS_PROXY/, "Set the variable to an address such as http://proxy.example:3128."],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "Check the clock of this machine. If it is right, the service's certificate must be renewed.",
  ],
  [/ALTNAME|HOSTNAME_MISMATCH/, "Use the host name that the certificate was issued for."],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED/,
    "Set NODE_EXTRA_CA_CERTS=company-ca.pem to trust your company's own CA.",
  ],
  [/EPROTO|WRONG_VERSION/, "Check the port in base_url: the server there does not use https."],
];

function helpFor({ phase, detail }: Exclude<ExchangeResult, { phase: "answered" }>): string {
  const known = helps.find(([pattern]) => pattern.test(detail));
  if (known !== undefined) return known[1];
  return phase === "insecure"
    ? "Check the service's certificate, and which CAs this machine trusts."
    : "Check the address in base_url, the network, and the proxy if there is one.";
}

const maxDrift = 2 * 60_000;

function checkClock({ service }: Examined): Finding {
  const name = "clock";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { answer, answeredAt } = service;
  if (answer.phase !== "answered") return skipped(name, notReached);
  if (answer.clock === null) return skipped(name, "The service's answer has no time.");
  const drift = answeredAt - answer.clock;
  if (Math.abs(drift) <= maxDrift) return ok(name, "Within 2 minutes of the service's clock.");
  const seconds = Math.round(Math.abs(drift) / 1000);
  const amount =
    seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
  return warning(
    name,
    `The clock of this machine is ${amount} ${drift > 0 ? "ahead of" : "behind"} the service's.`,
    "Set the clock (NTP). Times must be right to find a menu with an unknown outcome on the console.",
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
    case "withheld":
      return skipped(name, withheld);
    case "none": {
      const why = token.isUnset ? "its variable is not set" : "the configuration does not name it";
      return skipped(name, `Unknown: ${why}.`);
    }
    case "problem": {
      const help =
        token.source === "command"
          ? "Run the command by hand, and check its output and exit code."
          : "Set the variable to the token alone, without quotes, spaces or a line break.";
      return failed(name, token.problem, help);
    }
    case "token": {
      return ok(
        name,
        token.source === "command"
          ? "The command prints a token in a valid form."
          : "The variable has a token in a valid form.",
      );
    }
  }
}

function checkAccess({ service }: Examined): Finding {
  const name = "access";
  if (service.kind !== "http") return skipped(name, reasonToSkip(service.kind));
  const { listing, result, token } = service;
  if (listing === undefined) return skipped(name, reasonNotListed(token));
  if (isDenied(listing)) {
    return failed(
      name,
      result === 401 || result === 403
        ? `The service rejects the token (HTTP ${result}).`
        : sentence(listing.problem),
      "Check that the token is complete, belongs to this account and has not expired. If not, get a new one.",
    );
  }
  return listing.kind === "listed"
    ? ok(name, "The service accepts the token.")
    : skipped(name, "Unknown: the service did not return its agent list.");
}

function reasonNotListed({ kind }: ExaminedToken): string {
  if (kind === "withheld") return withheld;
  return kind === "token" ? notReached : "There is no token.";
}

function isDenied(listing: AgentListing): listing is Refusal {
  return listing.kind === "refused" && listing.reason === "token";
}

function checkAgents({ service, agents, endpoint }: Examined): Finding | Finding[] {
  const name = "agents";
  const isFromUsers = endpoint?.operations.has("users") ?? false;
  const { kind, listing } = service;
  if (kind === "unknown") return skipped(name, noAddress);
  if (kind === "sandbox") {
    if (listing)
      return agentsFinding(name, listing, agents, "The embedded sandbox has", isFromUsers);
    return service.problem === undefined ? [] : [findingOf(name, service.problem)];
  }
  if (listing === undefined) return skipped(name, reasonNotListed(service.token));
  if (isDenied(listing)) return skipped(name, "The service rejects the token.");
  const finding = agentsFinding(name, listing, agents, "The service lists", isFromUsers);
  if (agents === undefined || agents.origin.isFromUsers === true) return finding;
  const deprecated = "The service marks this list as deprecated.";
  return { ...finding, message: `${finding.message} ${deprecated}` };
}

function agentsFinding(
  name: string,
  listing: AgentListing,
  agents: Examined["agents"],
  who: string,
  isFromUsers: boolean,
): Finding {
  if (listing.kind === "refused") {
    return failed(
      name,
      sentence(listing.problem),
      listing.reason === "agent"
        ? correctAgent
        : isFromUsers && listing.reason === "not-offered"
          ? removeUsers
          : "Check that base_url belongs to the service and ends before /v1. `--verbose` shows each request.",
    );
  }
  const list = agents?.list ?? [];
  if (list.length === 0) {
    const help = "Check that the token belongs to the right account.";
    return warning(name, `${who} no agents.`, help);
  }
  const blocked = list.filter((agent) => agent.blocked).length;
  const also = blocked === 0 ? "" : `, ${blocked} of them blocked`;
  return ok(name, `${who} ${many(list.length, "agent")}${also}.`);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
