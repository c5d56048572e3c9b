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
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "`base_url` must start with https://.";
  return isLoopback(url.hostname)
    ? undefined
    : "`base_url` is plain http, which would send the token in the clear; only loopback may.";
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}
