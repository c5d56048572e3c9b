import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed } from "../diagnostics/source.ts";
import { Menu as MenuSchema } from "../schema/menu.ts";
import type { Agents } from "./agents.ts";
import { effectiveMenu } from "./effective-menu.ts";
import type { Inherited } from "./folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import type {
  MenuNode,
  ResolvedDestination,
  ResolvedMenu,
  ResolvedOption,
  ResolvedRecording,
} from "./menu.ts";
import { canonicalKey, warnOfCommentedKeys } from "./options.ts";
import { reportUnresolvedAlias } from "../yaml/aliases.ts";
import {
  type Entry,
  type MapNode,
  type Node,
  entry,
  field,
  isUnresolvedAlias,
  isNull,
  itemsOf,
  scalarsIn,
  textField,
} from "../yaml/node.ts";
import { validateNode } from "../yaml/validate-node.ts";
import { expand } from "../project/variables.ts";
import {
  type Context,
  resolveDestination,
  resolveRecording,
  resolveSmsTemplate,
} from "./references.ts";

/**
 * Applies the defaults, validates the menu and resolves every reference. After an error
 * in one value, it still checks the others.
 */
export function resolveMenu(
  node: MenuNode,
  inherited: Inherited,
  environment: Environment | undefined,
  agents: Agents | undefined,
  diagnostics: Diagnostics,
): ResolvedMenu {
  const { key, keyAt, movedFrom, source, top } = node;
  const { root: menu, vars, usedVars, unset } = effectiveMenu(node, inherited, diagnostics);
  const reported = new Set([
    ...unset,
    ...(environment === undefined ? [] : unsetIn(menu, environment, diagnostics)),
    ...(node.readable ? [] : unresolvedAliasesIn(menu, diagnostics)),
  ]);
  const named = entry(menu, "name")?.key;
  const home = named === undefined || named.source === source ? top : named;
  const { invalidNodes, misspelled } = validateNode(MenuSchema, menu, {
    diagnostics,
    top,
    // A file that gives menus their names is meant to give them everything.
    missingAt: home,
    isExempt: (value) => reported.has(value),
    allowMissing: !inherited.complete,
    mayBeDefault: ([first]) => first !== "name" && first !== "tests" && first !== "entry",
    quoteValues: true,
  });
  const validity = {
    invalidNodes: reported.size === 0 ? invalidNodes : new Set([...invalidNodes, ...reported]),
    misspelled,
  };
  warnOfCommentedKeys(node.root, node.end, diagnostics);
  const parts = new Resolver({ environment, agents, validity, diagnostics }).parts(menu);
  const onChange = textField(menu, "on_change");
  const name = field(menu, "name");
  const tests = field(menu, "tests");
  return {
    key,
    keyAt,
    // A name from a folder is the same for all its menus, so it is reported in the menu.
    name:
      name?.kind === "scalar"
        ? { value: name.text, at: name.source === source ? name : top }
        : undefined,
    movedFrom,
    source,
    top,
    home,
    owner: textField(menu, "owner"),
    numbers: itemsOf(field(menu, "numbers")).flatMap((item) =>
      item.kind === "scalar" && !validity.invalidNodes.has(item)
        ? [{ value: item.text, at: item }]
        : [],
    ),
    entry: entryOf(node.root),
    onChange: onChange === "refuse" || onChange === "replace" ? onChange : undefined,
    ...parts,
    tests: tests?.kind === "list" ? tests : undefined,
    vars,
    usedVars,
    validity,
    walkable: inherited.complete && !diagnostics.sorted().some(preventsCalls),
  };
}

function entryOf(root: MapNode): boolean | undefined {
  const written = textField(root, "entry");
  return written === "true" || written === "false" ? written === "true" : undefined;
}

/** Whether an error makes it impossible to simulate calls. A missing agent or a lint error does not. */
export function preventsCalls({ severity, code, rule }: Diagnostic): boolean {
  return severity === "error" && rule === undefined && !harmlessForCalls.test(code);
}

/**
 * The codes of errors that do not prevent calls: missing or ambiguous agents, missing menus, and rule settings.
 */
const harmlessForCalls = /^IVR(?:301|302|313|7)/;

