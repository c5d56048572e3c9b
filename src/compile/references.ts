import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Environment, RecordingAlias } from "../project/environment.ts";
import { expand } from "../project/variables.ts";
import { digits, idPattern } from "../schema/common.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import {
  type MapNode,
  type Node,
  type ScalarNode,
  field,
  isNull,
  textField,
} from "../yaml/node.ts";
import type { Validity } from "../yaml/validate-node.ts";
import {
  type AgentReference,
  type Agents,
  type ReferenceField,
  referenceFields,
} from "./agents.ts";
import { reportAmbiguous, reportBareNumber, reportNotFound } from "./agent-problems.ts";
import type { ResolvedDestination, ResolvedRecording, SmsTemplate } from "./menu.ts";

/** What is needed to resolve the references of a menu. */
export interface Context {
  /** Without an environment, aliases are not checked. */
  readonly environment: Environment | undefined;
  /** Without a list, references to agents are not checked. */
  readonly agents: Agents | undefined;
  readonly validity: Validity;
  readonly diagnostics: Diagnostics;
}

/** Finds the id of a recording: by alias, or as written. */
export function resolveRecording(node: Node, context: Context): ResolvedRecording | undefined {
  const { environment, diagnostics } = context;
  const explicit = explicitId(node);
  if (explicit !== undefined) return recordingById(explicit, node, context);
  if (node.kind !== "scalar") return undefined;
  if (environment === undefined) return undefined;
  const alias = environment.recordings.get(node.text);
  if (alias !== undefined) {
    const id = aliasId(alias.id, environment, `the recording \`${node.text}\``, context);
    return id === undefined ? undefined : recordingOf(id, node, node.text, alias);
  }
  const elsewhere = environment.elsewhere.get(node.text);
  diagnostics.add(
    "IVR307",
    node,
    `There is no recording \`${shorten(node.text)}\`${elsewhere === undefined ? "" : ` in the environment \`${environment.name}\``}.`,
    elsewhere === undefined
      ? (didYouMean(nearest(node.text, environment.recordings.keys())) ??
          `Add it to \`recordings:\` in ivrctl.yaml, or write \`{ id: "${shorten(node.text.replace(/^recording\|\|/, ""))}" }\` if it is an id.`)
      : `Add it to \`recordings:\` of \`${environment.name}\` or of the whole project. Only \`${elsewhere}\` has it.`,
  );
  return undefined;
}

export function resolveSmsTemplate(node: Node, context: Context): SmsTemplate | undefined {
  const { environment, diagnostics } = context;
  if (environment === undefined) return undefined;
  if (!environment.smsTemplatesEnabled()) {
    diagnostics.add(
      "IVR309",
      node,
      `SMS templates are turned off in the environment \`${environment.name}\`.`,
      "Add `sms_templates_enabled: true` to ivrctl.yaml if the account has them.",
    );
    return undefined;
  }
  const explicit = explicitId(node);
  if (explicit !== undefined) return { id: explicit };
  if (node.kind !== "scalar") return undefined;
  const alias = environment.smsTemplates.get(node.text);
  if (alias !== undefined) {
    const id = aliasId(alias, environment, `the SMS template \`${node.text}\``, context);
    return id === undefined ? undefined : { id, alias: node.text };
  }
  diagnostics.add(
    "IVR307",
    node,
    `There is no SMS template \`${shorten(node.text)}\`.`,
    didYouMean(nearest(node.text, environment.smsTemplates.keys())) ??
      `Add it to \`sms_templates:\` in ivrctl.yaml, or write \`{ id: "${shorten(node.text)}" }\` if it is an id.`,
  );
  return undefined;
}

/** Finds the agent, or the other destination, that a value refers to. `owner` is its key in the menu. */
export function resolveDestination(
  node: Node,
  owner: Span,
  context: Context,
): ResolvedDestination | undefined {
  if (node.kind === "scalar") return shorthand(node, context);
  return node.kind === "map" ? reference(node, owner, context) : undefined;
}

/** The recording with an id, and the words and length from its alias. */
function recordingById(id: string, at: Span, { environment }: Context): ResolvedRecording {
  const name = environment?.recordingAliases.get(id);
  const alias = name === undefined ? undefined : environment?.recordings.get(name);
  return recordingOf(id, at, name, alias);
}

function recordingOf(
  id: string,
  at: Span,
  alias: string | undefined,
  { says, seconds, language }: Partial<RecordingAlias> = {},
): ResolvedRecording {
  return {
    value: {
      id,
      ...(alias !== undefined && { alias }),
      ...(says && { says: says.value }),
      ...(seconds && { seconds: seconds.value }),
      ...(language !== undefined && { language }),
    },
    at,
    saysAt: says?.at,
    secondsAt: seconds?.at,
  };
}

function aliasId(
  node: ScalarNode,
  environment: Environment,
  what: string,
  { diagnostics }: Context,
): string | undefined {
  const id = expand(node, environment.variables, diagnostics);
  if (id === undefined || idPattern.test(id)) return id;
  // The schema has already reported an invalid id that does not come from a variable.
  if (id !== node.text) {
    diagnostics.add(
      "IVR203",
      node,
      `The variable must be the id of ${what}, without spaces or \`||\`.`,
      "Set the variable to an id such as 19549.",
    );
  }
  return undefined;
}

