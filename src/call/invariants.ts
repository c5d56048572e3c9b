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
import { lookedUp } from "../compile/menu.ts";
import { expand } from "../project/variables.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { globPattern } from "../util/glob.ts";
import { many } from "../util/many.ts";
import { Invariant as InvariantSchema } from "../schema/invariant.ts";
import { callDestination } from "./menu.ts";
import type { CallDestination, Press, Via } from "./model.ts";
import { viaOf } from "./tests.ts";
import { placeOf } from "./words.ts";

/** A rule for every path through some menus. */
export interface Invariant {
  readonly name: string;
  /** Where it is written. */
  readonly at: Span;
  /** Whether it applies to a menu. */
  readonly isAbout: (key: string) => boolean;
  /** Whether a call that continues in a menu is not followed there. */
  readonly isExempt: (key: string) => boolean;
  /**
   * The only path that it applies to, by its key or by how the call ends. Without both, every path.
   */
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
  /** The keys of all menus. */
  readonly keys: readonly string[];
  readonly diagnostics: Diagnostics;
}

/** Reads the invariants of the configuration. Reports invalid ones and leaves them out. */
export function readInvariants(input: Input): Invariant[] {
  const written = field(input.config.root, "invariants");
  if (written?.kind !== "list") return [];
  return written.items.flatMap((item) => {
    const diagnostics = new Diagnostics();
    const invariant = readInvariant(item, { ...input, diagnostics });
    input.diagnostics.addAll(diagnostics);
    return invariant === undefined || diagnostics.hasErrors ? [] : invariant;
  });
}

function readInvariant(written: Node, input: Input): Invariant | undefined {
  const { environment, keys, diagnostics } = input;
  const item = filledIn(written, environment, diagnostics);
  // The values of variables were unknown at the first validation.
  if (!diagnostics.hasErrors) validateNode(InvariantSchema, item, { diagnostics, top: written });
  if (diagnostics.hasErrors || item.kind !== "map") return undefined;
  const at = item.entries[0]?.key ?? item;
  const [menus, except] = [patterns(field(item, "menus")), patterns(field(item, "except"))];
  const pressed = textField(item, "key");
  const key = pressed === undefined ? undefined : canonicalKey(pressed);
  const via = viaOf(textField(item, "via"));
  if (key !== undefined && via !== undefined && via !== "option") {
    diagnostics.add(
      "IVR802",
      field(item, "via") ?? at,
      `No call takes both ${placeOf(key)} and the path \`${via}\`.`,
      "Remove `key:` or `via:`, or write two invariants.",
      "error",
    );
  }
  const claims = readClaims(item, input);
  if (claims.length === 0) {
    diagnostics.add(
      "IVR802",
      at,
      "This invariant does not say what must hold.",
      "Add `reaches:`, `not_blocked: true`, `max_heard:` or `max_steps:`.",
      "error",
    );
    return undefined;
  }
  const isExempt = (menu: string) => except?.some((pattern) => pattern.test(menu)) === true;
  const isAbout = (menu: string) =>
    (menus === undefined || menus.some((pattern) => pattern.test(menu))) && !isExempt(menu);
  if (keys.length > 0 && !keys.some(isAbout)) {
    diagnostics.add(
      "IVR802",
      at,
      "This invariant applies to no menu of the project.",
      "Check the keys under `menus:` and `except:`.",
    );
  }
  const name = textField(item, "name") ?? described(key, via, claims);
  const path = { ...(key === undefined ? {} : { key }), ...(via && { via }) };
  return { name, at, isAbout, isExempt, ...path, claims };
}

function readClaims(item: MapNode, input: Input): Claim[] {
  const reaches = entry(item, "reaches");
  const [heard, steps] = [textField(item, "max_heard"), textField(item, "max_steps")];
  const claims: Claim[] = [];
  if (reaches !== undefined && !isNull(reaches.value)) {
    const any = anyOf(reaches.value, reaches.key, input);
    claims.push({ kind: "reaches", who: writtenOf(reaches.value), any });
  }
  if (field(item, "not_blocked") !== undefined) claims.push({ kind: "not-blocked" });
  if (heard !== undefined) claims.push({ kind: "max-heard", most: Number(heard) });
  if (steps !== undefined) claims.push({ kind: "max-steps", most: Number(steps) });
  return claims;
}

/** All agents that match the reference. Unlike in a menu, there may be several. */
function anyOf(node: Node, owner: Span, { environment, agents, ...input }: Input) {
  const diagnostics = new Diagnostics();
  const validity = { invalidNodes: new Set<Node>(), misspelled: new Set<Node>() };
  const context = { environment, agents, validity, diagnostics };
  const found = lookedUp(resolveDestination(node, owner, context));
  if (found?.kind === "unreachable" && found.why === "several") {
    return (agents?.find(found.reference) ?? []).flatMap(
      ({ name, eid, team, blocked }): CallDestination[] =>
        eid === null ? [] : [{ kind: "agent", name, eid, team, blocked }],
    );
  }
  if (found === undefined || found.kind === "unreachable") input.diagnostics.addAll(diagnostics);
  return found === undefined ? [] : [callDestination(found)];
}

/** The node with its variables replaced. */
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

/** A reference in words: `Front Desk`, `team Operators`. */
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
  const path = key !== undefined ? placeOf(key) : (via ?? "every path");
  return `${path} ${claims.map(claimWords).join(" and ")}`;
}

export function claimWords(claim: Claim): string {
  switch (claim.kind) {
    case "reaches":
      return `reaches ${claim.who}`;
    case "not-blocked":
      return "reaches no blocked agent";
    case "max-heard":
      return `hears at most ${many(claim.most, "recording")}`;
    case "max-steps":
      return `takes at most ${many(claim.most, "step")}`;
  }
}
