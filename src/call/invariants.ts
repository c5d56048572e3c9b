import type { Agents } from "../compile/agents.ts";
import { validateNode } from "../yaml/validate-node.ts";
import type { Config } from "../project/config.ts";
import type { Environment } from "../project/environment.ts";
import { canonicalKey } from "../compile/options.ts";
import {
  type MapNode,
  type Node,
  entry,
  field,
  isNull,
  mapScalars,
  textField,
} from "../yaml/node.ts";
import { resolveDestination } from "../compile/references.ts";
import { known } from "../compile/menu.ts";
import { expand } from "../project/variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { globPattern } from "../util/glob.ts";
import { Invariant as InvariantSchema } from "../schema/invariant.ts";
import { callDestination } from "./menu.ts";
import type { CallDestination, Press, Via } from "./model.ts";
import { viaOf } from "./tests.ts";
import { placeOf } from "./words.ts";

/** What must hold on every way through the menus it is about. */
export interface Invariant {
  readonly name: string;
  /** Where it stands. */
  readonly at: Span;
  /** Whether a menu is one of those it is about. */
  readonly isAbout: (key: string) => boolean;
  /** The way that it is about; every one where neither is given. */
  readonly key?: Press;
  readonly via?: Via;
  readonly claims: readonly Claim[];
}

export type Claim =
  | { readonly kind: "reaches"; readonly who: string; readonly any: readonly CallDestination[] }
  | { readonly kind: "not-blocked" }
  | { readonly kind: "max-heard"; readonly most: number }
  | { readonly kind: "max-steps"; readonly most: number };

interface Input {
  readonly config: Config;
  readonly environment: Environment;
  readonly agents: Agents | undefined;
  /** Of every menu. */
  readonly keys: readonly string[];
  readonly diagnostics: Diagnostics;
}

/** Those of the configuration; one that is at fault is told and left out. */
export function readInvariants(input: Input): Invariant[] {
  const { config, environment, agents, keys, diagnostics } = input;
  const written = field(config.root, "invariants");
  if (written?.kind !== "list") return [];
  return written.items.flatMap((item) => {
    const own = new Diagnostics();
    const filled = filledIn(item, environment, own);
    // Judged a second time, now that it is known what its variables hold.
    if (!own.hasErrors) validateNode(InvariantSchema, filled, { diagnostics: own, top: item });
    const invariant =
      own.hasErrors || filled.kind !== "map"
        ? undefined
        : new InvariantReader(environment, agents, own).invariant(filled);
    if (invariant !== undefined && keys.length > 0 && !keys.some(invariant.isAbout)) {
      own.add("IVR805", invariant.at, "No menu of this project is one that this is about.");
    }
    diagnostics.addAll(own);
    return invariant === undefined || own.hasErrors ? [] : invariant;
  });
}

class InvariantReader {
  readonly #environment: Environment;
  readonly #agents: Agents | undefined;
  readonly #diagnostics: Diagnostics;

  constructor(environment: Environment, agents: Agents | undefined, diagnostics: Diagnostics) {
    this.#environment = environment;
    this.#agents = agents;
    this.#diagnostics = diagnostics;
  }

  invariant(item: MapNode): Invariant | undefined {
    const at = item.entries[0]?.key ?? item;
    const [menus, except] = [patterns(field(item, "menus")), patterns(field(item, "except"))];
    const pressed = textField(item, "key");
    const key = pressed === undefined ? undefined : canonicalKey(pressed);
    const via = viaOf(textField(item, "via"));
    if (key !== undefined && via !== undefined && via !== "option") {
      this.#diagnostics.add(
        "IVR807",
        field(item, "via") ?? at,
        `No call lands by ${placeOf(key)} and by \`${via}\`.`,
        "Remove `key:` or `via:`, or write two invariants.",
      );
    }
    const claims = this.#claims(item);
    if (claims.length === 0) {
      this.#diagnostics.add(
        "IVR804",
        at,
        "Nothing here says what must hold.",
        "Add `reaches:`, `not_blocked: true`, `max_heard:` or `max_steps:`.",
      );
      return undefined;
    }
    return {
      name: textField(item, "name") ?? described(key, via, claims),
      at,
      isAbout: (menu) =>
        (menus === undefined || menus.some((pattern) => pattern.test(menu))) &&
        !except?.some((pattern) => pattern.test(menu)),
      ...(key === undefined ? {} : { key }),
      ...(via === undefined ? {} : { via }),
      claims,
    };
  }

  #claims(item: MapNode): Claim[] {
    const reaches = entry(item, "reaches");
    const [heard, steps] = [textField(item, "max_heard"), textField(item, "max_steps")];
    const claims: Claim[] = [];
    if (reaches !== undefined && !isNull(reaches.value)) {
      const any = this.#anyOf(reaches.value, reaches.key);
      claims.push({ kind: "reaches", who: writtenOf(reaches.value), any });
    }
    if (field(item, "not_blocked") !== undefined) claims.push({ kind: "not-blocked" });
    if (heard !== undefined) claims.push({ kind: "max-heard", most: Number(heard) });
    if (steps !== undefined) claims.push({ kind: "max-steps", most: Number(steps) });
    return claims;
  }

  /** Everyone whom the reference fits: unlike a menu, an invariant may mean several. */
  #anyOf(node: Node, owner: Span): CallDestination[] {
    const diagnostics = new Diagnostics();
    const reached = resolveDestination(node, owner, {
      environment: this.#environment,
      agents: this.#agents,
      validity: { faulty: new Set(), misspelt: new Set() },
      diagnostics,
    });
    const found = known(reached);
    if (found?.kind === "nobody" && found.why === "several") {
      return (this.#agents?.find(found.reference) ?? []).flatMap(({ name, eid, team, blocked }) =>
        eid === null ? [] : { kind: "agent", name, eid, team, blocked },
      );
    }
    if (found === undefined || found.kind === "nobody") this.#diagnostics.addAll(diagnostics);
    return found === undefined ? [] : [callDestination(found)];
  }
}

/** Variables of the configuration, filled in where they are needed. */
function filledIn(node: Node, environment: Environment, diagnostics: Diagnostics): Node {
  return mapScalars(node, (scalar) => {
    const text = expand(scalar, environment.variables, diagnostics);
    return text === undefined ? scalar : { ...scalar, text };
  });
}

function patterns(node: Node | undefined): RegExp[] | undefined {
  if (node === undefined) return undefined;
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => (item.kind === "scalar" ? globPattern(item.text) : []));
}

/** A reference as a person would say it: `Front Desk`, `team Operators`. */
function writtenOf(node: Node): string {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return "";
  return node.entries
    .flatMap(({ key, value }) =>
      value.kind !== "scalar"
        ? []
        : key.text === "agent"
          ? value.text
          : `${key.text} ${value.text}`,
    )
    .join(", ");
}

function described(key: Press | undefined, via: Via | undefined, claims: readonly Claim[]): string {
  const way = key !== undefined ? placeOf(key) : (via ?? "every way");
  return `${way} ${claims.map(claimWords).join(" and ")}`;
}

export function claimWords(claim: Claim): string {
  switch (claim.kind) {
    case "reaches":
      return `reaches ${claim.who}`;
    case "not-blocked":
      return "reaches nobody who is blocked";
    case "max-heard":
      return `hears at most ${claim.most} ${claim.most === 1 ? "recording" : "recordings"}`;
    case "max-steps":
      return `takes at most ${claim.most} ${claim.most === 1 ? "step" : "steps"}`;
  }
}