function explicitId(node: Node): string | undefined {
  if (node.kind === "scalar") return digits.test(node.text) ? node.text : undefined;
  const id = textField(node, "id");
  return id !== undefined && idPattern.test(id) ? id : undefined;
}

/** Matches text that YAML reads as a number. */
const numberLike =
  /^[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

function shorthand(node: ScalarNode, context: Context): ResolvedDestination | undefined {
  const isNumber = digits.test(node.text) || (node.plain && numberLike.test(node.text));
  if (!isNumber) return findAgent({ agent: node.text }, node, context);
  reportBareNumber(node.text, node, context.diagnostics);
  return undefined;
}

function reference(node: MapNode, owner: Span, context: Context): ResolvedDestination | undefined {
  const { diagnostics, validity } = context;
  const menu = field(node, "menu");
  if (menu !== undefined && !isNull(menu)) return menuDestination(node, menu, context);
  const hangup = field(node, "hangup");
  if (hangup !== undefined && !isNull(hangup)) return hangUp(node, hangup, context);
  const kind = field(node, "kind");
  if (kind?.kind === "scalar") return withKind(node, kind, owner, context);
  const given = referenceFields.filter((key) => field(node, key) !== undefined);
  const [first] = given;
  if (first === undefined) {
    if (!validity.misspelled.has(node)) {
      diagnostics.addAs(
        "structure",
        "IVR202",
        owner,
        "This has no destination.",
        `Add a field such as \`agent: Asha Rao\`. You can also use ${[...referenceFields.slice(1), "menu"].join(", ")}.`,
      );
    }
    return undefined;
  }
  const wanted: AgentReference = {};
  for (const key of given) {
    const value = field(node, key);
    if (value?.kind !== "scalar" || validity.invalidNodes.has(value)) return undefined;
    wanted[key] = value.text;
  }
  return findAgent(wanted, field(node, first) ?? owner, context, node);
}

/** Another menu. Whether it exists is known only when all menus have been read. */
function menuDestination(
  node: MapNode,
  menu: Node,
  context: Context,
): ResolvedDestination | undefined {
  if (menu.kind !== "scalar" || context.validity.invalidNodes.has(menu)) return undefined;
  if (!isAlone("menu", node, context)) return undefined;
  return { kind: "menu", key: menu.text, span: menu };
}

function hangUp(node: MapNode, at: Node, context: Context): ResolvedDestination | undefined {
  if (context.validity.invalidNodes.has(at)) return undefined;
  if (!isAlone("hangup", node, context)) return undefined;
  return { kind: "other", name: "hangup", id: "1", span: at };
}

/** Whether no other field says where the call goes. If there is one, reports it. */
function isAlone(name: "menu" | "hangup", node: MapNode, { diagnostics }: Context): boolean {
  const other = ["menu", "hangup", "kind", ...referenceFields].find(
    (key) => key !== name && field(node, key) !== undefined,
  );
  if (other === undefined) return true;
  diagnostics.add(
    "IVR310",
    field(node, other) ?? node,
    `A destination with \`${name}\` cannot have \`${other}\`.`,
    `Remove \`${other}:\` or \`${name}:\`.`,
  );
  return false;
}

function withKind(
  node: MapNode,
  kind: ScalarNode,
  owner: Span,
  context: Context,
): ResolvedDestination | undefined {
  const { diagnostics, validity } = context;
  const other = referenceFields.find((key) => key !== "id" && field(node, key) !== undefined);
  if (other !== undefined) {
    diagnostics.add(
      "IVR310",
      field(node, other) ?? owner,
      "A destination with `kind` can have only an `id`.",
      `Remove \`${other}:\`. If you mean an agent, remove \`kind:\`.`,
    );
    return undefined;
  }
  const id = field(node, "id");
  if (id?.kind === "scalar") {
    if (validity.invalidNodes.has(kind) || validity.invalidNodes.has(id)) return undefined;
    if (kind.text === "extension") return findAgent({ eid: id.text }, id, context);
    return { kind: "other", name: kind.text, id: id.text, span: id };
  }
  if (id === undefined) {
    diagnostics.add(
      "IVR202",
      owner,
      "A destination with `kind` needs an `id`.",
      `Write a value such as \`{ kind: ${kind.text}, id: "12" }\`.`,
    );
  }
  return undefined;
}

function findAgent(
  wanted: AgentReference,
  span: Span,
  context: Context,
  node?: MapNode,
): ResolvedDestination | undefined {
  const { agents, environment, diagnostics } = context;
  if (agents === undefined) return { kind: "unchecked", reference: wanted, span };
  const [found, ...others] = agents.find(wanted);
  if (found === undefined) {
    const placeOf = (key: ReferenceField) => field(node, key) ?? span;
    reportNotFound(wanted, placeOf, agents, environment?.name, diagnostics);
    return { kind: "unreachable", why: "not-listed", reference: wanted, span };
  }
  if (others.length > 0) {
    reportAmbiguous(wanted, [found, ...others], span, diagnostics);
    return { kind: "unreachable", why: "several", reference: wanted, span };
  }
  // The rule agent-without-eid reports this.
  if (found.eid === null || !idPattern.test(found.eid)) {
    return { kind: "unreachable", why: "no-extension", agent: found, reference: wanted, span };
  }
  return { kind: "extension", eid: found.eid, agent: found, reference: wanted, span };
}
