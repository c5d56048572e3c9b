import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { addressProblem } from "../schema/address.ts";
import { backendFields, backends, isBackend } from "../schema/backends.ts";
import { endpointProblem } from "../schema/bucket.ts";
import { Config as ConfigSchema } from "../schema/config.ts";
import { databaseAddress, mayHoldPassword } from "../schema/database-address.ts";
import { neverDefault } from "../schema/menu.ts";
import { type OperationName, missingFor, operationNames } from "../schema/operations.ts";
import { explaining } from "../yaml/mistakes/explain.ts";
import { validateNode } from "../yaml/validate-node.ts";
import { notDefault, withoutEmptyDefaults } from "../compile/defaults.ts";
import { warnOfCommentedKeys, withDistinctOptions } from "../compile/options.ts";
import { hasTemplate } from "../compile/vars.ts";
import {
  type MapNode,
  type Node,
  entriesOf,
  entry,
  field,
  itemsOf,
  scalarsIn,
  textField,
} from "../yaml/node.ts";
import { readYaml, reportSecond } from "../yaml/read-yaml.ts";
import { addSecrets, showHarmless } from "./hide-secrets.ts";
import { hasVariable } from "./variables.ts";

/** ivrctl.yaml as read and validated, without its variables filled in. */
export interface Config {
  readonly source: Source;
  readonly root: MapNode;
  readonly invalidNodes: ReadonlySet<Node>;
}

/** Parses and validates ivrctl.yaml. Undefined, and reported, if it is not a mapping. */
export function readConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  return explaining(source, diagnostics, parseConfig);
}

function parseConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  source.hideAll();
  const found = new Diagnostics();
  const documents = readYaml(source, found);
  diagnostics.addAll(found);
  const [read, second] = documents.flatMap((document) => document.root ?? []);
  if (read === undefined) {
    if (!documents.some(({ broken }) => broken)) {
      diagnostics.add(
        "IVR106",
        source.top(),
        `${source.file} is empty.`,
        "Write a configuration. It starts with `version: 1`.",
      );
    }
    return undefined;
  }
  if (read.kind !== "map") {
    diagnostics.add(
      "IVR106",
      read,
      `This is ${read.kind === "list" ? "a list" : "text"}, not a configuration.`,
      "Write fields such as `version: 1` and `environments:`.",
    );
    return undefined;
  }
  const root = tidyDefaults(read, documents[0]?.end ?? source.text.length, diagnostics);
  reportSecond(second, diagnostics);
  // The tree of a text with errors lacks parts of it, which stay hidden.
  if (second === undefined && !found.hasErrors) showHarmless(source, root);
  addSecrets(root, {});
  const defaults = field(root, "defaults");
  const templates = new Set<Node>(
    defaults ? scalarsIn(defaults).filter(({ text }) => hasTemplate(text)) : [],
  );
  const { invalidNodes, misspelled } = validateNode(ConfigSchema, root, {
    diagnostics,
    top: root.entries[0]?.key ?? source.top(),
    isExempt: (value, code) =>
      (code !== "IVR404" && hasVariable(value.text)) || templates.has(value),
    unknownField: (unknown, path) => {
      const key = unknown.key.text;
      return path[0] === "defaults" && path.length === 1 && neverDefault.has(key)
        ? notDefault(key)
        : undefined;
    },
  });
  checkNames(root, diagnostics);
  checkVars(root, diagnostics);
  checkAddresses(root, diagnostics);
  checkStates(root, misspelled, diagnostics);
  checkOperations(root, diagnostics);
  return { source, root, invalidNodes };
}

