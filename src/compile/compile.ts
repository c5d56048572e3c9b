import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { keyPattern, keyRule } from "../schema/common.ts";
import { Menu as MenuSchema } from "../schema/menu.ts";
import type { Payload } from "../schema/wire.ts";
import { type Agents, normalName } from "./agents.ts";
import { bind } from "./bind.ts";
import { type Judgement, check } from "./check.ts";
import type { Environment } from "./environment.ts";
import { withDefaults } from "./defaults.ts";
import { canonicalKey, withDistinctOptions } from "./options.ts";
import { encode } from "./encode.ts";
import { warnOfCommentedKeys } from "./commented-keys.ts";
import { type BoundMenu, type DrawnMenu, isBound } from "./menu.ts";
import { type ListNode, type MapNode, type Node, field, textField } from "./read/node.ts";
import { readYaml } from "./read/yaml.ts";
import { Judge } from "./rules/judge.ts";
import { bareRules } from "./rules/settings.ts";
import { drawnOf } from "./seen.ts";
import { expand } from "./variables.ts";

/** One menu of the project, as far as its files allow. */
export interface CompiledMenu {
  /** Undefined where the file gives no valid one. */
  readonly key: string | undefined;
  readonly source: Source;
  /** Where the menu's document begins. */
  readonly top: Span;
  readonly name: string | undefined;
  /** Where the name stands, or should. */
  readonly nameAt: Span;
  readonly movedFrom: string | undefined;
  readonly movedFromAt: Span;
  /** Undefined where the environment decides. */
  readonly onChange: "replace" | "refuse" | undefined;
  readonly owner: string | undefined;
  /** There only when nothing is wrong with the menu and an agent list was given. */
  readonly result: { readonly bound: BoundMenu; readonly payload: Payload } | undefined;
  /** There also when nothing is wrong but some of the agents: a call can be walked through it. */
  readonly drawn: DrawnMenu | undefined;
  /** The keys that it gives options, sound or not. */
  readonly optionKeys: readonly string[];
  /** The tests that stand in it, where they are wanted; their shape is sound where it is `drawn`. */
  readonly tests: ListNode | undefined;
  /** The schema's, of all that stands in it. */
  readonly judgement: Judgement;
}

export interface Compilation {
  /** Sorted by key. */
  readonly menus: readonly CompiledMenu[];
  readonly diagnostics: Diagnostics;
}

interface Input {
  readonly sources: readonly Source[];
  /** Without one, what it decides is left alone: aliases, and fields that defaults may give. */
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  /** Without one, only what nothing could be sent without is asked. */
  readonly judge?: Judge;
  /** Whether the tests that stand in them are wanted: they are a third of what is written. */
  readonly testsWanted?: boolean | undefined;
}

export function compileMenus(input: Input): Compilation {
  const { sources, environment, agents, testsWanted = false } = input;
  const judge = input.judge ?? new Judge(bareRules(), { agents, notes: false });
  const diagnostics = new Diagnostics();
  const identities: Identity[] = [];
  const menus: CompiledMenu[] = [];
  // File by file: of the tree of one nothing but a few places outlives it.
  for (const source of sources) {
    const own = new Diagnostics();
    const drafts = readMenus(source, own);
    if (own.hasErrors) judge.passOver(source);
    diagnostics.addAll(own);
    for (const draft of drafts) {
      const found = new Diagnostics();
      identities.push(identityOf(draft));
      menus.push(compileMenu(draft, { environment, agents, judge, testsWanted }, found));
      diagnostics.addAll(found);
    }
  }
  checkIdentities(identities, diagnostics);
  menus.sort((a, b) => compareKeys(a.key ?? a.source.file, b.key ?? b.source.file));
  return { menus, diagnostics };
}

/** A menu's document before anything in it is looked at but its identity. */
interface Draft {
  readonly root: MapNode;
  readonly source: Source;
  readonly top: Span;
  readonly end: number;
  readonly key: string | undefined;
  readonly keySpan: Span;
}

