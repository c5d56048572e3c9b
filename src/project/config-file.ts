import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { extensionPattern } from "../schema/field-types.ts";
import { ConfigDraft, ConfigSchema } from "../schema/config.ts";
import { holdsSecret, secretSettings, storeWith } from "../schema/store-settings.ts";
import { missingFor } from "../schema/operations.ts";
import { explaining } from "../yaml/mistakes/syntax-mistakes.ts";
import { decode } from "../yaml/decode.ts";
import { warnOfCommentedKeys, withDistinctOptions } from "./options.ts";
import { withoutTemplates } from "./vars.ts";
import {
  type MapEntry,
  type MapNode,
  type Node,
  type Path,
  type ScalarNode,
  entriesOf,
  entry,
  field,
  itemsOf,
  mapEntries,
  mapScalars,
  nodeAt,
} from "../yaml/node.ts";
import { readMapping } from "../yaml/read-yaml.ts";
import { addSecrets, showHarmless } from "./hide-secrets.ts";
import { hasVariable, variablesIn } from "./environment-variables.ts";

/** ivrctl.yaml, decoded as far as it is valid. */
export interface Config {
  readonly source: Source;
  readonly root: MapNode;
  readonly value: ConfigDraft;
  /** The tree of `value`: a path points to the same place in both. */
  readonly tree: Node;
}

/** Parses and validates ivrctl.yaml. Undefined, and reported, if it is not a mapping. */
export function readConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  return explaining(source, diagnostics, parseConfig);
}

function parseConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  source.hideAll();
  const problems = new Diagnostics();
  const read = readMapping(source, "configuration", help, problems);
  diagnostics.addAll(problems);
  if (read?.root === undefined) return undefined;
  const root = tidyDefaults(read.root, read.end, diagnostics);
  // The tree of a text with errors lacks parts of it, which stay hidden.
  if (!problems.hasErrors) showHarmless(source, root);
  addSecrets(root, {});
  const marked = withoutVariables(root, diagnostics);
  const { value, tree } = decode(
    { complete: ConfigSchema, draft: ConfigDraft },
    mapEntries(marked, ({ key, value: section }) =>
      key.text === "defaults" ? withoutTemplates(section) : section,
    ),
    { diagnostics, top: root.entries[0]?.key ?? source.top(), unitOf: entryAt },
  ) ?? { value: {}, tree: marked };
  checkNames(root, diagnostics);
  checkStores(root, diagnostics);
  checkOperations(value, root, diagnostics);
  return { source, root: marked, value, tree };
}

const help = "Write fields such as `version: 1` and `environments:`.";

/** What to leave out if the value at a path is invalid: a whole recording or invariant. */
function entryAt(path: Path): Path {
  const [start, depth] = path[0] === "environments" ? [path[2], 4] : [path[0], 2];
  return start === "recordings" || start === "invariants" ? path.slice(0, depth) : path;
}

/**
 * The tree with every `${NAME}` marked. Under `service:` and `state:` it is replaced when it is needed.
 * Anywhere else it is reported.
 */
function withoutVariables(root: MapNode, diagnostics: Diagnostics): MapNode {
  const later = (scalar: ScalarNode): ScalarNode =>
    hasVariable(scalar.text) ? { ...scalar, unusable: "setting" } : scalar;
  const refused = (scalar: ScalarNode): ScalarNode => {
    const [name] = variablesIn(scalar.text);
    if (name === undefined) return scalar;
    diagnostics.add(
      "IVR218",
      scalar,
      `\`\${${name}}\` is replaced only under \`service:\` and \`state:\`.`,
      "Write the text itself, so that every machine gets the same menus. A value of one environment belongs under `environments:`.",
    );
    return { ...scalar, unusable: "variable" };
  };
  const inEnvironment = ({ key, value }: MapEntry): Node => {
    if (key.text === "state") return mapScalars(value, later);
    if (key.text !== "service") return mapScalars(value, refused);
    // The token must come from a variable or a command, and is read only when it is needed.
    return mapEntries(value, (setting) =>
      /^(?:read_)?token$/.test(setting.key.text) ? setting.value : mapScalars(setting.value, later),
    );
  };
  return mapEntries(root, ({ key, value }) =>
    key.text === "environments"
      ? mapEntries(value, (environment) => mapEntries(environment.value, inEnvironment))
      : extensionPattern.test(key.text)
        ? value
        : mapScalars(value, refused),
  );
}

