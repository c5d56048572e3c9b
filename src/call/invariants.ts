import type * as z from "zod/mini";
import type { Agents } from "../compile/agents.ts";
import type { Config } from "../project/config.ts";
import type { Environment } from "../project/environment.ts";
import { canonicalKey } from "../compile/options.ts";
import { type Node, at, entriesOf, nodeAt } from "../yaml/node.ts";
import { resolveDestination } from "../compile/references.ts";
import { lookedUp } from "../compile/menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { globPattern } from "../util/glob.ts";
import { many } from "../util/many.ts";
import type { Invariant as InvariantSchema } from "../schema/invariant.ts";
import { callDestination } from "./menu.ts";
import type { CallDestination, Press, Via } from "./model.ts";
import { keyPlace } from "./words.ts";

/** An invariant as written. */
type Written = z.infer<typeof InvariantSchema>;
type Reached = NonNullable<Written["reaches"]>;

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

/** Reads the invariants of the configuration. Leaves out those that cannot hold, which are reported. */
export function readInvariants(input: Input): Invariant[] {
  const { value, tree } = input.config;
  return (value.invariants ?? []).flatMap((written, index) => {
    const diagnostics = new Diagnostics();
    const node = at(tree, ["invariants", index]);
    const invariant = readInvariant(written, node, { ...input, diagnostics });
    input.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : invariant;
  });
}

function readInvariant(written: Written, node: Node, input: Input): Invariant {
  const { keys, diagnostics } = input;
  const place = entriesOf(node)[0]?.key ?? node;
  const [menus, except] = [patterns(written.menus), patterns(written.except)];
  const key = written.key === undefined ? undefined : canonicalKey(written.key);
  const { via } = written;
  if (key !== undefined && via !== undefined && via !== "option") {
    diagnostics.add(
      "IVR802",
      nodeAt(node, ["via"]) ?? place,
      `No call takes both ${keyPlace(key)} and the path \`${via}\`.`,
      "Remove `key:` or `via:`, or write two invariants.",
      "error",
    );
  }
  const claims = readClaims(written, node, input);
  const isExempt = (menu: string) => except?.some((pattern) => pattern.test(menu)) === true;
  const isAbout = (menu: string) =>
    (menus === undefined || menus.some((pattern) => pattern.test(menu))) && !isExempt(menu);
  if (keys.length > 0 && !keys.some(isAbout)) {
    diagnostics.add(
      "IVR802",
      place,
      "This invariant applies to no menu of the project.",
      "Check the keys under `menus:` and `except:`.",
    );
  }
  const name = written.name ?? described(key, via, claims);
  const path = { ...(key === undefined ? {} : { key }), ...(via && { via }) };
  return { name, at: place, isAbout, isExempt, ...path, claims };
}

function readClaims({ reaches, ...written }: Written, node: Node, input: Input): Claim[] {
  const claims: Claim[] = [];
  if (reaches !== undefined) {
    const any = anyOf(reaches, at(node, ["reaches"]), input);
    claims.push({ kind: "reaches", who: writtenOf(reaches), any });
  }
  if (written.not_blocked) claims.push({ kind: "not-blocked" });
  if (written.max_heard !== undefined) {
    claims.push({ kind: "max-heard", most: Number(written.max_heard) });
  }
  if (written.max_steps !== undefined) {
    claims.push({ kind: "max-steps", most: Number(written.max_steps) });
  }
  return claims;
}

/** All agents that match the reference. Unlike in a menu, there may be several. */
function anyOf(
  reference: Reached,
  node: Node,
  { environment, agents, ...input }: Input,
): CallDestination[] {
  const diagnostics = new Diagnostics();
  const context = { environment, agents, diagnostics };
  const found = lookedUp(resolveDestination(reference, node, context));
  if (found?.kind === "unreachable" && found.why === "several") {
    return (agents?.find(found.reference) ?? []).flatMap(
      ({ name, eid, team, blocked }): CallDestination[] =>
        eid === null ? [] : [{ kind: "agent", name, eid, team, blocked }],
    );
  }
  if (found === undefined || found.kind === "unreachable") input.diagnostics.addAll(diagnostics);
  return found === undefined ? [] : [callDestination(found)];
}

function patterns(globs: string | readonly string[] | undefined): RegExp[] | undefined {
  return globs === undefined ? undefined : [globs].flat().map((glob) => globPattern(glob));
}

/** A reference in words: `Front Desk`, `team Operators`. */
function writtenOf(reference: Reached): string {
  if (typeof reference === "string") return reference;
  return Object.entries(reference)
    .flatMap(([field, value]) =>
      value === undefined ? [] : field === "agent" ? String(value) : `${field} ${String(value)}`,
    )
    .join(", ");
}

function described(key: Press | undefined, via: Via | undefined, claims: readonly Claim[]): string {
  const path = key !== undefined ? keyPlace(key) : (via ?? "every path");
  return `${path} ${claims.map(describeClaim).join(" and ")}`;
}

export function describeClaim(claim: Claim): string {
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
