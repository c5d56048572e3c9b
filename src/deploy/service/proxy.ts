import { isLoopback } from "../../schema/address.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

/** The variables about proxies that are set. Only names: a proxy's address may hold a password. */
export function proxyVariables(variables: Variables): string[] {
  return names.flatMap((name) => effective(variables, name)?.name ?? []);
}

/**
 * The variable whose proxy an exchange with this address goes through, if any.
 * It repeats what `EnvHttpProxyAgent` decides, which tells nobody.
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

/** The lower-case name goes before the other, also where it is empty: then there is none. */
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
