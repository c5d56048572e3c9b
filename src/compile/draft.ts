import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { Menu as MenuSchema } from "../schema/menu.ts";
import type { Agents } from "./agents.ts";
import { bind } from "./bind.ts";
import { type Validity, validateNode } from "./validate-node.ts";
import { warnOfCommentedKeys } from "./commented-keys.ts";
import { withDefaults } from "./defaults.ts";
import type { Environment } from "./environment.ts";
import { type Identity, identify } from "./identity.ts";
import { canonicalKey, withDistinctOptions } from "./options.ts";
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
import type { Judge } from "./rules/judge.ts";
import type { SeenMenu } from "./seen.ts";
import { expand } from "./variables.ts";

/** A menu's document before anything in it is looked at but its identity. */
export interface Draft extends Identity {
  readonly root: MapNode;
  readonly source: Source;
  readonly top: Span;
  readonly end: number;
  /** What was to be said while its file was read. */
  readonly reading: Diagnostics;
}

/** What a menu says by itself: its references settled, judged by ivrctl's own rules. */
export interface SettledMenu extends Omit<Draft, "root" | "end"> {
  readonly nameAt: Span;
  readonly movedFromAt: Span;
  readonly onChange: "replace" | "refuse" | undefined;
  readonly owner: string | undefined;
  readonly optionKeys: readonly string[];
  readonly validity: Validity;
  readonly found: Diagnostics;
  /** Whether nothing was at fault before the rules had their say. */
  readonly whole: boolean;
  readonly seen: SeenMenu;
  readonly tests: ListNode | undefined;
}

export interface Surroundings {
  readonly environment: Environment | undefined;
  readonly agents: Agents | undefined;
  readonly judge: Judge;
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
      drafts.push({ root, source, top, end, ...identity, reading });
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
  const { environment, agents, judge } = surroundings;
  const { key, source, top } = draft;
  const diagnostics = new Diagnostics();
  const own = withDistinctOptions(draft.root, diagnostics);
  const menu = withDefaults(own, environment?.defaults);
  const unset = environment === undefined ? none : unsetIn(menu, environment, diagnostics);
  const told = draft.reading.hasErrors ? new Set([...unset, ...holesIn(menu, diagnostics)]) : unset;
  const { faulty, misspelt } = validateNode(MenuSchema, menu, {
    diagnostics,
    top,
    spare: (node) => told.has(node),
    spareMissing: environment === undefined,
  });
  const validity = {
    faulty: told.size === 0 ? faulty : new Set([...faulty, ...told]),
    misspelt,
  };
  warnOfCommentedKeys(draft.root, draft.end, diagnostics);
  const seen = bind(menu, { environment, agents, validity, diagnostics });
  const whole = environment !== undefined && !diagnostics.hasErrors;
  judge.menu({ ...seen, key, top }, diagnostics);
  const options = field(menu, "options");
  const onChange = textField(menu, "on_change");
  return {
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
    validity,
    found: diagnostics,
    whole,
    reading: draft.reading,
    seen,
    tests: testsIn(draft),
  };
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