function readMenus(source: Source, diagnostics: Diagnostics): Draft[] {
  const documents = readYaml(source, diagnostics).filter(({ root, broken }) => root ?? broken);
  if (documents.length === 0) {
    diagnostics.add(
      "IVR105",
      source.top(),
      "This file holds no menu.",
      "Write one, or remove the file. A menu starts with `name:`.",
    );
  }
  return documents.flatMap(({ root, end }) => {
    if (root === undefined) return [];
    if (root.kind !== "map") {
      diagnostics.add(
        "IVR106",
        root,
        `A ${root.kind === "list" ? "list" : "bare text"} stands where a menu should be.`,
        "A menu is a mapping: `name:`, `description:`, `options:` and so on.",
      );
      return [];
    }
    const top = root.entries[0]?.key ?? source.span(root.start, root.start);
    return [{ root, source, top, end, ...identify(root, top, documents.length > 1, diagnostics) }];
  });
}

function identify(root: MapNode, top: Span, oneOfSeveral: boolean, diagnostics: Diagnostics) {
  const id = field(root, "id");
  if (id?.kind === "scalar") {
    return { key: keyPattern.test(id.text) ? id.text : undefined, keySpan: id };
  }
  if (id !== undefined) return { key: undefined, keySpan: id };
  if (oneOfSeveral) {
    diagnostics.add(
      "IVR215",
      top,
      "This file holds several menus, so each needs an `id:`.",
      "Add `id:` to this one, or give it a file of its own.",
    );
    return { key: undefined, keySpan: top };
  }
  const key = keyOf(top.source.file);
  if (keyPattern.test(key)) return { key, keySpan: top };
  diagnostics.add(
    "IVR212",
    top,
    `The key \`${key}\`, taken from the file's path, ${keyRule}.`,
    "Rename the file, or give the menu an `id:`.",
  );
  return { key: undefined, keySpan: top };
}

