/** Why an address of the service cannot be used, if it cannot. */
export function addressProblem(text: string): string | undefined {
  return urlProblem(text, {
    field: "base_url",
    example: "https://telephony.example/api",
    identity: "the token alone identifies the caller",
    query: "; it ends before /v1",
    sent: "the token",
  });
}

interface Wording {
  readonly field: string;
  readonly example: string;
  /** Where the caller's identity comes from instead. */
  readonly identity: string;
  /** Follows the remark that there is a query or a fragment. */
  readonly query: string;
  /** What plain http would send in the clear. */
  readonly sent: string;
}

/** Why a text cannot be the base of requests, if it cannot: https, or http on loopback. */
export function urlProblem(text: string, wording: Wording): string | undefined {
  const { field, example, identity, query, sent } = wording;
  if (!URL.canParse(text)) return `\`${field}\` is not an address: it looks like ${example}.`;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return `\`${field}\` holds a user name or password; ${identity}.`;
  }
  if (url.search !== "" || url.hash !== "") return `\`${field}\` has a ? or # in it${query}.`;
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return `\`${field}\` must start with https://.`;
  return isLoopback(url.hostname)
    ? undefined
    : `\`${field}\` is plain http, which would send ${sent} in the clear; only loopback may.`;
}

/** A host name or address of this machine alone, IPv6 with or without its brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}
