import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { addressProblem } from "../schema/address.ts";
import type { Config } from "./config.ts";
import { type MapNode, type Node, entry, field } from "../yaml/node.ts";
import { type Variables, expand } from "./variables.ts";

/** Where an environment's menus are created. */
export type ServiceSettings =
  | { readonly kind: "sandbox"; readonly place: Span }
  | {
      readonly kind: "http";
      readonly baseUrl: string;
      /** Seconds for one request. */
      readonly timeout: number;
      /** Creates in flight. */
      readonly concurrency: number;
      /** No limit where null. */
      readonly requestsPerSecond: number | null;
      /** Where faults of the service are shown. */
      readonly place: Span;
      /** Undefined, and told, where its variable is not set; only who talks to the service asks. */
      token(): { readonly source: TokenSource; readonly place: Span } | undefined;
    };

/** Where a token comes from. It is never kept anywhere but in memory. */
export type TokenSource =
  | { readonly kind: "text"; readonly text: string }
  /** A command and its arguments, run without a shell. */
  | { readonly kind: "command"; readonly command: readonly [string, ...string[]] };

const standard = { timeout: 30, concurrency: 4 };

/** The service of an environment, its variables looked up: only commands that are about it need them. */
export function readService(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): ServiceSettings | undefined {
  const chosen = entry(field(config.root, "environments"), environment);
  const service = entry(chosen?.value, "service");
  const reader = new ServiceReader(config.faulty, variables, diagnostics);
  if (
    chosen === undefined ||
    service === undefined ||
    field(chosen.value, "service") === undefined
  ) {
    diagnostics.add(
      "IVR409",
      chosen?.key ?? config.source.top(),
      `The environment \`${environment}\` has no \`service:\`, so there is nothing to talk to.`,
      "Add `service: sandbox`, or the address and token of a real one.",
    );
    return undefined;
  }
  if (service.value.kind === "map") return reader.http(service.value, service.key);
  const text = reader.text(service.value);
  if (text === "sandbox") return { kind: "sandbox", place: service.key };
  if (text !== undefined) {
    diagnostics.add("IVR207", service.value, "The variable must hold `sandbox`.");
  }
  return undefined;
}

/** The token's source by itself, also where the rest of the service cannot be used. */
export function readToken(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): TokenSource | undefined {
  const service = field(entry(field(config.root, "environments"), environment)?.value, "service");
  return new ServiceReader(config.faulty, variables, diagnostics).tokenSource(
    field(service, "token"),
  );
}

class ServiceReader {
  readonly #faulty: ReadonlySet<Node>;
  readonly #variables: Variables;
  readonly #diagnostics: Diagnostics;

  constructor(faulty: ReadonlySet<Node>, variables: Variables, diagnostics: Diagnostics) {
    this.#faulty = faulty;
    this.#variables = variables;
    this.#diagnostics = diagnostics;
  }

  http(service: MapNode, place: Span): ServiceSettings | undefined {
    const address = field(service, "base_url");
    const baseUrl = this.#address(address);
    const timeout = this.#number(field(service, "timeout"), standard.timeout, {
      least: 0.001,
      most: 3600,
    });
    const concurrency = this.#number(field(service, "concurrency"), standard.concurrency, {
      least: 1,
      most: 1000,
      whole: true,
    });
    const requestsPerSecond = this.#number(field(service, "requests_per_second"), null, {
      least: 0.001,
      most: 1_000_000,
    });
    if (baseUrl === undefined) return undefined;
    if (timeout === undefined || concurrency === undefined || requestsPerSecond === undefined) {
      return undefined;
    }
    return {
      kind: "http",
      baseUrl,
      timeout,
      concurrency,
      requestsPerSecond,
      place: address ?? place,
      token: () => this.#token(field(service, "token"), place),
    };
  }

  text(node: Node | undefined): string | undefined {
    if (node?.kind !== "scalar" || this.#faulty.has(node)) return undefined;
    return expand(node, this.#variables, this.#diagnostics);
  }

  #address(node: Node | undefined): string | undefined {
    const text = this.text(node);
    if (node === undefined || text === undefined) return undefined;
    const problem = addressProblem(text);
    if (problem === undefined) return text;
    this.#diagnostics.add("IVR407", node, problem);
    return undefined;
  }

  #token(node: Node | undefined, otherwise: Span) {
    const source = this.tokenSource(node);
    return source && { source, place: node ?? otherwise };
  }

  tokenSource(node: Node | undefined): TokenSource | undefined {
    if (node?.kind === "scalar") {
      const text = this.text(node);
      return text === undefined ? undefined : { kind: "text", text };
    }
    const command = field(node, "command");
    if (command?.kind !== "list") return undefined;
    const [file, ...args] = command.items.map((item) => this.text(item));
    if (file === undefined || args.includes(undefined)) return undefined;
    return { kind: "command", command: [file, ...args.filter((word) => word !== undefined)] };
  }

  /** Undefined where it is there and wrong. */
  #number<D extends number | null>(
    node: Node | undefined,
    otherwise: D,
    { least, most, whole = false }: Bounds,
  ): number | D | undefined {
    if (node === undefined) return otherwise;
    const text = this.text(node);
    if (text === undefined) return undefined;
    const number = Number(text);
    const right = /^[0-9]+(?:\.[0-9]+)?$/.test(text) && (!whole || Number.isInteger(number));
    if (right && number >= least && number <= most) return number;
    const kind = whole ? "whole number" : "number";
    this.#diagnostics.add("IVR205", node, `This must be a ${kind} from ${least} to ${most}.`);
    return undefined;
  }
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}