/** The file's path under ivrs/ without the ending; of a file elsewhere, its name. */
export function keyOf(file: string): string {
  const inside = file.startsWith("ivrs/") ? file.slice("ivrs/".length) : file.replace(/^.*\//, "");
  return inside.replace(/\.yaml$/, "");
}

/** What no two menus may share. */
interface Identity extends Pick<Draft, "key" | "keySpan"> {
  readonly name: Node | undefined;
  readonly movedFrom: Node | undefined;
}

function identityOf({ root, key, keySpan }: Draft): Identity {
  return { key, keySpan, name: field(root, "name"), movedFrom: field(root, "moved_from") };
}

function checkIdentities(identities: readonly Identity[], diagnostics: Diagnostics): void {
  const keys = new Map<string, Identity>();
  for (const own of identities) {
    if (own.key === undefined) continue;
    const earlier = keys.get(own.key.toLowerCase());
    if (earlier === undefined) keys.set(own.key.toLowerCase(), own);
    else {
      diagnostics.add(
        "IVR213",
        own.keySpan,
        earlier.key === own.key
          ? `The key \`${own.key}\` belongs to ${place(earlier.keySpan)} already.`
          : `The key \`${own.key}\` differs from \`${earlier.key}\` (${place(earlier.keySpan)}) in case alone.`,
        "A key is a menu's address for life: give this one another `id:`.",
      );
    }
  }
  checkNames(identities, diagnostics);
  checkMoves(identities, keys, diagnostics);
}

function checkNames(identities: readonly Identity[], diagnostics: Diagnostics): void {
  const names = new Map<string, Span>();
  for (const { name: node } of identities) {
    if (node?.kind !== "scalar" || node.text.trim() === "") continue;
    const name = normalName(node.text);
    const earlier = names.get(name);
    if (earlier === undefined) names.set(name, node);
    else {
      diagnostics.add(
        "IVR214",
        node,
        `The name \`${node.text}\` is taken by ${place(earlier)}.`,
        "The name is all that the service knows a menu by: choose another.",
      );
    }
  }
}

function checkMoves(
  identities: readonly Identity[],
  keys: ReadonlyMap<string, Identity>,
  diagnostics: Diagnostics,
): void {
  const claims = new Map<string, Span>();
  for (const { movedFrom: from } of identities) {
    if (from?.kind !== "scalar") continue;
    const old = keys.get(from.text.toLowerCase());
    const claimed = claims.get(from.text);
    if (old?.key === from.text) {
      diagnostics.add(
        "IVR216",
        from,
        `\`${from.text}\` is still a menu of its own (${place(old.keySpan)}).`,
        "Remove that file, or this `moved_from:`.",
      );
    } else if (claimed !== undefined) {
      diagnostics.add(
        "IVR216",
        from,
        `\`${from.text}\` is claimed by ${place(claimed)} as well.`,
        "A record moves to one menu: remove one of the two.",
      );
    }
    claims.set(from.text, from);
  }
}

interface Surroundings {
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  readonly judge: Judge;
  readonly testsWanted: boolean;
}

function compileMenu(
  draft: Draft,
  { environment, agents, judge, testsWanted }: Surroundings,
  diagnostics: Diagnostics,
): CompiledMenu {
  const { key, source, top } = draft;
  const own = withDistinctOptions(draft.root, diagnostics);
  const menu = withDefaults(own, environment?.defaults);
  const unset = environment === undefined ? none : unsetIn(menu, environment, diagnostics);
  const { faulty, misspelt } = check(MenuSchema, menu, {
    diagnostics,
    top,
    spare: (node) => unset.has(node),
    spareMissing: environment === undefined,
  });
  const judgement = {
    faulty: unset.size === 0 ? faulty : new Set([...faulty, ...unset]),
    misspelt,
  };
  warnOfCommentedKeys(draft.root, draft.end, diagnostics);
  const seen = bind(menu, { environment, agents, judgement, diagnostics });
  const sound = environment !== undefined && !diagnostics.hasErrors;
  judge.menu({ ...seen, key, top }, sound, diagnostics);
  const drawn = drawnOf(seen);
  const options = field(menu, "options");
  const tests = testsWanted ? field(menu, "tests") : undefined;
  const onChange = textField(menu, "on_change");
  return {
    key,
    source,
    top,
    name: textField(menu, "name"),
    nameAt: field(menu, "name") ?? top,
    movedFrom: textField(menu, "moved_from"),
    movedFromAt: field(menu, "moved_from") ?? top,
    onChange: onChange === "refuse" || onChange === "replace" ? onChange : undefined,
    owner: textField(menu, "owner"),
    result:
      drawn === undefined || !isBound(drawn) || environment === undefined || diagnostics.hasErrors
        ? undefined
        : { bound: drawn, payload: encode(drawn, environment.wire) },
    drawn:
      environment === undefined || diagnostics.sorted().some(preventsCalls) ? undefined : drawn,
    optionKeys:
      options?.kind === "map" ? options.entries.map((option) => canonicalKey(option.key.text)) : [],
    tests: tests?.kind === "list" ? tests : undefined,
    judgement,
  };
}

/**
 * Whether nobody can say how a call would go. Where somebody named is not there,
 * or a rule does not like what it sees, a menu can be walked all the same.
 */
export function preventsCalls({ severity, code, rule }: Diagnostic): boolean {
  return severity === "error" && rule === undefined && !besideCalls.test(code);
}

/** Agents that are not there, or not the only ones; and how rules are set. */
const besideCalls = /^IVR(?:301|302|7)/;

const none: ReadonlySet<Node> = new Set();

/** Values of this menu whose variable is not set, each told where it stands. */
function unsetIn(
  menu: MapNode,
  environment: Environment,
  diagnostics: Diagnostics,
): ReadonlySet<Node> {
  const { unset, variables } = environment;
  if (unset.size === 0) return none;
  const used = new Set<Node>();
  const visit = (node: Node): void => {
    if (node.kind === "map") for (const { value } of node.entries) visit(value);
    else if (node.kind === "list") node.items.forEach(visit);
    else if (unset.has(node)) {
      used.add(node);
      expand(node, variables, diagnostics);
    }
  };
  visit(menu);
  return used;
}

function place(span: Span): string {
  return `${span.source.file}:${span.source.position(span.start).line}`;
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
