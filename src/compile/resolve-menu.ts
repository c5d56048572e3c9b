import { menuWith } from "../model/menu.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed, Span } from "../diagnostics/source.ts";
import { fields, fieldsOfKind, isOfOption, rows } from "../schema/fields.ts";
import type { DestinationReference, RecordingReference } from "../schema/destination.ts";
import { menuSchemas, type MenuDraft } from "../schema/menu.ts";
import { allItemsDefined } from "../util/defined.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { decode } from "../yaml/decode.ts";
import {
  type MapNode,
  type Node,
  type Path,
  type ScalarNode,
  at,
  entry,
  field,
  isNull,
  isUnusable,
  nodeAt,
} from "../yaml/node.ts";
import type { Agents } from "../project/agent-list.ts";
import { withDefaults } from "./defaults.ts";
import type { Inherited } from "./folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import type { MenuFacts, MenuNode, ResolvedMenu, ResolvedOption } from "./compiled-menu.ts";
import {
  canonicalKey,
  warnOfCommentedKeys,
  withDistinctOptions,
  withoutExcess,
} from "../project/options.ts";
import {
  type ReferenceContext,
  resolveDestination,
  resolveRecording,
  resolveSmsTemplate,
} from "./references.ts";
import { Vars, type VarUser, readVars } from "../project/vars.ts";
import type { CallDestination, CallMenu, CallOption, CallRecording } from "../model/call-menu.ts";

const destinationFields = fieldsOfKind("destination");

/**
 * Applies the defaults, decodes the menu and resolves every reference. After an error
 * in one value, it still checks the others.
 */
export function resolveMenu(
  node: MenuNode,
  inherited: Inherited,
  environment: Environment | undefined,
  agents: Agents | undefined,
  diagnostics: Diagnostics,
): ResolvedMenu {
  const { key, keyAt, source, top } = node;
  const { root, vars, usedVars } = effectiveMenu(node, inherited, diagnostics);
  const named = entry(root, "name")?.key;
  const home = named === undefined || named.source === source ? top : named;
  const { value, tree } = decode(menuSchemas, root, {
    diagnostics,
    top,
    // A file that gives menus their names is meant to give them everything.
    missingAt: home,
    allowMissing: !inherited.complete,
    mayBeDefault: ([first, ...rest]) =>
      rest.length < 2 && first !== "name" && first !== "tests" && first !== "entry",
    unitOf: partAt,
  }) ?? { value: {}, tree: root };
  warnOfCommentedKeys(node.root, node.end, diagnostics);
  const isPresent = isPresentIn(environment, value.environments, tree, diagnostics);
  // What an environment lacks is no problem of a menu that is not there.
  const context = isPresent
    ? { environment, agents, diagnostics }
    : { environment: undefined, agents: undefined, diagnostics };
  const written = field(root, "name");
  // A name from a folder is the same for all its menus, so it is reported in the menu.
  const name =
    written?.kind === "scalar" && !isUnusable(written)
      ? { value: written.text, at: written.source === source ? written : top }
      : undefined;
  const options = resolveOptions(root, value, context);
  const facts = resolveFacts(value, tree, context);
  const numbers = (value.numbers ?? []).map((number, index) => ({
    value: number.replaceAll(" ", ""),
    at: at(tree, ["numbers", index]),
  }));
  const isCallable = inherited.complete && !diagnostics.sorted().some(preventsCalls);
  return {
    key,
    keyAt,
    name,
    movedFrom: withPlace(value.moved_from, at(tree, ["moved_from"])),
    source,
    top,
    home,
    owner: value.owner,
    isPresent,
    numbers,
    entry: value.entry,
    onChange: value.on_change,
    optionsAt: entry(root, "options")?.key,
    options,
    facts,
    destinations: [
      ...(options ?? []).flatMap(({ destination }) => destination ?? []),
      ...destinationFields.flatMap((path) => facts[path] ?? []),
    ],
    tests: value.tests && { values: value.tests, tree: at(tree, ["tests"]) },
    vars,
    usedVars,
    call: isCallable ? callMenu({ key, name, options, facts, numbers }) : undefined,
  };
}

function withPlace(value: string | undefined, at: Span): Placed<string> | undefined {
  return value === undefined ? undefined : { value, at };
}

/** The menu that calls are simulated in; undefined if something is missing. */
function callMenu({
  key,
  name,
  options,
  facts,
  numbers,
}: Pick<ResolvedMenu, "key" | "name" | "options" | "facts" | "numbers">): CallMenu | undefined {
  const reached = options && allItemsDefined(options.map(callOption));
  const menu = menuWith<CallDestination, CallRecording>(reached, (path) => {
    const value = path === "name" ? name?.value : facts[path]?.value;
    return fields[path].is === "number" && value !== undefined ? String(Number(value)) : value;
  });
  return key === undefined || menu === undefined
    ? undefined
    : { key, ...menu, ...(numbers.length > 0 && { numbers: numbers.map(({ value }) => value) }) };
}

function callOption({
  key,
  for: purpose,
  sms,
  destination,
}: ResolvedOption): CallOption | undefined {
  const reached = destination?.value;
  return (
    reached && {
      key,
      ...(purpose && { for: purpose.value }),
      destination: reached,
      ...(sms && { sms }),
    }
  );
}

