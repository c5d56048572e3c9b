import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { Menu as MenuSchema } from "../schema/menu.ts";
import type { Agents } from "./agents.ts";
import { bind } from "./bind.ts";
import { type Judgement, check } from "./check.ts";
import { warnOfCommentedKeys } from "./commented-keys.ts";
import { withDefaults } from "./defaults.ts";
import type { Environment } from "./environment.ts";
import { type Identity, identify } from "./identity.ts";
import { once } from "./once.ts";
import { canonicalKey, withDistinctOptions, withoutExcess } from "./options.ts";
import { reportHole } from "./read/build.ts";
import {
  type ListNode,
  type MapNode,
  type Node,
  type ScalarNode,
  field,
  isHole,
  textField,
} from "./read/node.ts";
import { readYaml } from "./read/yaml.ts";
import type { Judge, Judged } from "./rules/judge.ts";
import type { SeenMenu } from "./seen.ts";
import { expand } from "./variables.ts";

/** A menu's document before anything in it is looked at but its identity. */
export interface Draft extends Identity {
  readonly kind: "draft";
  readonly root: MapNode;
  readonly source: Source;
  readonly top: Span;
  readonly end: number;
  /** Which of the menus in its file it is, from 0. */
  readonly ordinal: number;
  /** What was to be said while its file was read. */
  readonly reading: Diagnostics;
}

/**
 * What a menu says by itself: its references settled, judged by ivrctl's own
 * rules. It depends on nothing but its file, the environment, the agents and how
 * the rules are set.
 */
export interface SettledMenu extends Omit<Draft, "kind" | "root" | "end"> {
  readonly kind: "settled";
  readonly nameAt: Span;
  readonly movedFromAt: Span;
  readonly onChange: "replace" | "refuse" | undefined;
  readonly owner: string | undefined;
  readonly optionKeys: readonly string[];
  readonly judgement: Judgement;
  readonly found: Diagnostics;
  /** Whether nothing was at fault before the rules had their say. */
  readonly whole: boolean;
  readonly judged: Judged;
  seen(): SeenMenu;
  readonly tests: (() => ListNode) | undefined;
  /** What an earlier run found out, where it is known from there. */
  readonly known?: { readonly isDrawn: boolean };
}

export interface Surroundings {
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  readonly judge: Judge;
  /** Whether the tests in menus will be asked for: they are a third of what is written. */
  readonly testsWanted: boolean;
}

export function readMenus(source: Source, diagnostics: Diagnostics): Draft[] {
  const reading = new Diagnostics();
  const documents = readYaml(source, reading, { holes: true }).filter(
    ({ root, broken }) => root ?? broken,
  );
  if (documents.length === 0) {
    reading.add(
      "IVR105",
      source.top(),
      "This file holds no menu.",
      "Write one, or remove the file. A menu starts with `name:`.",
    );
  }
  const drafts: Draft[] = [];
  for (const { root, end } of documents) {
    if (root?.kind === "map") {
      const top = root.entries[0]?.key ?? source.span(root.start, root.start);
      const identity = identify(root, top, documents.length > 1, reading);
      const ordinal = drafts.length;
      drafts.push({ kind: "draft", root, source, top, end, ...identity, ordinal, reading });
    } else if (root !== undefined) {
      reading.add(
        "IVR106",
        root,
        `A ${root.kind === "list" ? "list" : "bare text"} stands where a menu should be.`,
        "A menu is a mapping: `name:`, `description:`, `options:` and so on.",
      );
    }
  }
  diagnostics.addAll(reading);
  return drafts;
}

export function settle(draft: Draft, surroundings: Surroundings): SettledMenu {
  const { environment, agents, judge, testsWanted } = surroundings;
  const { key, source, top } = draft;
  const diagnostics = new Diagnostics();
  const own = withDistinctOptions(draft.root, diagnostics);
  const menu = withoutExcess(withDefaults(own, environment?.defaults), diagnostics);
  const unset = environment === undefined ? none : unsetIn(menu, environment, diagnostics);
  const told = draft.reading.hasErrors ? new Set([...unset, ...holesIn(menu, diagnostics)]) : unset;
  const { faulty, misspelt } = check(MenuSchema, menu, {
    diagnostics,
    top,
    spare: (node) => told.has(node),
    spareMissing: environment === undefined,
  });
  const judgement = {
    faulty: told.size === 0 ? faulty : new Set([...faulty, ...told]),
    misspelt,
  };
  warnOfCommentedKeys(draft.root, draft.end, diagnostics);
  const seen = bind(menu, { environment, agents, judgement, diagnostics });
  const whole = environment !== undefined && !diagnostics.hasErrors;
  const judged = judge.menu({ ...seen, key, top }, diagnostics);
  const options = field(menu, "options");
  const onChange = textField(menu, "on_change");
  return {
    kind: "settled",
    source,
    top,
    key,
    keyAt: draft.keyAt,
    name: draft.name,
    nameAt: field(menu, "name") ?? top,
    movedFrom: draft.movedFrom,
    movedFromAt: field(menu, "moved_from") ?? top,
    onChange: onChange === "refuse" || onChange === "replace" ? onChange : undefined,
    owner: textField(menu, "owner"),
    optionKeys:
      options?.kind === "map" ? options.entries.map((option) => canonicalKey(option.key.text)) : [],
    judgement,
    found: diagnostics,
    whole,
    judged,
    ordinal: draft.ordinal,
    reading: draft.reading,
    seen: () => seen,
    tests: testsLater(draft, testsWanted),
  };
}

/** A menu of a file once more, from the text that it was read from. */
export function readAgain(source: Source, ordinal: number): Draft {
  const draft = readMenus(source, new Diagnostics())[ordinal];
  if (draft === undefined) throw new Error(`${source.file} has fewer menus than it had`);
  return draft;
}

/** The tests in it, read again when they are asked for. */
export function readTestsAgain(source: Source, ordinal: number): () => ListNode {
  return once(() => {
    const tests = testsIn(readAgain(source, ordinal));
    if (tests === undefined) throw new Error(`${source.file} has no tests, and had some`);
    return tests;
  });
}

function testsLater(draft: Draft, wanted: boolean): (() => ListNode) | undefined {
  const tests = testsIn(draft);
  if (tests === undefined) return undefined;
  return wanted ? once(() => tests) : readTestsAgain(draft.source, draft.ordinal);
}

/** None can come from the defaults. */
function testsIn({ root }: Draft): ListNode | undefined {
  const tests = field(root, "tests");
  return tests?.kind === "list" ? tests : undefined;
}

const none: ReadonlySet<Node> = new Set();

/** Values of this menu whose variable is not set, each told where it stands. */
function unsetIn(
  menu: MapNode,
  environment: Environment,
  diagnostics: Diagnostics,
): ReadonlySet<Node> {
  const { unset, variables } = environment;
  if (unset.size === 0) return none;
  const used = scalarsIn(menu).filter((node) => unset.has(node));
  for (const node of used) expand(node, variables, diagnostics);
  return new Set(used);
}

/** Values that are names of nothing, each told as this menu's own fault. */
function holesIn(menu: MapNode, diagnostics: Diagnostics): readonly Node[] {
  const found = scalarsIn(menu).filter(isHole);
  for (const node of found) reportHole(node, node.text.slice(1), diagnostics);
  return found;
}

function scalarsIn(node: Node): readonly ScalarNode[] {
  switch (node.kind) {
    case "scalar":
      return [node];
    case "list":
      return node.items.flatMap(scalarsIn);
    case "map":
      return node.entries.flatMap(({ value }) => scalarsIn(value));
  }
}