type Parts = Pick<
  ResolvedMenu,
  "description" | "recording" | "optionsAt" | "options" | "invalid" | "timeout" | "extra"
>;

/** Reads the fields of a validated menu. Missing and invalid fields are undefined. */
class Resolver {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  parts(menu: MapNode): Parts {
    const options = entry(menu, "options");
    const [invalid, timeout] = [field(menu, "invalid"), field(menu, "timeout")];
    const extra = field(menu, "extra");
    return {
      description: this.#text(menu, "description"),
      recording: this.#recording(menu, "recording"),
      optionsAt: options?.key,
      options: this.#options(options),
      invalid: {
        retries: this.#text(invalid, "retries"),
        recording: this.#recording(invalid, "recording"),
        destination: this.#destination(entry(invalid, "destination")),
      },
      timeout: {
        wait: this.#text(timeout, "wait"),
        retries: this.#text(timeout, "retries"),
        retryRecording: this.#recording(timeout, "retry_recording"),
        recording: this.#recording(timeout, "recording"),
        destination: this.#destination(entry(timeout, "destination")),
      },
      extra: {
        timeoutRetries: this.#text(extra, "timeout_retries"),
        recordingInvalid: this.#recording(extra, "recording_invalid"),
      },
    };
  }

  #options(options: Entry | undefined): ResolvedOption[] | undefined {
    if (options?.value.kind !== "map") return undefined;
    const { entries } = options.value;
    if (entries.length > 0) return entries.map((option) => this.#option(option));
    this.#context.diagnostics.addAs(
      "structure",
      "IVR202",
      options.key,
      "This menu has no options.",
      "Add at least one, for example `1: Asha Rao`.",
    );
    return undefined;
  }

  #option(option: Entry): ResolvedOption {
    const { diagnostics } = this.#context;
    const { key, value } = option;
    const name = canonicalKey(key.text);
    if (name === "") {
      diagnostics.addAs(
        "structure",
        "IVR203",
        key,
        "The key of an option must not be empty.",
        "Write a phone key, for example `1: Asha Rao`.",
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
      diagnostics.addAs(
        "structure",
        "IVR202",
        value.start === value.end ? key : value,
        `Key ${name} has no destination.`,
        `Write an agent after the colon, for example \`${key.text}: Asha Rao\`.`,
      );
    }
    const sms = this.#valid(value, "sms");
    return {
      key: name,
      keyAt: key,
      for: this.#text(value, "for"),
      sms: sms && resolveSmsTemplate(sms, this.#context),
      destination: this.#destination(option),
    };
  }

  #text(parent: Node | undefined, key: string): Placed<string> | undefined {
    const node = this.#valid(parent, key);
    return node?.kind === "scalar" ? { value: node.text, at: node } : undefined;
  }

  #recording(parent: Node | undefined, key: string): ResolvedRecording | undefined {
    const node = this.#valid(parent, key);
    return node && resolveRecording(node, this.#context);
  }

  #destination(owner: Entry | undefined): ResolvedDestination | undefined {
    if (owner === undefined || isNull(owner.value) || this.#isInvalid(owner.value))
      return undefined;
    return resolveDestination(owner.value, owner.key, this.#context);
  }

  /** The value under a key, unless it is invalid. */
  #valid(parent: Node | undefined, key: string): Node | undefined {
    const node = field(parent, key);
    return node === undefined || this.#isInvalid(node) ? undefined : node;
  }

  #isInvalid(node: Node): boolean {
    return this.#context.validity.invalidNodes.has(node);
  }
}

/** Reports and returns the values of this menu whose variable is not set. */
function unsetIn(
  menu: MapNode,
  environment: Environment,
  diagnostics: Diagnostics,
): readonly Node[] {
  const { unset, variables } = environment;
  if (unset.size === 0) return [];
  const used = scalarsIn(menu).filter((node) => unset.has(node));
  for (const node of used) expand(node, variables, diagnostics);
  return used;
}

/** Reports and returns the YAML aliases of this menu without an anchor. */
function unresolvedAliasesIn(menu: MapNode, diagnostics: Diagnostics): readonly Node[] {
  const found = scalarsIn(menu).filter(isUnresolvedAlias);
  for (const node of found) reportUnresolvedAlias(node, node.text.slice(1), diagnostics);
  return found;
}
