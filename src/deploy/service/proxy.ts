import { isLoopback } from "../../schema/address.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

/** The names of the proxy variables that are set. Their values may contain a password. */
export function proxyVariables(variables: Variables): string[] {
  return names.flatMap((name) => effective(variables, name)?.name ?? []);
}

/**
 * The variable that names the proxy for this address, if any. It repeats the decision of
 * `EnvHttpProxyAgent`, which does not report it.
 */
export function proxyFor(address: string, variables: Variables): string | undefined {
  const url = new URL(address);
  if (isLoopback(url.hostname)) return undefined;
  const plain = effective(variables, "HTTP_PROXY");
  const proxy = url.protocol === "https:" ? (effective(variables, "HTTPS_PROXY") ?? plain) : plain;
  if (proxy === undefined) return undefined;
  const except = effective(variables, "NO_PROXY")?.value ?? "";
  return isExcepted(url, except) ? undefined : proxy.name;
}

/** The lower-case name has priority, even if it is empty: then there is no proxy. */
function effective(variables: Variables, upper: (typeof names)[number]) {
  const lower = upper.toLowerCase();
  const name = variables[lower] === undefined ? upper : lower;
  const value = variables[name];
  return value === undefined || value === "" ? undefined : { name, value };
}

function isExcepted(url: URL, except: string): boolean {
  if (except === "*") return true;
  const host = url.hostname.toLowerCase();
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return except.split(/[,\s]/).some((entry) => {
    if (entry === "") return false;
    const [, named = entry, only = ""] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const domain = named.replace(/^\*?\./, "").toLowerCase();
    if (Number(only) !== 0 && Number(only) !== port) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}