/** Whether a menu with these `environments:` is there. Reports environments that do not exist. */
function isPresentIn(
  environment: Environment | undefined,
  written: readonly string[] | undefined,
  tree: Node,
  diagnostics: Diagnostics,
): boolean {
  if (environment === undefined || written === undefined) return true;
  for (const [index, name] of written.entries()) {
    if (environment.names.includes(name)) continue;
    diagnostics.add(
      "IVR402",
      at(tree, ["environments", index]),
      `There is no environment \`${shorten(name)}\`. Available: ${environment.names.join(", ")}.`,
      didYouMean(nearest(name, environment.names)) ?? "Remove it, or add it to ivrctl.yaml.",
    );
  }
  return written.includes(environment.name);
}

/** What to leave out of a menu if the value at a path is invalid: a whole field, item or option. */
function partAt(path: Path): Path {
  if (path[0] === "tests" || path[0] === "numbers" || path[0] === "environments") {
    return path.slice(0, 2);
  }
  const isOption = path[0] === "options" && path.length > 1;
  for (let length = path.length; length > 0; length -= 1) {
    const steps = path.slice(0, length);
    const row = steps.map((step, at) => (isOption && at === 1 ? "*" : String(step))).join(".");
    if (Object.hasOwn(fields, row) || row === "options.*.for") return steps;
  }
  return path;
}

/** Whether an error makes it impossible to simulate calls. A missing agent or a lint error does not. */
export function preventsCalls({ severity, code, rule }: Diagnostic): boolean {
  return severity === "error" && rule === undefined && !harmlessForCalls.test(code);
}

/**
 * The codes of errors that do not prevent calls: missing or ambiguous agents, missing menus, and rule settings.
 */
const harmlessForCalls = /^IVR(?:30[125]|313|7)/;

/** Resolves the fields that are sent, except the options. */
function resolveFacts(menu: MenuDraft, tree: Node, context: ReferenceContext): MenuFacts {
  const facts: Record<string, unknown> = {};
  for (const [path, { is }] of rows) {
    const steps = path.split(".");
    const place = nodeAt(tree, steps);
    if (is === "keys" || isOfOption(path) || place === undefined) continue;
    if (is === "recording") {
      const value = valueAt(menu, steps, "recording");
      facts[path] = value && resolveRecording(value, place, context);
    } else if (is === "destination") {
      const value = valueAt(menu, steps, "destination");
      facts[path] = value && resolveDestination(value, place, context);
    } else {
      const value = valueAt(menu, steps, "text");
      facts[path] = value && { value, at: place };
    }
  }
  return facts;
}

/** What the kinds of fields are in a menu. */
interface Written {
  readonly recording: RecordingReference;
  readonly destination: DestinationReference;
  readonly text: string;
}

function valueAt<K extends keyof Written>(
  menu: MenuDraft,
  path: readonly string[],
  _kind: K,
): Written[K] | undefined {
  const value = path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined,
    menu,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema comes from the same table
  return value as Written[K] | undefined;
}

/** The options in the order of the file. An invalid one has no destination. */
function resolveOptions(
  root: MapNode,
  { options: values = {} }: MenuDraft,
  context: ReferenceContext,
): ResolvedOption[] | undefined {
  const options = entry(root, "options");
  if (options?.value.kind !== "map") return undefined;
  const { entries } = options.value;
  if (entries.length === 0) {
    context.diagnostics.addStructure(
      "IVR202",
      options.key,
      "This menu has no options.",
      "Add at least one, for example `1: Asha Rao`.",
    );
    return undefined;
  }
  return entries.map(({ key, value: node }) => {
    const name = canonicalKey(key.text);
    reportKey(name, key, node, context.diagnostics);
    const option = values[key.text];
    const { for: purpose, sms, ...to } = typeof option === "object" ? option : {};
    return {
      key: name,
      keyAt: key,
      for: withPlace(purpose, at(node, ["for"])),
      sms: sms === undefined ? undefined : resolveSmsTemplate(sms, at(node, ["sms"]), context),
      destination:
        option === undefined
          ? undefined
          : resolveDestination(typeof option === "string" ? option : to, node, context),
    };
  });
}

function reportKey(name: string, key: ScalarNode, value: Node, diagnostics: Diagnostics): void {
  if (name === "") {
    diagnostics.add(
      "IVR203",
      key,
      "The key of an option must not be empty.",
      "Write a phone key, for example `1: Asha Rao`.",
    );
  } else if (/^o$/i.test(name)) {
    diagnostics.add(
      "IVR203",
      key,
      `\`${name}\` is the letter, not the key zero.`,
      "Write `0` for the key zero.",
    );
  } else if (!/^[0-9*#]$/.test(name)) {
    diagnostics.add(
      "IVR210",
      key,
      `\`${name}\` is not a phone key.`,
      "Use 0-9, * or #. ivrctl sends other keys unchanged, and the service may refuse them.",
    );
  }
  if (isNull(value)) {
    diagnostics.addStructure(
      "IVR202",
      value.start === value.end ? key : value,
      `Key ${name} has no destination.`,
      `Write an agent after the colon, for example \`${key.text}: Asha Rao\`.`,
    );
  }
}

/** A menu with its defaults and variables applied. */
interface EffectiveMenu extends VarUser {
  readonly root: MapNode;
}

/** Applies the defaults, then replaces the variables. Every value keeps its place. */
export function effectiveMenu(
  { root, source }: MenuNode,
  inherited: Inherited,
  diagnostics: Diagnostics,
): EffectiveMenu {
  const menu = withDistinctOptions(root, diagnostics);
  const merged = withoutExcess(withDefaults(menu, inherited.defaults), diagnostics);
  const vars = new Vars([readVars(menu, source), ...inherited.vars], inherited.complete);
  const { tree, used } = vars.fill(merged, diagnostics);
  return { root: tree, vars, usedVars: used };
}
