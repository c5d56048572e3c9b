import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { addressProblem, identityOf } from "../schema/address.ts";
import { allFieldsDefined, allItemsDefined } from "../util/defined.ts";
import type { Config } from "./config.ts";
import { type MapNode, type Node, entriesOf, entry, field, isNull, itemsOf } from "../yaml/node.ts";
import { SettingReader, type Variables } from "./variables.ts";

/** The service of an environment. */
export type ServiceSettings =
  | { readonly kind: "sandbox"; readonly place: Span }
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
    };

/** Where a token comes from. The token itself is only in memory. */
export type TokenSource =
  | { readonly kind: "text"; readonly text: string }
  /** A command and its arguments, run without a shell. */
  | { readonly kind: "command"; readonly command: readonly [string, ...string[]] };

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
  const reader = new SettingReader(config.invalidNodes, variables, diagnostics);
  if (service.value.kind === "map") {
    return httpService(service.value, service.key, reader, diagnostics);
  }
  const text = reader.text(service.value);
  if (text === "sandbox") return { kind: "sandbox", place: service.key };
  if (text !== undefined) {
    diagnostics.add(
      "IVR203",
      service.value,
      "The variable must be `sandbox`.",
      "Set it to `sandbox`, or write `base_url:` and `token:` under `service:`.",
    );
  }
  return undefined;
}

/** The text that identifies a service in the state and in agent lists. */
export function serviceIdentity(settings: ServiceSettings): string {
  return settings.kind === "sandbox" ? "sandbox" : identityOf(settings.baseUrl);
}

/** The environments with a real service. */
export function realEnvironments({ root }: Config): string[] {
  return entriesOf(field(root, "environments"))
    .filter(({ value }) => field(value, "service")?.kind === "map")
    .map(({ key }) => key.text);
}

/** Reads the token's source alone, even if the rest of the service cannot be used. */
export function readToken(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): TokenSource | undefined {
  const service = field(entry(field(config.root, "environments"), environment)?.value, "service");
  const reader = new SettingReader(config.invalidNodes, variables, diagnostics);
  return tokenSource(field(service, "token"), reader);
}

function httpService(
  service: MapNode,
  place: Span,
  reader: SettingReader,
  diagnostics: Diagnostics,
): ServiceSettings | undefined {
  /** Reads a number. Returns the default if it is absent, and undefined if it is invalid. */
  const number = <D extends number | null>(name: string, preset: D, bounds: Bounds) => {
    const node = field(service, name);
    return node === undefined ? preset : numberWithin(node, bounds, reader, diagnostics);
  };
  const address = field(service, "base_url");
  const token = field(service, "token");
  const settings = allFieldsDefined({
    baseUrl: usableAddress(address, reader, diagnostics),
    timeout: number("timeout", 30, { least: 0.001, most: 3600 }),
    concurrency: number("concurrency", 4, { least: 1, most: 1000, whole: true }),
    requestsPerSecond: number("requests_per_second", null, { least: 0.001, most: 1_000_000 }),
  });
  return (
    settings && {
      kind: "http",
      ...settings,
      place: address ?? place,
      tokenPlace: token ?? place,
      token: () => tokenSource(token, reader),
    }
  );
}

function usableAddress(
  node: Node | undefined,
  reader: SettingReader,
  diagnostics: Diagnostics,
): string | undefined {
  const text = reader.text(node);
  if (node === undefined || text === undefined) return undefined;
  const problem = addressProblem(text);
  if (problem === undefined) return text;
  diagnostics.add("IVR407", node, problem.message, problem.help);
  return undefined;
}

function tokenSource(node: Node | undefined, reader: SettingReader): TokenSource | undefined {
  if (node?.kind === "scalar") {
    const text = reader.text(node);
    return text === undefined ? undefined : { kind: "text", text };
  }
  const words = allItemsDefined(itemsOf(field(node, "command")).map((item) => reader.text(item)));
  const [file, ...args] = words ?? [];
  return file === undefined ? undefined : { kind: "command", command: [file, ...args] };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

function numberWithin(
  node: Node,
  { least, most, whole = false }: Bounds,
  reader: SettingReader,
  diagnostics: Diagnostics,
): number | undefined {
  const text = reader.text(node);
  if (text === undefined) return undefined;
  const number = Number(text);
  const valid = /^[0-9]+(?:\.[0-9]+)?$/.test(text) && (!whole || Number.isInteger(number));
  if (valid && number >= least && number <= most) return number;
  const kind = whole ? "whole number" : "number";
  diagnostics.add(
    "IVR203",
    node,
    `This must be a ${kind} from ${least} to ${most}.`,
    "Write a number in this range.",
  );
  return undefined;
}