/** Checks the options of the defaults like those of a menu, and removes empty fields. */
function tidyDefaults(root: MapNode, end: number, diagnostics: Diagnostics): MapNode {
  const defaults = entry(root, "defaults");
  if (defaults?.value.kind !== "map") return root;
  const next = root.entries.find(({ key }) => key.start > defaults.key.start);
  warnOfCommentedKeys(defaults.value, next?.key.start ?? end, diagnostics);
  const value = withoutEmptyDefaults(withDistinctOptions(defaults.value, diagnostics));
  return {
    ...root,
    entries: root.entries.map((own) => (own === defaults ? { ...own, value } : own)),
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

/** Reports variables of menus that would depend on the machine. */
function checkVars(root: MapNode, diagnostics: Diagnostics): void {
  const layers = [root, ...entriesOf(field(root, "environments")).map(({ value }) => value)];
  const values = layers.flatMap((layer) => entriesOf(field(layer, "vars")));
  for (const { key, value } of values) {
    if (value.kind !== "scalar" || !hasVariable(value.text)) continue;
    diagnostics.add(
      "IVR218",
      value,
      `The variable \`${key.text}\` uses an environment variable.`,
      "Write the text itself, so that every machine gets the same menus.",
    );
  }
}

/** An operation of an environment and its place. */
interface PlacedOperation {
  readonly word: OperationName;
  readonly at: Span;
}

/** Reports operations without those that they need. Repeated reports are removed. */
export function reportMissingOperations(
  items: readonly PlacedOperation[],
  diagnostics: Diagnostics,
): void {
  const given = items.map(({ word }) => word);
  for (const { word, at } of items) {
    const missing = missingFor(word, given).map((name) => `\`${name}\``);
    if (missing.length === 0) continue;
    const [what, one] = [missing.join(" and "), missing.length === 1];
    diagnostics.add(
      "IVR424",
      at,
      `The operation \`${word}\` needs ${what}, which \`operations:\` does not have.`,
      `Add ${what} if the service offers ${one ? "it" : "them"}, or remove \`${word}\`.`,
    );
  }
}

function checkOperations(root: MapNode, diagnostics: Diagnostics): void {
  for (const { value } of entriesOf(field(root, "environments"))) {
    const items = itemsOf(field(value, "operations"));
    const words = items.flatMap((at) => {
      const word = operationNames.find((name) => at.kind === "scalar" && at.text === name);
      return word === undefined ? [] : [{ word, at }];
    });
    // The schema reports unknown words. Variables are checked when the environment is used.
    if (words.length < items.length) continue;
    reportMissingOperations(words, diagnostics);
    if (words.some(({ word }) => word === "delete")) continue;
    for (const item of itemsOf(field(value, "allow"))) {
      if (item.kind !== "scalar" || item.text !== "delete") continue;
      diagnostics.add(
        "IVR424",
        item,
        "Allowing `delete` has no effect, because `operations:` does not have it.",
        "Add `delete` to `operations:` if the service offers it, or remove it from `allow:`.",
      );
    }
  }
}

function inEnvironments(root: MapNode, name: "service" | "state") {
  return entriesOf(field(root, "environments")).flatMap(({ key: environment, value }) => {
    const found = entry(value, name);
    return found?.value.kind === "map"
      ? [{ environment: environment.text, key: found.key, settings: found.value }]
      : [];
  });
}

function checkStates(root: MapNode, misspelled: ReadonlySet<Node>, diagnostics: Diagnostics): void {
  for (const { environment, key, settings } of inEnvironments(root, "state")) {
    const backend = textField(settings, "backend");
    if (backend === undefined || !isBackend(backend)) continue;
    const takes: readonly string[] = backends[backend].takes;
    for (const { key: own } of settings.entries) {
      const { text } = own;
      if (takes.includes(text) || !backendFields.has(text)) continue;
      diagnostics.add(
        "IVR407",
        own,
        `\`backend: ${backend}\` has no setting \`${text}\`.`,
        `Remove \`${text}:\`, or change \`backend:\`.`,
      );
    }
    for (const name of backends[backend].needs) {
      if (field(settings, name) !== undefined || misspelled.has(settings)) continue;
      const label = `environments.${environment}.state.${name}`;
      const example = name === "url" ? "url: ${STATE_URL}" : "bucket: acme-ivr-state";
      diagnostics.add(
        "IVR202",
        key,
        `\`${label}\` is missing.`,
        `Add a field such as \`${example}\`.`,
      );
    }
    checkDatabase(field(settings, "url"), diagnostics);
    checkEndpoint(field(settings, "endpoint"), diagnostics);
  }
}

function checkDatabase(url: Node | undefined, diagnostics: Diagnostics): void {
  if (url?.kind !== "scalar" || !mayHoldPassword(url.text)) return;
  diagnostics.add(
    "IVR404",
    url,
    databaseAddress(url.text) === null
      ? "`url` is not the address of a database."
      : "`url` contains a password.",
    "Write `url: ${STATE_URL}` and set the variable, or write an address without a password.",
  );
}

function checkEndpoint(endpoint: Node | undefined, diagnostics: Diagnostics): void {
  if (endpoint?.kind !== "scalar" || hasVariable(endpoint.text)) return;
  const problem = endpointProblem(endpoint.text);
  if (problem !== undefined) {
    diagnostics.add("IVR407", endpoint, problem.message, problem.help);
  }
}

function checkAddresses(root: MapNode, diagnostics: Diagnostics): void {
  for (const { settings: service } of inEnvironments(root, "service")) {
    const address = field(service, "base_url");
    if (address?.kind !== "scalar" || hasVariable(address.text)) continue;
    const problem = addressProblem(address.text);
    if (problem === undefined) continue;
    diagnostics.add("IVR407", address, problem.message, problem.help);
  }
}
