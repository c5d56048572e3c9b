import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { isLoopback, normalAddress } from "../util/address.ts";
import { service as Service } from "../schema/config.ts";
import type { QuirkName } from "../schema/trial-rows.ts";
import { vendorNamed } from "../schema/vendors.ts";
import type { Config } from "./config-file.ts";
import { type Node, entriesOf, entry, field, isNull, itemsOf, nodeAt } from "../yaml/node.ts";
import { type Variables, expand, hasVariable, readSection } from "./environment-variables.ts";
import { allItemsDefined } from "../util/defined.ts";

/** The service of an environment. */
export type ServiceSettings =
  | { readonly kind: "sandbox"; readonly place: Span; readonly quirks: readonly QuirkName[] }
  | {
      readonly kind: "http";
      readonly baseUrl: string;
      /** Seconds for one request. */
      readonly timeout: number;
      /** The largest number of requests at the same time. */
      readonly concurrency: number;
      /** Null for no limit. */
      readonly requestsPerSecond: number | null;
      /** Where problems with the service are reported. */
      readonly place: Span;
      /** Where problems with the token are reported. */
      readonly tokenPlace: Span;
      /** Reads the token's source. Reports a variable that is not set, and returns undefined. */
      token(): TokenSource | undefined;
      /** The same for a token that can only read. Undefined if there is none. */
      readonly readOnly:
        | { readonly tokenPlace: Span; readonly token: () => TokenSource | undefined }
        | undefined;
    };

/** Where a token comes from. The token itself is only in memory. */
export type TokenSource =
  | { readonly kind: "text"; readonly text: string }
  /** A command and its arguments, run without a shell. */
  | { readonly kind: "command"; readonly command: readonly [string, ...string[]] };

/** Whether the service of an environment is the embedded sandbox. */
export function isSandbox(environment: Node | undefined, variables: Variables): boolean {
  const service = field(environment, "service");
  return service?.kind === "scalar"
    ? expand(service, variables, new Diagnostics()) === "sandbox"
    : entry(service, "sandbox") !== undefined;
}

/** Reads the service of an environment. Call it only if the service is needed, because its variables may be unset. */
export function readService(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): ServiceSettings | undefined {
  const chosen = entry(field(config.root, "environments"), environment);
  const service = entry(chosen?.value, "service");
  if (service === undefined || isNull(service.value)) {
    diagnostics.add(
      "IVR407",
      chosen?.key ?? config.source.top(),
      `The environment \`${environment}\` has no \`service:\`.`,
      "Add `service: sandbox`, or `base_url:` and `token:` of a real service.",
    );
    return undefined;
  }
  const { key, value } = service;
  const settings = readSection(Service, service, environment, variables, diagnostics);
  if (settings === undefined) return undefined;
  if (settings === "sandbox") return { kind: "sandbox", place: key, quirks: [] };
  if (settings.sandbox) return { kind: "sandbox", place: key, quirks: settings.sandbox.quirks };
  const readOnlyPlace = field(value, "read_token");
  const { vendor, timeout, concurrency, requests_per_second: rate } = settings;
  // The schema has reported that neither has one.
  const baseUrl = settings.base_url ?? (vendor && vendorNamed(vendor).base_url) ?? "";
  // Limits of an account are shared by everything that uses it. A service on this machine has none.
  const [atOnce, perSecond] = isLoopback(new URL(baseUrl).hostname) ? [4, null] : [1, 2];
  return {
    kind: "http",
    baseUrl,
    timeout: Number(timeout ?? 30),
    concurrency: Number(concurrency ?? atOnce),
    requestsPerSecond: rate === undefined ? perSecond : Number(rate),
    place: field(value, "base_url") ?? key,
    tokenPlace: field(value, "token") ?? key,
    token: () => readToken(config, environment, variables, diagnostics),
    readOnly: readOnlyPlace && {
      tokenPlace: readOnlyPlace,
      token: () => readToken(config, environment, variables, diagnostics, "read_token"),
    },
  };
}

/** The text that identifies a service in the state and in agent lists. */
export function serviceIdentity(settings: ServiceSettings): string {
  return settings.kind === "sandbox" ? "sandbox" : normalAddress(settings.baseUrl);
}

/** The environments with a real service. */
export function realEnvironments({ root }: Config): string[] {
  return entriesOf(field(root, "environments"))
    .filter(({ value }) => {
      const service = field(value, "service");
      return service?.kind === "map" && entry(service, "sandbox") === undefined;
    })
    .map(({ key }) => key.text);
}

/** Reads the token's source alone, even if the rest of the service cannot be used. */
export function readToken(
  { root }: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
  name: "token" | "read_token" = "token",
): TokenSource | undefined {
  const token = nodeAt(root, ["environments", environment, "service", name]);
  const read = (node: Node) =>
    node.kind === "scalar" ? expand(node, variables, diagnostics) : undefined;
  // A token that is written in the file has been reported, and is never used.
  const isVariable = token?.kind === "scalar" && hasVariable(token.text);
  const text = isVariable ? read(token) : undefined;
  if (text !== undefined) return { kind: "text", text };
  const [file, ...args] = allItemsDefined(itemsOf(field(token, "command")).map(read)) ?? [];
  return file === undefined ? undefined : { kind: "command", command: [file, ...args] };
}
