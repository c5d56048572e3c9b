import type { Seen } from "../deploy/service/exchange-result.ts";

/** By the code that stands in the detail; the first that fits. */
const mends: readonly (readonly [code: RegExp, mend: string])[] = [
  [
    /ENOTFOUND|EAI_AGAIN/,
    "Check the host's name in base_url, and that this machine can look names up.",
  ],
  [/ECONNREFUSED/, "Nobody listens there: check the host and the port in base_url."],
  [
    /EHOSTUNREACH|ENETUNREACH|TIMEOUT|ETIMEDOUT|took too long|no answer within/,
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

export function mendConnection(phase: Exclude<Seen["phase"], "answered">, detail: string): string {
  const known = mends.find(([code]) => code.test(detail));
  if (known !== undefined) return known[1];
  return phase === "insecure"
    ? "Check the service's certificate, and which authorities this machine trusts."
    : "Check the address in base_url, the network, and a proxy on the way.";
}