/** Checks the options of the defaults like those of a menu. */
function tidyDefaults(root: MapNode, end: number, diagnostics: Diagnostics): MapNode {
  const defaults = entry(root, "defaults");
  if (defaults?.value.kind !== "map") return root;
  const next = root.entries.find(({ key }) => key.start > defaults.key.start);
  warnOfCommentedKeys(defaults.value, next?.key.start ?? end, diagnostics);
  const value = withDistinctOptions(defaults.value, diagnostics);
  return {
    ...root,
    entries: root.entries.map((section) =>
      section === defaults ? { ...section, value } : section,
    ),
  };
}

/**
 * Reports environments whose names differ only in case. State files are named after environments,
 * and on some disks `Prod` and `prod` are the same file.
 */
function checkNames(root: MapNode, diagnostics: Diagnostics): void {
  const names = new Map<string, string>();
  for (const { key } of entriesOf(field(root, "environments"))) {
    const earlier = names.get(key.text.toLowerCase());
    if (earlier === undefined) names.set(key.text.toLowerCase(), key.text);
    else {
      diagnostics.add(
        "IVR406",
        key,
        `The names \`${key.text}\` and \`${earlier}\` differ only in case.`,
        "Rename one of them. ivrctl uses the names for files.",
      );
    }
  }
}

/** Reports operations without those that they need. */
function checkOperations(
  { environments = {} }: ConfigDraft,
  root: Node,
  diagnostics: Diagnostics,
): void {
  for (const [name, settings] of Object.entries(environments)) {
    const { operations = [], allow = [] } = settings ?? {};
    const node = nodeAt(root, ["environments", name]);
    // An invalid word may be a misspelled operation.
    if (itemsOf(field(node, "operations")).length > operations.length) continue;
    const report = (path: Path, message: string, hint: string) =>
      diagnostics.add("IVR424", nodeAt(node, path) ?? root, message, hint);
    for (const [index, word] of operations.entries()) {
      const missing = missingFor(word, operations);
      if (missing.length === 0) continue;
      const what = missing.map((needed) => `\`${needed}\``).join(" and ");
      report(
        ["operations", index],
        `The operation \`${word}\` needs ${what}, which \`operations:\` does not have.`,
        `Add ${what} if the service offers ${missing.length === 1 ? "it" : "them"}, or remove \`${word}\`.`,
      );
    }
    if (!operations.includes("delete") && allow.includes("delete")) {
      report(
        ["allow", allow.indexOf("delete")],
        "Allowing `delete` has no effect, because `operations:` does not have it.",
        "Add `delete` to `operations:` if the service offers it, or remove it from `allow:`.",
      );
    }
  }
}

/** Reports secrets, also beside a variable, and settings without a backend. */
function checkStores(root: MapNode, diagnostics: Diagnostics): void {
  for (const { value } of entriesOf(field(root, "environments"))) {
    const state = field(value, "state");
    for (const store of [state, field(state, "from")]) {
      for (const [name, secretsIn] of Object.entries(secretSettings)) {
        const node = field(store, name);
        if (node?.kind !== "scalar" || !holdsSecret(name, node.text)) continue;
        const isSecret = secretsIn(node.text).includes(node.text);
        diagnostics.add(
          "IVR404",
          node,
          `\`${name}\` ${isSecret ? "is not an address" : "contains a password"}.`,
          `Write \`${name}: "\${STATE_${name.toUpperCase()}}"\` and set the variable, or write an address without a password.`,
        );
      }
      checkBackend(store, diagnostics);
    }
  }
}

/** Without a backend, a state is in files. A bucket next to it would be ignored. */
function checkBackend(store: Node | undefined, diagnostics: Diagnostics): void {
  if (entry(store, "backend") !== undefined) return;
  for (const { key } of entriesOf(store)) {
    const backend = storeWith(key.text);
    if (backend === undefined) continue;
    const message = `\`${key.text}\` needs a \`backend\` next to it.`;
    diagnostics.add("IVR202", key, message, `Write \`backend: ${backend}\`.`);
    return;
  }
}
