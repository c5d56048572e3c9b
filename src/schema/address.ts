/** Why an address cannot be used, if it cannot. */
export function addressProblem(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "`base_url` is not an address: it looks like https://telephony.example/api.";
  }
  if (url.username !== "" || url.password !== "") {
    return "`base_url` holds a user name or password; the token alone identifies the caller.";
  }
  if (url.search !== "" || url.hash !== "") {
    return "`base_url` has a ? or # in it; it ends before /v1.";
  }
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "`base_url` must start with https://.";
  return isLoopback(url.hostname)
    ? undefined
    : "`base_url` is plain http, which would send the token in the clear; only loopback may.";
}

/** A host name or address of this machine alone, IPv6 with or without its brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}
