import type { Endpoint } from "../deploy/service/connect.ts";
import { Connections, type Received, header } from "../deploy/service/exchange.ts";
import type { Host } from "../util/host.ts";
import { type DoctorStep, failed, ok, skipped } from "./doctor-step.ts";

/** Sends one request without the token, and checks the proxy, the certificate and the clock. */
export async function probeService(
  { settings, address }: Endpoint,
  { env, clock }: Host,
): Promise<DoctorStep[]> {
  if (settings.kind === "sandbox") {
    return [skipped("connection", "Not needed for the embedded sandbox.")];
  }
  const { origin, pathname } = new URL(settings.baseUrl);
  const connections = new Connections(origin, settings.timeout, clock);
  const askedAt = clock.now().getTime();
  const answer = await connections
    .receive({
      method: "GET",
      path: pathname,
      headers: { accept: "application/json" },
      maxAnswer: 64 * 1024,
    })
    .finally(() => connections.close());
  const answeredAt = (askedAt + clock.now().getTime()) / 2;
  return [checkProxy(env), checkConnection(answer, address, env), checkClock(answer, answeredAt)];
}

/** Names the proxy variables that are set. Their values may contain a password. */
function checkProxy(env: Host["env"]): DoctorStep {
  const name = "proxy";
  const isSet = (upper: string) =>
    [upper.toLowerCase(), upper].find((variable) => env[variable]) ?? [];
  const set = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap(isSet);
  const [unread] = [isSet("ALL_PROXY")].flat();
  if (set.length === 0 && unread !== undefined) {
    return failed(
      name,
      "warning",
      `${unread} is set, but ivrctl does not read it.`,
      "Set HTTPS_PROXY if requests must go through a proxy.",
    );
  }
  return ok(name, set.length === 0 ? "No proxy is set." : `Set: ${set.join(", ")}.`);
}

function checkConnection(answer: Received, address: string, env: Host["env"]): DoctorStep {
  const name = "connection";
  if (answer.phase !== "answered") {
    const { detail } = answer;
    const message = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
    return failed(name, "error", message, helpFor(answer));
  }
  if (answer.status === 407 || answer.status >= 500) {
    return failed(
      name,
      "warning",
      `The service answers with HTTP ${answer.status}.`,
      "Ask whoever runs the service, or the proxy in front of it.",
    );
  }
  if (!address.startsWith("https:")) return ok(name, "The service answers.");
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    return failed(
      name,
      "warning",
      "The service answers, but its certificate is not checked: NODE_TLS_REJECT_UNAUTHORIZED is 0.",
      "Unset this variable. To trust your company's own CA, set NODE_EXTRA_CA_CERTS.",
    );
  }
  return ok(name, "The service answers, and its certificate is trusted.");
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

function helpFor({ phase, detail }: Exclude<Received, { phase: "answered" }>): string {
  const help = helps.find(([pattern]) => pattern.test(detail));
  if (help !== undefined) return help[1];
  return phase === "insecure"
    ? "Check the service's certificate, and which CAs this machine trusts."
    : "Check the address in base_url, the network, and the proxy if there is one.";
}

const maxDrift = 2 * 60_000;

function checkClock(answer: Received, answeredAt: number): DoctorStep {
  const name = "clock";
  if (answer.phase !== "answered") return skipped(name, "The service was not reached.");
  const time = Date.parse(header(answer.headers, "date") ?? "");
  if (Number.isNaN(time)) return skipped(name, "The service's answer has no time.");
  const drift = answeredAt - time;
  if (Math.abs(drift) <= maxDrift) return ok(name, "Within 2 minutes of the service's clock.");
  const minutes = Math.round(Math.abs(drift) / 60_000);
  const amount = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return failed(
    name,
    "warning",
    `The clock of this machine is ${amount} ${drift > 0 ? "ahead of" : "behind"} the service's.`,
    "Set the clock (NTP). Times must be right to find a menu with an unknown outcome on the console.",
  );
}
